//! Reasons for which a chain has no closed form.

use thiserror::Error;

use super::{MIN_JOINTS, REDUNDANT_JOINTS};

/// Why a chain has no closed form. The text completes a sentence about the chain.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoClosedForm {
    /// The chain has this number of tip links instead of one.
    #[error("it has {0} tips")]
    Tips(usize),
    /// The joint with this name is prismatic.
    #[error("the joint '{0}' is prismatic")]
    Prismatic(String),
    /// Other joints mimic the joint with this name.
    #[error("joints follow '{0}' (mimic)")]
    Mimic(String),
    /// This number of joints is too low or too high.
    #[error("it has {0} joints, not {MIN_JOINTS} to {REDUNDANT_JOINTS}")]
    Joints(usize),
    /// Two joints have the same axis at zero positions.
    #[error("'{first}' and '{second}' rotate about the same line when all joints are at 0")]
    OneLine {
        /// Name of the joint nearer to the base.
        first: String,
        /// Name of the other joint.
        second: String,
    },
    /// The self-check found a self-motion in every configuration.
    #[error("in every configuration some of its joints can move without the tip")]
    AlwaysFree,
    /// Too many axes are parallel for any family, whichever joint is locked.
    #[error("too many of its axes are parallel, whichever joint is locked")]
    Parallel,
    /// No auxiliary joints extend its joints, of which there is this number, to a six-joint arm with a closed form.
    #[error("no joints added to its {0} make an arm of a known family")]
    NothingToAdd(usize),
    /// The deviation from every family is too large.
    #[error("it is nearest to one where '{locked}' is locked, {common}, but {deviation}")]
    NotNear {
        /// Name of the locked joint.
        locked: String,
        /// Common properties of the axes in the nearest family, in words.
        common: String,
        /// Deviation from these properties, in words.
        deviation: String,
    },
}
