//! Reasons for which a chain has no closed form.

use thiserror::Error;

use super::{MIN_JOINTS, REDUNDANT_JOINTS};

/// Reason for which a chain has no closed form. The text continues a sentence about the chain.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoClosedForm {
    /// Several tip links.
    #[error("it has {tips} tips")]
    Tips {
        /// Number of tip links.
        tips: usize,
    },
    /// A prismatic joint.
    #[error("the joint '{joint}' is prismatic")]
    Prismatic {
        /// Name of the joint.
        joint: String,
    },
    /// A joint that others mimic.
    #[error("joints follow '{joint}' (mimic)")]
    Mimic {
        /// Name of the mimicked joint.
        joint: String,
    },
    /// Too few or too many joints.
    #[error("it has {joints} joints, not {MIN_JOINTS} to {REDUNDANT_JOINTS}")]
    Joints {
        /// Number of joints.
        joints: usize,
    },
    /// Two joints with a common axis at zero positions.
    #[error("'{first}' and '{second}' rotate about the same line when all joints are at 0")]
    OneLine {
        /// Name of the joint nearer to the base.
        first: String,
        /// Name of the other joint.
        second: String,
    },
    /// A self-motion in every configuration, found by the self-check.
    #[error("in every configuration some of its joints can move without the tip")]
    AlwaysFree,
    /// Parallel axes where every family excludes them.
    #[error("too many of its axes are parallel, whichever joint is locked")]
    Parallel,
    /// No set of auxiliary joints extends it to a six-joint arm with a closed form.
    #[error("no joints added to its {joints} make an arm of a known family")]
    NothingToAdd {
        /// Number of its joints.
        joints: usize,
    },
    /// Too large a deviation from every family.
    #[error("it is nearest to one where '{locked}' is locked, {common}, but {deviation}")]
    NotNear {
        /// Name of the fixed joint.
        locked: String,
        /// Common property of the axes in the nearest family.
        common: String,
        /// Deviation from it.
        deviation: String,
    },
}
