//! Solutions for skeletons, and why a target is not met.

use std::fmt;

use thiserror::Error;

use super::{Skeleton, SkeletonConfiguration};
use urdf_ik_mathematics::segments::Reach;

/// Remaining error between a point and its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Position error \[m\].
    pub distance: f64,
    /// Orientation error \[rad\]; 0 if the target has no orientation.
    pub angle: f64,
    /// Outcome for this target.
    pub outcome: Outcome,
}

/// The solution of a problem. Created by [`Skeleton::solution`], overwritten by each solve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkeletonSolution {
    /// The configuration found, in the common frame. It has no orientations if neither limits nor targets need them;
    /// [`Skeleton::orientations`] computes them.
    pub configuration: SkeletonConfiguration,
    /// For each of the n joints, true if a limit is active: the joint can move, is at a limit, and the last cycle or
    /// step requested a motion beyond it.
    pub limited: Vec<bool>,
    /// Remaining error of each target, in the order of [`SkeletonProblem::targets`](crate::SkeletonProblem::targets).
    pub residuals: Vec<Residual>,
    /// Number of cycles and polish steps of all attempts; 0 if the seed already solves the problem.
    pub iterations: usize,
    /// Number of cycles whose accelerated configuration was accepted.
    pub accelerated: usize,
    /// Number of restarts after the attempt from the seed.
    pub restarts: usize,
}

impl SkeletonSolution {
    /// True if every target is met; false before the first solve.
    pub fn is_solved(&self) -> bool {
        !self.residuals.is_empty() && self.residuals.iter().all(|residual| residual.outcome == Outcome::Solved)
    }
}

impl Skeleton {
    /// Preallocated memory for a solution.
    pub fn solution(&self) -> SkeletonSolution {
        let residuals = Vec::with_capacity(self.segment_count() + 1); // at most one target per point
        SkeletonSolution {
            configuration: self.at_rest(),
            limited: vec![false; self.segment_count()],
            residuals,
            ..SkeletonSolution::default()
        }
    }
}

/// Why a target is not met. Each kind of model has only some of these reasons.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum Reason {
    /// Proven: the target is out of reach, even without joint limits.
    #[error("out of reach: {distance:.6} m from the root, where {inner:.6} to {outer:.6} m are possible")]
    OutOfReach {
        /// Distance of the target from the root \[m\].
        distance: f64,
        /// Smallest possible distance of the point from the root \[m\].
        inner: f64,
        /// Largest possible distance of the point from the root \[m\].
        outer: f64,
    },
    /// Proven: this target and another one exclude each other.
    #[error(
        "contradicts target {other}: they are {distance:.6} m apart, but their points can only be {inner:.6} to {outer:.6} m apart"
    )]
    Apart {
        /// Index of the other target.
        other: usize,
        /// Distance between the two targets \[m\].
        distance: f64,
        /// Smallest possible distance of the two points \[m\].
        inner: f64,
        /// Largest possible distance of the two points \[m\].
        outer: f64,
    },
    /// Joint limits block the search. A solution may or may not exist.
    #[error("limits are in the way")]
    Limits,
    /// The end point stopped moving from one cycle to the next.
    #[error("the end hardly moves any more")]
    Stalled,
    /// The next point of a path would require a larger change of a variable than permitted.
    #[error("the next point of the path needs a turn of {turn:.3} rad")]
    Turn {
        /// Required change \[rad\].
        turn: f64,
    },
    /// The iterations were exhausted, or none made progress. A solution may or may not exist.
    #[error("no configuration was found that reaches it")]
    NotConverged,
}

impl Reason {
    /// [`Reason::OutOfReach`], if a target at `distance` \[m\] from the root is farther than `tolerance` \[m\] from
    /// `reach`.
    pub(super) fn out_of_reach(reach: &Reach, distance: f64, tolerance: f64) -> Option<Self> {
        let Reach { inner, outer } = *reach;
        (reach.gap(distance) > tolerance).then_some(Self::OutOfReach { distance, inner, outer })
    }
}

/// Whether a target is met. The two variants are exhaustive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The target is met within its tolerances.
    Solved,
    /// The target is not met; the configuration is the closest one found.
    Closest(Reason),
}

impl Outcome {
    /// True if it is proven that no configuration meets the target.
    pub fn is_certain(&self) -> bool {
        matches!(self, Self::Closest(Reason::OutOfReach { .. } | Reason::Apart { .. }))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Solved => f.write_str("solved"),
            Self::Closest(reason) => reason.fmt(f),
        }
    }
}
