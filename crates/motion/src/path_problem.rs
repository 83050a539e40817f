//! The problem of following a path, its options, errors and result.

use thiserror::Error;

use super::joint_curve::JointCurve;
use super::limits::MotionLimits;
use super::path::Path;
use super::path_stop::PathStop;
use urdf_ik_collision::Clearance;
use urdf_ik_robot::{Chain, Domain};
use urdf_ik_solver::{Preference, ProblemError, Residual, Target, Tolerance};
use urdf_ik_text::names::{number, short};

/// A path to be followed by the joints of a chain. It is checked by [`follow`](crate::follow()).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct PathProblem<'a> {
    /// The path of the tip link.
    pub path: &'a Path,
    /// The tip, its tolerance and its free axes. The pose is ignored.
    pub target: &'a Target,
    /// Present positions of the chain's variables \[rad or m\].
    pub seed: &'a [f64],
    /// Velocity, acceleration and jerk limits of the chain's variables.
    pub limits: &'a MotionLimits,
    /// Null-space task of a redundant arm, or of one with free axes.
    pub preference: Preference<'a>,
    /// Scene and margin for collision avoidance; `None` disables collision checking.
    pub clearance: Option<Clearance<'a>>,
}

impl<'a> PathProblem<'a> {
    /// The problem for one tip: `target` names the tip, its tolerance and free axes, `seed` has the present positions
    /// of the n variables \[rad or m\]. Without a preference and without collision checking.
    pub fn new(path: &'a Path, target: &'a Target, seed: &'a [f64], limits: &'a MotionLimits) -> Self {
        Self { path, target, seed, limits, preference: Preference::default(), clearance: None }
    }

    /// This problem with a null-space task.
    #[must_use]
    pub fn with_preference(self, preference: Preference<'a>) -> Self {
        Self { preference, ..self }
    }

    /// This problem with collision avoidance, or without it for `None`.
    #[must_use]
    pub fn with_clearance(self, clearance: Option<Clearance<'a>>) -> Self {
        Self { clearance, ..self }
    }

    /// The target at path length `length` \[m\].
    pub(super) fn target_at(&self, length: f64) -> Target {
        Target { pose: self.path.pose_at(length), ..*self.target }
    }
}

/// Accuracy and step sizes of following a path.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FollowOptions {
    /// Maximum distance of the tip from the path \[m and rad\].
    pub deviation: Tolerance,
    /// Maximum path length of a piece \[m\].
    pub longest_piece: f64,
    /// Path length below which a piece is not halved \[m\].
    pub shortest_piece: f64,
    /// Maximum change of a joint within a piece \[rad or m\]; a greater one is a jump.
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
    /// A joint is outside its limits at the start of the path.
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
        /// Its position \[rad or m\].
        position: f64,
        /// Its lower and its upper limit \[rad or m\].
        limits: [f64; 2],
    },
    /// The caller interrupted it.
    #[error("it was interrupted")]
    Interrupted,
    /// An option is not a finite number above 0.
    #[error("the {option} is {}; it must be a finite number above 0", number(*value))]
    Option {
        /// Its name.
        option: &'static str,
        /// The given value.
        value: f64,
    },
}

impl FollowOptions {
    /// These options with another [`deviation`](Self::deviation).
    #[must_use]
    pub fn with_deviation(self, deviation: Tolerance) -> Self {
        Self { deviation, ..self }
    }

    /// Checks that every option is a finite number above 0.
    pub(super) fn check(&self) -> Result<(), FollowError> {
        let values = [
            ("position deviation", self.deviation.position),
            ("orientation deviation", self.deviation.orientation),
            ("longest piece", self.longest_piece),
            ("shortest piece", self.shortest_piece),
            ("largest joint step", self.largest_joint_step),
        ];
        first_not_positive(values).map_or(Ok(()), |(option, value)| Err(FollowError::Option { option, value }))
    }
}

/// The first value, with its name, that is not a finite number above 0.
pub(super) fn first_not_positive<const N: usize>(values: [(&'static str, f64); N]) -> Option<(&'static str, f64)> {
    values.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0))
}

/// Checks that no joint is outside its limits at the start of a path. Values that are not finite are left to the
/// solver.
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
    /// Joint positions by path length, inside their limits, up to the stop. `None` if the start cannot be reached.
    pub curve: Option<JointCurve>,
    /// Followed fraction of the path length, from 0 to 1. Exactly 1 if the last pose is reached.
    pub fraction: f64,
    /// Where and why following stopped before the end.
    pub stop: Option<PathStop>,
    /// Maximum distance of the tip from the pose of the path at the same length, over the axes that are not free \[m
    /// and rad\].
    pub deviation: Residual,
}

/// The greater of the ratios of position and orientation to their tolerances.
pub(super) fn ratio(residual: &Residual, allowed: &Tolerance) -> f64 {
    (residual.position / allowed.position).max(residual.orientation / allowed.orientation)
}

/// The greater position and the greater orientation of two residuals.
pub(super) fn larger(a: Residual, b: Residual) -> Residual {
    Residual { position: a.position.max(b.position), orientation: a.orientation.max(b.orientation) }
}
