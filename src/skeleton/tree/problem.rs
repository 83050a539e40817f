//! The problem and the solution of a tree.

use nalgebra::Point3;
use thiserror::Error;

use super::{Element, InputError, Outcome, Root, Scratch, Tree};
use crate::skeleton::segments::{check_coordinates, check_count, check_tolerance};

/// The desired position of one point of the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Index of the point.
    pub point: usize,
    /// Its position \[m\], in the frame in which all points are given.
    pub position: Point3<f64>,
    /// Its weight against the other targets where branches meet, above 0. It matters where not all targets can be met at once.
    pub weight: f64,
}

impl Target {
    /// A target of weight 1.
    #[must_use]
    pub fn new(point: usize, position: Point3<f64>) -> Self {
        Self { point, position, weight: 1.0 }
    }
}

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Largest distance between a point and its target \[m\] at which the target counts as met.
    pub tolerance: f64,
    /// Largest number of cycles, over all attempts.
    pub iterations: usize,
    /// Largest number of attempts after the one from the seed, each from another scattered configuration.
    pub restarts: usize,
}

impl Default for Options {
    /// To 1 µm in 3000 cycles, with up to 10 restarts.
    fn default() -> Self {
        Self { tolerance: 1e-6, iterations: 3000, restarts: 10 }
    }
}

/// One problem for the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem<'a> {
    /// Targets, one at most for each point.
    pub targets: &'a [Target],
    /// Positions of the n points to start from \[m\]. Where they do not fit the lengths, the directions of the segments count.
    pub seed: &'a [Point3<f64>],
    /// Where the root belongs. A free root stays where the inward pass moves it, and may have a target like any other point.
    pub root: Root<Point3<f64>>,
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
    /// A target is for a point that the tree does not have.
    #[error("target {target} is for point {point}; the points are numbered from 0 to {}", .points - 1)]
    UnknownPoint {
        /// Index of the target.
        target: usize,
        /// The given value as its point.
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
    /// A weight is not a number from a millionth to a million.
    #[error("the weight of target {target} is {value}; it must be a number from 1e-6 to 1e6")]
    Weight {
        /// Index of the target.
        target: usize,
        /// The given value.
        value: f64,
    },
}

/// The result for one target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Distance between point and target \[m\].
    pub distance: f64,
    /// Whether the point reached its target.
    pub outcome: Outcome,
}

/// The tree's answer. Made by [`Tree::solution`], overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Positions of the n points \[m\].
    pub points: Vec<Point3<f64>>,
    /// The result for each target, in the order of the problem's targets.
    pub residuals: Vec<Residual>,
    /// Number of cycles, over all attempts.
    pub iterations: usize,
    /// Number of attempts after the one from the seed.
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
    /// Memory for an answer.
    #[must_use]
    pub fn solution(&self) -> Solution {
        let points = self.parents.len();
        let residuals = Vec::with_capacity(points); // a point has one target at most
        Solution { points: vec![Point3::origin(); points], residuals, iterations: 0, restarts: 0 }
    }

    /// Checks that `problem` is valid for this tree, with this scratch and this solution.
    pub(super) fn check(&self, problem: &Problem, scratch: &Scratch, solution: &Solution) -> Result<(), ProblemError> {
        let expected = self.parents.len();
        check_count("seed", problem.seed.len(), expected)?;
        check_count("scratch", scratch.points(), expected)?;
        check_count("solution", solution.points.len(), expected)?;
        for (index, point) in problem.seed.iter().enumerate() {
            check_coordinates(Element::of("seed point", index), point.coords.as_slice())?;
        }
        if let Root::At(place) = &problem.root {
            check_coordinates("root", place.coords.as_slice())?;
        }
        if problem.targets.is_empty() {
            return Err(InputError::Empty { what: "target" }.into());
        }
        for target in 0..problem.targets.len() {
            self.check_target(problem.targets, target)?;
        }
        Ok(check_tolerance(problem.options.tolerance)?)
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
        Ok(check_coordinates(Element::of("target", index), target.position.coords.as_slice())?)
    }
}
