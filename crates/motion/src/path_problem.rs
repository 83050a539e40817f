//! What is asked of a tip on a path and of the joints on the way, how exactly, and what comes of it.

use thiserror::Error;

use super::joint_curve::JointCurve;
use super::limits::MotionLimits;
use super::path::Path;
use super::path_stop::PathStop;
use urdf_ik_collision::Clearance;
use urdf_ik_robot::{Chain, Domain};
use urdf_ik_solver::{Preference, ProblemError, Residual, Target, Tolerance};
use urdf_ik_text::names::{number, short};

/// A path for the joints of a chain.
#[derive(Clone, Copy)]
pub struct PathProblem<'a> {
    /// The path of the tip link.
    pub path: &'a Path,
    /// The tip, its tolerance and its free axes. The pose is not used.
    pub target: &'a Target,
    /// Where the arm is: one entry for each variable \[rad or m\].
    pub seed: &'a [f64],
    /// Limits of the chain's variables.
    pub limits: &'a MotionLimits,
    /// What a redundant arm, or one with free axes, prefers on the way.
    pub preference: Preference<'a>,
    /// What the arm has to keep clear of on the way; `None`: collisions do not count.
    pub clearance: Option<Clearance<'a>>,
}

impl PathProblem<'_> {
    /// The target at `length` metres of the path.
    pub(super) fn target_at(&self, length: f64) -> Target {
        Target { pose: self.path.pose_at(length), ..*self.target }
    }
}

/// How exactly a path is followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FollowOptions {
    /// Greatest distance of the tip from the path.
    pub deviation: Tolerance,
    /// Greatest length of a piece \[m\].
    pub longest_piece: f64,
    /// Length below which a piece is not halved \[m\].
    pub shortest_piece: f64,
    /// Greatest move of a joint in one piece \[rad or m\]; more is a jump.
    pub largest_joint_step: f64,
}

impl Default for FollowOptions {
    /// A deviation of 0.1 mm and 1 mrad, pieces of 0.1 mm to 1 cm, joint moves of 0.1 rad.
    fn default() -> Self {
        let deviation = Tolerance { position: 1e-4, orientation: 1e-3 };
        Self { deviation, longest_piece: 0.01, shortest_piece: 1e-4, largest_joint_step: 0.1 }
    }
}

/// Why following a path cannot begin.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FollowError {
    /// The tip, the seed, the tolerance, the free axes or the preference are not valid for the chain.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The start is outside the limits of a joint, so that no path can begin there.
    #[error(
        "at the start joint '{}' is at {}, outside its limits, {} to {}: give a start inside them",
        short(joint),
        number(*position),
        number(limits[0]),
        number(limits[1])
    )]
    StartOutsideLimits {
        /// The first such joint.
        joint: String,
        /// Where it is \[rad or m\].
        position: f64,
        /// Its lower and its upper limit \[rad or m\].
        limits: [f64; 2],
    },
    /// The caller has ended it before it was done.
    #[error("it was interrupted")]
    Interrupted,
    /// An option is not a finite number above 0.
    #[error("the {option} is {}; it must be a finite number above 0", number(*value))]
    Option {
        /// Which one.
        option: &'static str,
        /// What was given.
        value: f64,
    },
}

impl FollowOptions {
    /// Checks that every option is a finite number above 0.
    pub(super) fn check(&self) -> Result<(), FollowError> {
        for (option, value) in [
            ("position deviation", self.deviation.position),
            ("orientation deviation", self.deviation.orientation),
            ("longest piece", self.longest_piece),
            ("shortest piece", self.shortest_piece),
            ("largest joint step", self.largest_joint_step),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(FollowError::Option { option, value });
            }
        }
        Ok(())
    }
}

/// Checks that no joint is outside its limits at the start of a path. What is not a finite number is left to the solver.
pub(super) fn check_start(chain: &Chain, start: &[f64]) -> Result<(), FollowError> {
    for (variable, &position) in chain.variables().iter().zip(start) {
        match variable.domain {
            Domain::Interval { lower, upper } if position < lower || position > upper => {
                let joint = variable.name.clone();
                return Err(FollowError::StartOutsideLimits { joint, position, limits: [lower, upper] });
            }
            _ => {}
        }
    }
    Ok(())
}

/// A followed path.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Joint positions by path length, inside their limits, as far as the path is followed. `None` where its start cannot be reached.
    pub curve: Option<JointCurve>,
    /// Fraction of the path's length that is followed. Exactly 1 where the last pose is reached.
    pub fraction: f64,
    /// Where and why it stopped before that.
    pub stop: Option<PathStop>,
    /// Greatest distance of the tip from the pose of the path at the same length. Over the axes that are not free.
    pub deviation: Residual,
}

/// The greater of two ratios: of the position to what is allowed, and of the orientation to what is allowed.
pub(super) fn ratio(residual: &Residual, allowed: &Tolerance) -> f64 {
    (residual.position / allowed.position).max(residual.orientation / allowed.orientation)
}

/// The greater position and the greater orientation of two residuals.
pub(super) fn larger(a: Residual, b: Residual) -> Residual {
    Residual { position: a.position.max(b.position), orientation: a.orientation.max(b.orientation) }
}
