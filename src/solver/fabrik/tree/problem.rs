//! What the tree is asked and what it answers.

use std::fmt;

use nalgebra::Point3;
use thiserror::Error;

use super::{FARTHEST, Scratch, Tree};

/// Where one point of the tree shall be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Index of the point.
    pub point: usize,
    /// Its place \[m\], in the frame in which all points are given.
    pub position: Point3<f64>,
    /// How much it counts where branches meet: above 0, in relation to the others. Of importance where not all targets can
    /// be met at once.
    pub weight: f64,
}

impl Target {
    /// A target of weight 1.
    #[must_use]
    pub fn new(point: usize, position: Point3<f64>) -> Self {
        Self { point, position, weight: 1.0 }
    }
}

/// What becomes of the root.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Root {
    /// It stays where the seed has it.
    #[default]
    Fixed,
    /// It goes to this place \[m\], and the tree is dragged along.
    At(Point3<f64>),
    /// It goes where the inward pass takes it. It may then have a target like any other point.
    Free,
}

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Distance between a point and its target \[m\] that counts as there.
    pub tolerance: f64,
    /// Cycles at most, over all attempts.
    pub iterations: usize,
    /// Attempts at most after the one from the seed, each from another scattered posture.
    pub restarts: usize,
}

impl Default for Options {
    /// To 1 µm in 3000 cycles, with up to 10 restarts.
    fn default() -> Self {
        Self { tolerance: 1e-6, iterations: 3000, restarts: 10 }
    }
}

/// One question to the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem<'a> {
    /// Targets, one at most for each point.
    pub targets: &'a [Target],
    /// Places of the n points to start from \[m\]. Where they do not fit the lengths, the directions of the segments count.
    pub seed: &'a [Point3<f64>],
    /// What becomes of the root.
    pub root: Root,
    /// How it is solved.
    pub options: Options,
}

/// What makes a question meaningless.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A list is of another length than the tree asks for.
    #[error("the {what} has {found} entries; this tree asks for {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// There is no target.
    #[error("there is no target; there must be at least 1")]
    NoTarget,
    /// A target is for a point that the tree does not have.
    #[error("target {target} is for point {point}; the points are numbered from 0 to {}", .points - 1)]
    UnknownPoint {
        /// Index of the target.
        target: usize,
        /// What was given as its point.
        point: usize,
        /// Points of the tree.
        points: usize,
    },
    /// Two targets are for one point.
    #[error("targets {first} and {second} are both for point {point}")]
    SamePoint {
        /// Index of one target.
        first: usize,
        /// Index of the other.
        second: usize,
        /// Their point.
        point: usize,
    },
    /// A coordinate is NaN, infinite or too large.
    #[error("coordinate {axis} of {what} {index} is {value} m; it must be a finite number within {FARTHEST:e} m")]
    Coordinate {
        /// `target`, `seed point`, or `root` (by the index of its point).
        what: &'static str,
        /// Index in its list.
        index: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// What was given \[m\].
        value: f64,
    },
    /// A weight is not a number from a millionth to a million.
    #[error("the weight of target {target} is {value}; it must be a number from 1e-6 to 1e6")]
    Weight {
        /// Index of the target.
        target: usize,
        /// What was given.
        value: f64,
    },
    /// The tolerance is not above zero.
    #[error("the tolerance is {value} m; it must be a finite number above 0")]
    Tolerance {
        /// What was given \[m\].
        value: f64,
    },
}

/// Why a point did not get to its target.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// No posture gets there, which is certain.
    OutOfReach {
        /// Distance of the target from the root \[m\].
        distance: f64,
        /// Least distance from the root that the point can have \[m\].
        inner: f64,
        /// Greatest distance from the root that the point can have \[m\].
        outer: f64,
    },
    /// No posture meets this target and another one, which is certain.
    Apart {
        /// Index of the other target.
        other: usize,
        /// Distance between the two targets \[m\].
        distance: f64,
        /// Least distance that the two points can have \[m\].
        inner: f64,
        /// Greatest distance that the two points can have \[m\].
        outer: f64,
    },
    /// The cycles were used up, or none brought the points nearer. Whether a solution exists is not known.
    NotConverged,
}

