//! The problem of following a path, its options, errors and result.

use thiserror::Error;

use super::joint_curve::JointCurve;
use super::limits::{MotionLimits, MotionLimitsError};
use super::path::Path;
use super::path_stop::PathStop;
use urdf_ik_collision::Clearance;
use urdf_ik_goals::Goal;
use urdf_ik_robot::Chain;
use urdf_ik_solver::{Preference, ProblemError, Residual, Target, Tolerance};
use urdf_ik_text::names::{number, short};
use urdf_ik_text::setters;

/// A function that is called while a path is planned. Its argument is the estimated fraction of the work that is done,
/// from 0 to 1; it never decreases. Planning is interrupted when the function returns true.
pub type Watch<'a> = &'a (dyn Fn(f64) -> bool + Sync);

/// A path for the joints of a chain to follow. It is validated by [`follow`](crate::follow()).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct PathProblem<'a> {
    /// The path of the tip link.
    pub path: &'a Path,
    /// The tip, its tolerance \[m and rad\] and its free axes. The pose is ignored.
    pub target: &'a Target,
    /// Goals that every configuration along the path must meet, besides the poses.
    pub goals: &'a [Goal],
    /// Current positions of the chain's n variables \[rad or m\]. With a free start, the search begins there.
    pub seed: &'a [f64],
    /// True if the path may start at any solution of its first pose. Then the start is the one with the largest
    /// followed fraction, and among those the one with the shortest motion in joint space; motion counts 5 % more where
    /// bodies are within 2 cm.
    pub free_start: bool,
    /// Velocity, acceleration and jerk limits of the chain's n variables.
    pub limits: &'a MotionLimits,
    /// Secondary objective for a redundant arm or free axes.
    pub preference: Preference<'a>,
    /// Scene and margin for collision avoidance; `None` disables collision checking.
    pub clearance: Option<Clearance<'a>>,
}

impl<'a> PathProblem<'a> {
    /// The problem for one tip. `target` defines the tip, its tolerance and free axes; `seed` has the current positions
    /// of the n variables \[rad or m\]. There are no goals, no preference and no collision checking.
    pub fn new(path: &'a Path, target: &'a Target, seed: &'a [f64], limits: &'a MotionLimits) -> Self {
        Self {
            path,
            target,
            goals: &[],
            seed,
            free_start: false,
            limits,
            preference: Preference::default(),
            clearance: None,
        }
    }

    setters! {
        with_free_start(free_start: bool);
        with_goals(goals: &'a [Goal]);
        with_preference(preference: Preference<'a>);
        with_clearance(clearance: Option<Clearance<'a>>);
    }

    /// The target at path length `length` \[m\].
    pub(super) fn target_at(&self, length: f64) -> Target {
        (*self.target).with_pose(self.path.pose_at(length))
    }
}

/// Accuracy and step sizes of path following.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FollowOptions {
    /// Maximum distance of the tip from the path, and maximum violation of a goal \[m and rad\].
    pub deviation: Tolerance,
    /// Maximum path length of a segment between solves \[m\].
    pub longest_piece: f64,
    /// Path length below which a segment is not subdivided \[m\].
    pub shortest_piece: f64,
    /// Maximum change of a joint within a segment \[rad or m\]; a larger one is a jump.
    pub largest_joint_step: f64,
    /// Effort of the search for other self-motions and branches, where tracking ends early and for a free start: the
    /// number of configurations at each pose, at most [`MAX_SEARCH`](Self::MAX_SEARCH). Memory is proportional to it.
    /// With 0, the path is only tracked.
    pub search: usize,
}

impl Default for FollowOptions {
    /// A deviation of 0.1 mm and 1 mrad, pieces of 0.1 mm to 1 cm, joint moves of 0.1 rad, searches with 100
    /// configurations of each pose.
    fn default() -> Self {
        let deviation = Tolerance { position: 1e-4, orientation: 1e-3 };
        Self { deviation, longest_piece: 0.01, shortest_piece: 1e-4, largest_joint_step: 0.1, search: 100 }
    }
}

/// Why path following cannot start.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FollowError {
    /// The tip, seed, tolerance, free axes or preference are invalid for the chain.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A motion limit is missing, not finite or not above 0.
    #[error(transparent)]
    Limits(#[from] MotionLimitsError),
    /// A joint is outside its limits at the start of the path.
    #[error(
        "at the start joint '{}' is at {}, outside its limits, {} to {}: give a start inside them",
        short(joint),
        number(*position),
        number(limits[0]),
        number(limits[1])
    )]
    StartOutsideLimits {
        /// Name of the first such joint.
        joint: String,
        /// Position of the joint \[rad or m\].
        position: f64,
        /// Lower, then upper limit of the joint \[rad or m\].
        limits: [f64; 2],
    },
    /// A goal is violated at the start of the path.
    #[error("at the start {sentence}: give a start that meets it")]
    GoalAtStart {
        /// The goal and its violation, as a sentence.
        sentence: String,
    },
    /// The caller interrupted path following.
    #[error("it was interrupted")]
    Interrupted,
    /// An option is not a finite number above 0.
    #[error("the {option} is {}; it must be a finite number above 0", number(*value))]
    Option {
        /// Name of the option.
        option: &'static str,
        /// The invalid value, in the unit of the option.
        value: f64,
    },
}

impl FollowOptions {
    /// Maximum effort of the [`search`](Self::search); higher values are reduced to it.
    pub const MAX_SEARCH: usize = 1000;

    setters! {
        with_deviation(deviation: Tolerance);
    }

    /// These options with the effort `search` of the [search](Self::search).
    #[must_use]
    pub fn with_search(self, search: usize) -> Self {
        Self { search: search.min(Self::MAX_SEARCH), ..self }
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

/// Checks that no joint is outside its limits at the start of a path. The solver checks that values
/// are finite.
pub(super) fn check_start(chain: &Chain, start: &[f64]) -> Result<(), FollowError> {
    for (variable, &position) in chain.variables().iter().zip(start) {
        let limits = variable.domain.ends();
        if position < limits[0] || position > limits[1] {
            return Err(FollowError::StartOutsideLimits { joint: variable.name.clone(), position, limits });
        }
    }
    Ok(())
}

/// Result of path following.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Joint positions as a function of path length, inside their limits, from the start to the stop. `None` if the
    /// start cannot be reached.
    pub curve: Option<JointCurve>,
    /// Followed fraction of the path length, from 0 to 1; exactly 1 if the last pose is reached.
    pub fraction: f64,
    /// Where and why path following stopped early; `None` if it reached the end.
    pub stop: Option<PathStop>,
    /// Maximum deviation of the tip from the pose of the path at the same length, over the constrained axes \[m and
    /// rad\].
    pub deviation: Residual,
    /// Maximum violation of each goal, in the order of the goals \[m or rad\]; empty without a curve.
    pub violations: Vec<f64>,
}

/// The greater of the ratios of position and orientation to their tolerances.
pub(super) fn ratio(residual: &Residual, allowed: &Tolerance) -> f64 {
    (residual.position / allowed.position).max(residual.orientation / allowed.orientation)
}

/// The greater position and the greater orientation of two residuals.
pub(super) fn larger(a: Residual, b: Residual) -> Residual {
    Residual { position: a.position.max(b.position), orientation: a.orientation.max(b.orientation) }
}
