//! Where and why following a path stopped.

use std::fmt;

use nalgebra::Isometry3;

use super::path::Path;
use urdf_ik_collision::{Body, Near, Scene};
use urdf_ik_goals::Goal;
use urdf_ik_robot::Chain;
use urdf_ik_solver::{Outcome, Reason, Residual, Solution};
use urdf_ik_text::names;

/// Where and why path following stopped. `Display` writes a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct PathStop {
    /// Path length at the stop \[m\].
    pub length: f64,
    /// Length of the whole path \[m\].
    pub of: f64,
    /// Pose of the path at the stop, in the base link's frame.
    pub pose: Isometry3<f64>,
    /// Index of the next waypoint, from 0.
    pub waypoint: usize,
    /// Whether the pose after the stop has a solution.
    pub next_pose: NextPose,
    /// Reason for the stop.
    pub reason: StopReason,
}

/// Whether the pose after a stop has a solution.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NextPose {
    /// No search was made for a solution.
    Unknown,
    /// No solution was found that meets the goals and is clear of collisions; the reason of the stop explains why.
    NoSolution,
    /// The pose has a solution, but no motion was found that leads to it.
    Unconnected {
        /// Path length of the pose \[m\].
        length: f64,
        /// Why the branches of solutions end before that pose.
        ends: Vec<BranchEnd>,
    },
}

/// Why a branch of solutions ends.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum BranchEnd {
    /// Joints are at their limits.
    JointLimits {
        /// Names of the joints.
        joints: Vec<String>,
    },
    /// Two bodies would come closer than the margin allows.
    Obstacle {
        /// The two bodies; `None` if the motion is too long to check.
        bodies: Option<[Body; 2]>,
    },
    /// A goal would be violated.
    Goal {
        /// Name of the goal.
        name: String,
    },
    /// The pose is at a singularity, beyond which the branch has no solution.
    Singularity,
}

impl From<StopReason> for BranchEnd {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::JointLimits { joints } => Self::JointLimits { joints },
            StopReason::Collision { bodies, .. } => Self::Obstacle { bodies },
            StopReason::Goal { goal, .. } => Self::Goal { name: goal.name().to_owned() },
            _ => Self::Singularity,
        }
    }
}

impl fmt::Display for BranchEnd {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::JointLimits { joints } => write!(f, "the limits of {}", names::list(joints)),
            Self::Obstacle { bodies: Some([first, second]) } => write!(f, "a contact of {first} and {second}"),
            Self::Obstacle { bodies: None } => write!(f, "a contact"),
            Self::Goal { name } => write!(f, "goal '{}'", names::short(name)),
            Self::Singularity => write!(f, "a singularity"),
        }
    }
}

/// Why path following stopped.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum StopReason {
    /// The next pose is provably out of reach.
    OutOfReach {
        /// Residual of the closest configuration found \[m and rad\].
        closest: Residual,
    },
    /// No solution was found for the next pose.
    NotFound {
        /// Residual of the closest configuration found \[m and rad\].
        closest: Residual,
    },
    /// Joints are at their limits.
    JointLimits {
        /// Names of the joints.
        joints: Vec<String>,
    },
    /// The next pose has solutions only on another branch, which requires a jump.
    Jump {
        /// Name of the joint with the largest jump.
        joint: String,
        /// Size of the jump \[rad or m\].
        by: f64,
    },
    /// The tip deviates too far from the path even in the shortest segment.
    PieceTooShort {
        /// Length of the segment \[m\].
        length: f64,
        /// Maximum deviation of the tip \[m and rad\].
        deviation: Residual,
    },
    /// The distance of two bodies would fall below the margin.
    Collision {
        /// The two bodies; `None` if the motion is too long to check.
        bodies: Option<[Body; 2]>,
        /// Distance of the bodies just beyond the stop \[m\]; 0 if the motion is too long to check.
        distance: f64,
    },
    /// A goal cannot be met together with the next pose.
    Goal {
        /// The goal that cannot be met.
        goal: Goal,
        /// Its violation in the closest configuration found \[m or rad\].
        violation: f64,
    },
    /// The path needs too many segments.
    TooManyPieces {
        /// Maximum number of segments.
        pieces: usize,
    },
}

impl PathStop {
    pub(super) fn at(path: &Path, length: f64, reason: StopReason) -> Self {
        let waypoint = path.waypoint_after(length);
        Self { length, of: path.length(), pose: path.pose_at(length), waypoint, next_pose: NextPose::Unknown, reason }
    }
}

impl StopReason {
    /// The collision of the pair `near`.
    pub(super) fn collision(scene: &Scene, near: Option<&Near>) -> Self {
        let bodies = near.and_then(|near| scene.pairs().nth(near.pair)).map(|pair| pair.map(Body::clone));
        Self::Collision { bodies, distance: near.map_or(0.0, |near| near.distance) }
    }

    /// The reason, from the failed solution `tracked` for the next piece, a solution `elsewhere` on another branch, if
    /// any, and the present configuration `here`.
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
            Self::OutOfReach { closest } => write!(f, "the next pose is out of reach: {}", distance(closest)),
            Self::NotFound { closest } => write!(f, "no solution was found for the next pose: {}", distance(closest)),
            Self::JointLimits { joints } => write!(f, "these joints are at their limits: {}", names::list(joints)),
            Self::Jump { joint, by } => {
                write!(f, "the next pose needs another branch: joint '{joint}' would jump by {by:.3}")
            }
            Self::PieceTooShort { length, deviation: Residual { position, orientation } } => write!(
                f,
                "even in a piece of {length:.3e} m the tip leaves the line by {position:.3e} m and {orientation:.3e} rad"
            ),
            Self::Collision { bodies: Some([first, second]), distance } => {
                write!(f, "{first} would come within {distance:.4} m of {second}")
            }
            Self::Collision { bodies: None, .. } => write!(f, "the motion is too long to check for collisions"),
            Self::Goal { goal, violation } => write!(
                f,
                "goal '{}' cannot be met together with the next pose: the closest configuration found violates it by {violation:.3e} {}",
                names::short(goal.name()),
                goal.kind().unit().symbol()
            ),
            Self::TooManyPieces { pieces } => write!(f, "the path needs more than {pieces} pieces"),
        }
    }
}

fn distance(closest: &Residual) -> String {
    format!("the closest configuration found is {:.3e} m and {:.3e} rad off", closest.position, closest.orientation)
}

impl fmt::Display for PathStop {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { length, of, pose, waypoint, next_pose, reason } = self;
        let at = pose.translation.vector;
        write!(
            f,
            "stopped after {length:.4} m of {of:.4} m, on the way to waypoint {waypoint}, at ({:.4}, {:.4}, {:.4}): ",
            at.x, at.y, at.z
        )?;
        match next_pose {
            // These reasons say so themselves.
            NextPose::NoSolution if !matches!(reason, StopReason::OutOfReach { .. } | StopReason::NotFound { .. }) => {
                write!(f, "no solution was found for the next pose: {reason}")
            }
            NextPose::Unknown | NextPose::NoSolution => write!(f, "{reason}"),
            NextPose::Unconnected { length, ends } => {
                let ends: Vec<_> = ends.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "{reason}; the pose after {length:.4} m has solutions, but no motion was found that leads to one: the branches end at {}",
                    names::list(&ends)
                )
            }
        }
    }
}
