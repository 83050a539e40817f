//! Why a chain has no closed form.

use thiserror::Error;

use super::{MIN_JOINTS, REDUNDANT_JOINTS};

/// Why a chain has no closed form, in words that follow its name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoClosedForm {
    /// It has several tips.
    #[error("it has {tips} tips")]
    Tips {
        /// Their number.
        tips: usize,
    },
    /// One of its joints is prismatic.
    #[error("the joint '{joint}' is prismatic")]
    Prismatic {
        /// The joint.
        joint: String,
    },
    /// Joints mimic one of its joints.
    #[error("joints follow '{joint}' (mimic)")]
    Mimic {
        /// The joint that they mimic.
        joint: String,
    },
    /// It has too few joints, or too many.
    #[error("it has {joints} joints, not {MIN_JOINTS} to {REDUNDANT_JOINTS}")]
    Joints {
        /// Their number.
        joints: usize,
    },
    /// Two joints always turn about one line.
    #[error("'{first}' and '{second}' rotate about the same line when all joints are at 0")]
    OneLine {
        /// The joint nearer to the base.
        first: String,
        /// The other joint.
        second: String,
    },
    /// The self-check finds a freedom everywhere.
    #[error("in every configuration some of its joints can move without the tip")]
    AlwaysFree,
    /// Axes are parallel that must not be.
    #[error("too many of its axes are parallel, whichever joint is locked")]
    Parallel,
    /// None of the joints that were tried make it an arm of six joints with a closed form.
    #[error("no joints added to its {joints} make an arm of a known family")]
    NothingToAdd {
        /// Number of its joints.
        joints: usize,
    },
    /// The axes are not near enough to a family.
    #[error("it is nearest to one where '{locked}' is locked, {common}, but {deviation}")]
    NotNear {
        /// The joint that is locked.
        locked: String,
        /// What the axes have in common in the nearest family.
        common: String,
        /// By how much they miss that.
        deviation: String,
    },
}