/// Whether a point got to its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The point is at its target within the tolerance.
    Solved,
    /// The point is as near as was found.
    Closest(Reason),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Solved => f.write_str("solved"),
            Self::Closest(Reason::OutOfReach { distance, inner, outer }) => {
                write!(
                    f,
                    "out of reach: {distance:.6} m from the root, of which the point gets {inner:.6} to {outer:.6} m"
                )
            }
            Self::Closest(Reason::Apart { other, distance, inner, outer }) => {
                let points = format_args!("their points can be {inner:.6} to {outer:.6} m apart");
                write!(f, "contradicts target {other}: {distance:.6} m between them, {points}")
            }
            Self::Closest(Reason::NotConverged) => f.write_str("no posture found that gets there"),
        }
    }
}

/// What became of one target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Distance left between point and target \[m\].
    pub distance: f64,
    /// Whether the point got there.
    pub outcome: Outcome,
}

/// The tree's answer. Made by [`Tree::solution`], overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Places of the n points \[m\].
    pub points: Vec<Point3<f64>>,
    /// What became of each target, in the order of the problem's.
    pub residuals: Vec<Residual>,
    /// Cycles taken, over all attempts.
    pub iterations: usize,
    /// Attempts taken after the one from the seed.
    pub restarts: usize,
}

impl Solution {
    /// Whether every target is met. False before the first solve.
    #[must_use]
    pub fn solved(&self) -> bool {
        !self.residuals.is_empty() && self.residuals.iter().all(|residual| residual.outcome == Outcome::Solved)
    }
}

impl Tree {
    /// Room for an answer, to keep and reuse.
    #[must_use]
    pub fn solution(&self) -> Solution {
        let points = self.parents.len();
        let residuals = Vec::with_capacity(points); // a point has one target at most
        Solution { points: vec![Point3::origin(); points], residuals, iterations: 0, restarts: 0 }
    }

    /// Whether `problem` can be put to this tree, in this scratch and with this room for an answer.
    pub(super) fn check(&self, problem: &Problem, scratch: &Scratch, solution: &Solution) -> Result<(), ProblemError> {
        let expected = self.parents.len();
        let lists = [("seed", problem.seed.len()), ("scratch", scratch.points()), ("solution", solution.points.len())];
        for (what, found) in lists {
            if found != expected {
                return Err(ProblemError::Length { what, found, expected });
            }
        }
        for (index, point) in problem.seed.iter().enumerate() {
            check_coordinates("seed point", index, point)?;
        }
        if let Root::At(point) = &problem.root {
            check_coordinates("root", self.root(), point)?;
        }
        if problem.targets.is_empty() {
            return Err(ProblemError::NoTarget);
        }
        for target in 0..problem.targets.len() {
            self.check_target(problem.targets, target)?;
        }
        let value = problem.options.tolerance;
        if value.is_finite() && value > 0.0 { Ok(()) } else { Err(ProblemError::Tolerance { value }) }
    }

    fn check_target(&self, targets: &[Target], index: usize) -> Result<(), ProblemError> {
        let target = &targets[index];
        let (point, points) = (target.point, self.parents.len());
        if point >= points {
            return Err(ProblemError::UnknownPoint { target: index, point, points });
        }
        if let Some(first) = targets[..index].iter().position(|earlier| earlier.point == point) {
            return Err(ProblemError::SamePoint { first, second: index, point });
        }
        if !(1e-6..=1e6).contains(&target.weight) {
            return Err(ProblemError::Weight { target: index, value: target.weight });
        }
        check_coordinates("target", index, &target.position)
    }
}

fn check_coordinates(what: &'static str, index: usize, point: &Point3<f64>) -> Result<(), ProblemError> {
    for (axis, &value) in ['x', 'y', 'z'].into_iter().zip(&point.coords) {
        if value.is_nan() || value.abs() > FARTHEST {
            return Err(ProblemError::Coordinate { what, index, axis, value });
        }
    }
    Ok(())
}
