//! The problem and the solution of a chain of points.

use nalgebra::SVector;
use thiserror::Error;

use super::{InputError, Outcome, PointChain, Reason, Root, Scratch};
use crate::skeleton::segments::{check_coordinates, check_count, check_depth, check_tolerance};

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Largest distance between tip and target \[m\] at which the target counts as met; above 0.
    pub tolerance: f64,
    /// A chain whose tip moves by no more than this \[m\] in a cycle has stalled; 0 or more. Near a stretched chain, plain
    /// cycles move the tip by no more than a 100 000th of the remaining distance, which is not a stall.
    pub stall: f64,
    /// Largest number of cycles.
    pub cycles: usize,
    /// Number of differences between past cycles for Anderson acceleration. 0 is the algorithm as published.
    pub acceleration: usize,
    /// Whether the backward pass closes the chain by the circle between two joints where it can. The tip is then exactly at
    /// the target. In return one joint closes the complete gap, and a cycle in which no joint can takes 6 % longer.
    ///
    /// It helps for short or well bent chains; in a long, nearly stretched chain no joint can move far enough. Mean cycles
    /// from an arc of 1 rad to targets at 0.8 to 0.95 of the reach, without and with circles (`cargo bench --bench points`):
    ///
    /// | segments | 2 | 3 | 10 | 30 | 100 | 1000 |
    /// |---|---|---|---|---|---|---|
    /// | plain | 10.9, 1.0 | 12.9, 1.3 | 36.6, 11.9 | 103, 61.8 | 311, 295 | 1982, 1982 |
    /// | 5 differences | 5.2, 1.0 | 5.0, 1.3 | 6.0, 4.4 | 7.6, 5.5 | 8.3, 6.9 | 10.0, 9.3 |
    ///
    /// It saves the last cycles, so it saves less with a wide tolerance: plain cycles to 1 mm take 12.7 and 11.1 with 10
    /// segments, and with 100 segments as many with circles as without.
    pub circles: bool,
}

impl Default for Options {
    /// To 1 µm, 5 differences, no circles.
    fn default() -> Self {
        Self { tolerance: 1e-6, stall: 1e-12, cycles: 1000, acceleration: 5, circles: false }
    }
}

/// One problem for a chain of n segments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem<'a, const D: usize> {
    /// Desired position of the tip \[m\].
    pub target: SVector<f64, D>,
    /// Where the root belongs. With a free root there is no cycle: the tip moves to the target and the chain follows, by one
    /// forward pass.
    pub root: Root<SVector<f64, D>>,
    /// The configuration to start from \[m\], n + 1 points. Where their distances are not the lengths of the segments, the first
    /// cycle restores the lengths.
    pub points: &'a [SVector<f64, D>],
    /// How it is solved.
    pub options: Options,
}

/// Why a problem is not valid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A number or a list is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The movement that counts as a stall is negative or not a number.
    #[error("the movement that counts as a stall is {value} m; it must be a finite number of at least 0")]
    Stall {
        /// The given value \[m\].
        value: f64,
    },
}

/// The chain's answer. Made by [`PointChain::solution`], overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution<const D: usize> {
    /// The configuration \[m\], n + 1 points, from the root to the tip.
    pub points: Vec<SVector<f64, D>>,
    /// Distance between tip and target \[m\].
    pub distance: f64,
    /// Number of cycles; 0 where one pass or no pass was enough.
    pub cycles: usize,
    /// Number of cycles after which the accelerated configuration was taken instead of the plain one.
    pub mixed: usize,
    /// Whether the tip reached the target.
    pub outcome: Outcome,
}

impl<const D: usize> PointChain<D> {
    /// Memory for an answer.
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

    /// Checks that `problem` is valid for this chain, with this scratch and this solution.
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
