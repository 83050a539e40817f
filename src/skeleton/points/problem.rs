//! What a chain of points is asked and what it answers.

use nalgebra::SVector;
use thiserror::Error;

use super::{InputError, Outcome, PointChain, Reason, Root, Scratch};
use crate::skeleton::segments::{check_coordinates, check_count, check_depth, check_tolerance};

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Distance between tip and target \[m\] that counts as there; above 0.
    pub tolerance: f64,
    /// A chain whose tip moves by no more than this \[m\] in a cycle stands still; 0 or more. Near a stretched chain plain
    /// cycles move the tip by no more than a 100 000th of the distance that is left, which is no stall.
    pub stall: f64,
    /// Cycles at most.
    pub cycles: usize,
    /// Differences between past cycles that are mixed. 0 is the algorithm as published.
    pub acceleration: usize,
    /// Whether the backward pass closes the chain by the circle between two joints where it can. The tip is then exactly at
    /// the target. In return one joint takes up the whole gap, and a cycle in which none can takes 6 % longer.
    ///
    /// It pays for short or well bent chains; a long one that is nearly stretched has no joint with play enough. Mean cycles
    /// from an arc of 1 rad to targets at 0.8 to 0.95 of the reach, without and with circles (`cargo bench --bench points`):
    ///
    /// | segments | 2 | 3 | 10 | 30 | 100 | 1000 |
    /// |---|---|---|---|---|---|---|
    /// | plain | 10.9, 1.0 | 12.9, 1.3 | 36.6, 11.9 | 103, 61.8 | 311, 295 | 1982, 1982 |
    /// | 5 differences | 5.2, 1.0 | 5.0, 1.3 | 6.0, 4.4 | 7.6, 5.5 | 8.3, 6.9 | 10.0, 9.3 |
    ///
    /// What is saved are the last cycles, so that it is less where the tolerance is wide: to 1 mm, plain, 12.7 and 11.1 with 10
    /// segments, and with 100 as many with circles as without.
    pub circles: bool,
}

impl Default for Options {
    /// To 1 µm, 5 differences, no circles.
    fn default() -> Self {
        Self { tolerance: 1e-6, stall: 1e-12, cycles: 1000, acceleration: 5, circles: false }
    }
}

/// One question to a chain of n segments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem<'a, const D: usize> {
    /// Where the tip shall be \[m\].
    pub target: SVector<f64, D>,
    /// Where the root shall be. With a free one there is no cycle: the tip is dragged to the target and the chain follows, by a
    /// forward pass alone.
    pub root: Root<SVector<f64, D>>,
    /// The posture to start from \[m\], n + 1 points. Where they are not apart by the lengths of the segments, the first cycle
    /// makes them so.
    pub points: &'a [SVector<f64, D>],
    /// How it is solved.
    pub options: Options,
}

/// What makes a question meaningless.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A number or a list is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The movement that counts as none is negative or no number.
    #[error("the movement that counts as a stall is {value} m; it must be a finite number of at least 0")]
    Stall {
        /// What was given \[m\].
        value: f64,
    },
}

/// The chain's answer. Made by [`PointChain::solution`], overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution<const D: usize> {
    /// The posture \[m\], n + 1 points, from the root to the tip.
    pub points: Vec<SVector<f64, D>>,
    /// Distance left between tip and target \[m\].
    pub distance: f64,
    /// Cycles taken; 0 where one pass did, or none.
    pub cycles: usize,
    /// Cycles after which the mixed posture was taken instead of the plain one.
    pub mixed: usize,
    /// Whether the tip got to the target.
    pub outcome: Outcome,
}

impl<const D: usize> PointChain<D> {
    /// Room for an answer, to keep and reuse.
    #[must_use]
    pub fn solution(&self) -> Solution<D> {
        Solution {
            points: vec![SVector::zeros(); self.segments() + 1],
            distance: f64::INFINITY,
            cycles: 0,
            mixed: 0,
            outcome: Outcome::Closest(Reason::NotConverged),
        }
    }

    /// Whether `problem` can be put to this chain, in this scratch and with this room for an answer.
    pub(super) fn check(
        &self,
        problem: &Problem<D>,
        scratch: &Scratch<D>,
        solution: &Solution<D>,
    ) -> Result<(), ProblemError> {
        check_coordinates("target", problem.target.as_slice())?;
        if let Root::At(root) = &problem.root {
            check_coordinates("root", root.as_slice())?;
        }
        self.check_posture(problem.points)?;
        check_count("scratch", scratch.count(), self.segments() + 1)?;
        check_count("solution", solution.points.len(), self.segments() + 1)?;
        let Options { tolerance, stall, acceleration, .. } = problem.options;
        check_tolerance(tolerance)?;
        if !(stall.is_finite() && stall >= 0.0) {
            return Err(ProblemError::Stall { value: stall });
        }
        Ok(check_depth(scratch.depth(), acceleration)?)
    }
}
