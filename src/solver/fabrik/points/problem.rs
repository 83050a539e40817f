//! What a chain of points is asked and what it answers.

use std::fmt;

use nalgebra::SVector;
use thiserror::Error;

use super::{FARTHEST, PointChain, Scratch};

/// Names of the coordinates.
const AXES: [char; 3] = ['x', 'y', 'z'];

/// Where the root of the chain ends up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Root<const D: usize> {
    /// It stays at the first of the points to start from.
    Fixed,
    /// It moves to this place \[m\].
    At(SVector<f64, D>),
    /// It is free: the tip is dragged to the target and the chain follows, by a forward pass alone.
    Free,
}

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
    /// the target. Two segments take a single cycle, short or well bent chains a fraction of the plain cycles; a long chain that is
    /// nearly stretched saves none, because no joint of it has play enough. In return one joint takes up the whole gap.
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
    /// Where the root shall be.
    pub root: Root<D>,
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
    /// A list is of another length than the chain asks for.
    #[error("the {what} has {found} entries; this chain asks for {expected}, its number of segments and 1")]
    Count {
        /// Which list.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// The scratch was made for another depth of acceleration.
    #[error("the scratch mixes {found} differences, the options ask for {expected}; make one with these options")]
    Depth {
        /// Depth of the scratch.
        found: usize,
        /// Depth that the options ask for.
        expected: usize,
    },
    /// A coordinate of the target is NaN, infinite or too large.
    #[error("coordinate {axis} of the target is {value} m; it must be a finite number within {FARTHEST:e} m")]
    Target {
        /// `x`, `y` or `z`.
        axis: char,
        /// What was given \[m\].
        value: f64,
    },
    /// A coordinate of the place for the root is NaN, infinite or too large.
    #[error("coordinate {axis} of the root is {value} m; it must be a finite number within {FARTHEST:e} m")]
    Root {
        /// `x`, `y` or `z`.
        axis: char,
        /// What was given \[m\].
        value: f64,
    },
    /// A coordinate of a point to start from is NaN, infinite or too large.
    #[error(
        "coordinate {axis} of point {point} (from 0) is {value} m; it must be a finite number within {FARTHEST:e} m"
    )]
    Point {
        /// Index of the point.
        point: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// What was given \[m\].
        value: f64,
    },
    /// The tolerance is not above zero.
    #[error("the tolerance is {value} m; it must be a finite number above 0")]
    Tolerance {
        /// What was given \[m\].
        value: f64,
    },
    /// The movement that counts as none is negative or no number.
    #[error("the movement that counts as a stall is {value} m; it must be a finite number of at least 0")]
    Stall {
        /// What was given \[m\].
        value: f64,
    },
}

/// Why the tip did not get to the target.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// No posture gets there, which is certain. The tip is as near as it can be.
    OutOfReach {
        /// Distance of the target from the root \[m\].
        distance: f64,
        /// Least distance from the root that the tip can have \[m\].
        inner: f64,
        /// Greatest distance from the root that the tip can have \[m\].
        outer: f64,
    },
    /// The tip moved by no more than [`Options::stall`] in a cycle.
    Stalled,
    /// The cycles were used up.
    Cycles,
}

/// Whether the tip got to the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The tip is at the target within the tolerance.
    Solved,
    /// The points are the closest found.
    Closest(Reason),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Solved => f.write_str("solved"),
            Self::Closest(Reason::OutOfReach { distance, inner, outer }) => {
                write!(f, "out of reach: {distance} m from the root, of which the tip gets {inner} to {outer} m")
            }
            Self::Closest(Reason::Stalled) => f.write_str("the tip hardly moves any more"),
            Self::Closest(Reason::Cycles) => f.write_str("the cycles were used up"),
        }
    }
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
            outcome: Outcome::Closest(Reason::Cycles),
        }
    }

    /// Whether `problem` can be put to this chain, in this scratch and with this room for an answer.
    pub(super) fn check(
        &self,
        problem: &Problem<D>,
        scratch: &Scratch<D>,
        solution: &Solution<D>,
    ) -> Result<(), ProblemError> {
        if let Some((axis, value)) = strange(&problem.target) {
            return Err(ProblemError::Target { axis, value });
        }
        if let Root::At(root) = &problem.root
            && let Some((axis, value)) = strange(root)
        {
            return Err(ProblemError::Root { axis, value });
        }
        self.check_points(problem.points)?;
        check_count("scratch", scratch.count(), self.segments() + 1)?;
        check_count("solution", solution.points.len(), self.segments() + 1)?;
        let Options { tolerance, stall, acceleration, .. } = problem.options;
        if !(tolerance.is_finite() && tolerance > 0.0) {
            return Err(ProblemError::Tolerance { value: tolerance });
        }
        if !(stall.is_finite() && stall >= 0.0) {
            return Err(ProblemError::Stall { value: stall });
        }
        if acceleration > 0 && acceleration != scratch.depth() {
            return Err(ProblemError::Depth { found: scratch.depth(), expected: acceleration });
        }
        Ok(())
    }
}

/// The first coordinate of `point` that is NaN, infinite or too large, with its name.
pub(super) fn strange<const D: usize>(point: &SVector<f64, D>) -> Option<(char, f64)> {
    let mut coordinates = AXES.into_iter().zip(point.iter().copied());
    coordinates.find(|(_, value)| value.is_nan() || value.abs() > FARTHEST)
}

/// Whether a list is as long as a chain asks for.
pub(super) fn check_count(what: &'static str, found: usize, expected: usize) -> Result<(), ProblemError> {
    if found == expected { Ok(()) } else { Err(ProblemError::Count { what, found, expected }) }
}
