//! Where and why a path could not be followed further.

use std::fmt;

use nalgebra::Isometry3;

use crate::names;
use crate::robot::Chain;
use crate::solver::{Outcome, Reason, Residual, Solution};

/// Where and why a path could not be followed further. Displays as a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// Length of the path that is achieved \[m\].
    pub length: f64,
    /// Length of the whole path \[m\].
    pub of: f64,
    /// The path's pose there, in the base link's frame.
    pub pose: Isometry3<f64>,
    /// Index of the waypoint that it was on the way to.
    pub waypoint: usize,
    /// Why it goes no further.
    pub reason: StopReason,
}

/// Why a path cannot be followed further.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum StopReason {
    /// What comes next is out of reach, which is certain.
    OutOfReach {
        /// How near the closest posture comes.
        closest: Residual,
    },
    /// No posture was found for what comes next.
    NotFound {
        /// How near the closest posture comes.
        closest: Residual,
    },
    /// Joints at their limits are in the way.
    JointLimits {
        /// Their names.
        joints: Vec<String>,
    },
    /// What comes next takes another posture, which is a jump away.
    Jump {
        /// The joint that would move most.
        joint: String,
        /// How far it would move \[rad or m\].
        by: f64,
    },
    /// Even in the shortest piece the tip strays too far from the line.
    PieceTooShort {
        /// Length of the piece \[m\].
        length: f64,
        /// How far it strays.
        deviation: Residual,
    },
    /// The path takes too many pieces.
    TooManyPieces {
        /// How many it may take.
        pieces: usize,
    },
}

impl StopReason {
    /// The reason by what `tracked` says of the next piece, by a posture `elsewhere` for its end, if there is one, and by where the
    /// arm stands.
    pub(super) fn new(chain: &Chain, tracked: &Solution, elsewhere: Option<&[f64]>, here: &[f64]) -> Self {
        let variables = chain.variables();
        let closest = tracked.residuals.first().copied().unwrap_or_default();
        if matches!(tracked.outcome, Outcome::Closest(Reason::OutOfReach { .. })) {
            return Self::OutOfReach { closest };
        }
        if !tracked.saturated.is_empty() {
            let joints = tracked.saturated.iter().map(|&variable| variables[variable].name.clone()).collect();
            return Self::JointLimits { joints };
        }
        let moves = elsewhere.into_iter().flat_map(|positions| positions.iter().zip(here).zip(variables));
        let moves = moves.map(|((there, here), variable)| ((there - here).abs(), &variable.name));
        match moves.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((by, joint)) => Self::Jump { joint: joint.clone(), by },
            None => Self::NotFound { closest },
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::OutOfReach { closest } => write!(f, "what comes next is out of reach: {}", off(closest)),
            Self::NotFound { closest } => write!(f, "no posture was found for what comes next: {}", off(closest)),
            Self::JointLimits { joints } => write!(f, "joint limits are in the way: {}", names::list(joints)),
            Self::Jump { joint, by } => {
                write!(f, "going on takes another posture: joint '{joint}' would jump by {by:.3}")
            }
            Self::PieceTooShort { length, deviation: Residual { position, orientation } } => write!(
                f,
                "even in a piece of {length:.3e} m the tip strays {position:.3e} m and {orientation:.3e} rad from the line"
            ),
            Self::TooManyPieces { pieces } => write!(f, "it takes more than {pieces} pieces"),
        }
    }
}

fn off(closest: &Residual) -> String {
    format!("the closest found is {:.3e} m and {:.3e} rad off", closest.position, closest.orientation)
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { length, of, pose, waypoint, reason } = self;
        let at = pose.translation.vector;
        write!(
            f,
            "stopped after {length:.4} m of {of:.4} m, on the way to waypoint {waypoint}, at ({:.4}, {:.4}, {:.4}): {reason}",
            at.x, at.y, at.z
        )
    }
}
