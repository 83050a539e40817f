//! Why a motion of the joints cannot begin.

use thiserror::Error;

use urdf_ik_text::names::short;

/// The generator's bound on the time of a motion \[s\].
pub(super) const MAX_DURATION: f64 = 7600.0;

/// Why a motion cannot begin. The motion under way continues.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The generator found no motion.
    #[error("no smooth motion to the goal was found: {0}")]
    NotFound(String),
    /// The velocity limit of a joint is too low for the distance.
    #[error(
        "joint '{}' would take {duration:.3e} s at its velocity limit {velocity:e} (rad/s or m/s); a motion may take {MAX_DURATION} s",
        short(joint)
    )]
    TooSlow {
        /// The joint.
        joint: String,
        /// Its velocity limit \[rad/s or m/s\].
        velocity: f64,
        /// The least time that it takes \[s\].
        duration: f64,
    },
    /// The trajectory does not begin where the joints come to rest.
    #[error("the trajectory begins {distance:.3e} rad or m from where the joints are")]
    Elsewhere {
        /// The greatest distance of a joint \[rad or m\].
        distance: f64,
    },
}
