//! The answer for a skeleton, and whether its points reach their targets.

use std::fmt;

use super::{Configuration, Skeleton};
use urdf_ik_mathematics::segments::Reach;

/// What is left between a point and its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Distance between point and target \[m\].
    pub distance: f64,
    /// Angle between orientation and target \[rad\]; 0 where the target has none.
    pub angle: f64,
    /// Whether the target is met.
    pub outcome: Outcome,
}

/// A skeleton's answer. Made by [`Skeleton::solution`], overwritten by each solve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Solution {
    /// Where the skeleton is. It has no orientations where neither limits nor targets ask for any;
    /// [`Skeleton::orientations`] finds them.
    pub configuration: Configuration,
    /// For each of the n joints, whether it can move, is at a limit, and the last cycle or step asked for more than that
    /// allows.
    pub limited: Vec<bool>,
    /// What is left of each target, in the order of the problem's targets.
    pub residuals: Vec<Residual>,
    /// Number of cycles and steps of the polish, over all attempts; 0 where none was needed.
    pub iterations: usize,
    /// Number of cycles after which the accelerated configuration was taken instead of the plain one.
    pub accelerated: usize,
    /// Number of attempts after the one from the seed.
    pub restarts: usize,
}

impl Solution {
    /// Whether every target is met. False before the first solve.
    pub fn is_solved(&self) -> bool {
        !self.residuals.is_empty() && self.residuals.iter().all(|residual| residual.outcome == Outcome::Solved)
    }
}

impl Skeleton {
    /// Memory for an answer.
    pub fn solution(&self) -> Solution {
        let residuals = Vec::with_capacity(self.segment_count() + 1); // a point has one target at most
        Solution {
            configuration: self.at_rest(),
            limited: vec![false; self.segment_count()],
            residuals,
            ..Solution::default()
        }
    }
}

/// Why a point did not reach its target. No model returns all of these reasons.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// It is certain that no configuration reaches the target, even without limits.
    OutOfReach {
        /// Distance of the target from the root \[m\].
        distance: f64,
        /// Smallest distance from the root that the point can have \[m\].
        inner: f64,
        /// Largest distance from the root that the point can have \[m\].
        outer: f64,
    },
    /// It is certain that no configuration meets both this target and another one.
    Apart {
        /// Index of the other target.
        other: usize,
        /// Distance between the two targets \[m\].
        distance: f64,
        /// Smallest distance that the two points can have \[m\].
        inner: f64,
        /// Largest distance that the two points can have \[m\].
        outer: f64,
    },
    /// Limits block the search. Whether a solution exists is not known.
    Limits,
    /// The end hardly moved from one cycle to the next.
    Stalled,
    /// The next point of a path would have taken a larger turn than allowed, however near the point.
    Turn {
        /// The turn it would have taken \[rad\].
        turn: f64,
    },
    /// The iterations were used up, or none brought the point nearer. Whether a solution exists is not known.
    NotConverged,
}

impl Reason {
    /// If a target `distance` \[m\] from the root is certainly missed by more than `tolerance` \[m\], since its point
    /// can only be within `reach` of the root, the reason.
    pub(super) fn out_of_reach(reach: &Reach, distance: f64, tolerance: f64) -> Option<Self> {
        let Reach { inner, outer } = *reach;
        (reach.gap(distance) > tolerance).then_some(Self::OutOfReach { distance, inner, outer })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::OutOfReach { distance, inner, outer } => {
                write!(f, "out of reach: {distance:.6} m from the root, where {inner:.6} to {outer:.6} m are possible")
            }
            Self::Apart { other, distance, inner, outer } => {
                let points = format_args!("but their points can only be {inner:.6} to {outer:.6} m apart");
                write!(f, "contradicts target {other}: they are {distance:.6} m apart, {points}")
            }
            Self::Limits => f.write_str("limits are in the way"),
            Self::Stalled => f.write_str("the end hardly moves any more"),
            Self::Turn { turn } => write!(f, "the next point of the path needs a turn of {turn:.3} rad"),
            Self::NotConverged => f.write_str("no configuration was found that reaches it"),
        }
    }
}

/// Whether a point reached its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The point is at its target within the tolerance.
    Solved,
    /// The answer is the closest one that was found.
    Closest(Reason),
}

impl Outcome {
    /// Whether it is proved that no configuration meets the target.
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
