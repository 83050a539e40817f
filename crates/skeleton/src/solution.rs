//! The answer for a skeleton.

use super::{Configuration, Outcome, Skeleton};

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
    #[must_use]
    pub fn is_solved(&self) -> bool {
        !self.residuals.is_empty() && self.residuals.iter().all(|residual| residual.outcome == Outcome::Solved)
    }
}

impl Skeleton {
    /// Memory for an answer.
    #[must_use]
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
