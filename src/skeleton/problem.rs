//! What is asked of a skeleton.

use nalgebra::{Isometry3, Point3, UnitQuaternion};
use thiserror::Error;

use super::configuration::Configuration;
use super::joint::is_in_plane;
use super::tree::Skeleton;
use crate::segments::{Element, InputError, check_coordinates, check_rotation, check_tolerance};

/// The desired position of one point of a skeleton, and the desired orientation of the segment that ends there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Index of the point: 0 is the root, k + 1 the end of segment k. It need not be an end of the skeleton.
    pub point: usize,
    /// Its position \[m\], in the frame in which all points are given.
    pub position: Point3<f64>,
    /// The orientation of the segment that ends there (at the root, of the root's frame), in the same frame; `None` for any.
    pub orientation: Option<UnitQuaternion<f64>>,
    /// Its weight against the other targets where branches meet, above 0. It matters where not all targets can be met at once.
    pub weight: f64,
}

impl Target {
    /// A target of weight 1 for a position.
    #[must_use]
    pub fn new(point: usize, position: Point3<f64>) -> Self {
        Self { point, position, orientation: None, weight: 1.0 }
    }

    /// The same target with an orientation.
    #[must_use]
    pub fn with_orientation(self, orientation: UnitQuaternion<f64>) -> Self {
        Self { orientation: Some(orientation), ..self }
    }
}

/// Where the root of a skeleton belongs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Root {
    /// It stays where it is in the configuration to start from.
    #[default]
    Fixed,
    /// Its frame moves here (position in \[m\]), and the rest follows.
    At(Isometry3<f64>),
    /// It is free: it stays where the forward pass moves and turns it, and may have a target like any other point.
    Free,
}

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Largest distance between a point and its target \[m\] at which the target counts as met; above 0.
    pub tolerance: f64,
    /// Largest angle between an orientation and its target \[rad\] at which the target counts as met; above 0.
    pub orientation_tolerance: f64,
    /// Largest number of cycles, over all attempts. A step of the polish counts as one.
    pub iterations: usize,
    /// Largest number of attempts after the one from the seed, each from another scattered configuration.
    pub restarts: usize,
    /// Number of differences between past cycles for Anderson acceleration. 0 is the algorithm as published. A skeleton with a free root
    /// is never accelerated.
    pub acceleration: usize,
    /// Whether the backward pass closes a chain by the circle between two joints where it can. See [`super`], "Circles".
    pub circles: bool,
    /// Whether an attempt whose cycles have stalled goes on by damped least squares. See [`super`], "Polish".
    pub polish: bool,
}

impl Default for Options {
    /// To 1 µm and 1 µrad in 5000 cycles, with up to 50 restarts, 5 differences, no circles, with polish.
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            orientation_tolerance: 1e-6,
            iterations: 5000,
            restarts: 50,
            acceleration: 5,
            circles: false,
            polish: true,
        }
    }
}

/// One problem for a skeleton.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem<'a> {
    /// Targets, one at most for each point.
    pub targets: &'a [Target],
    /// Where the root belongs.
    pub root: Root,
    /// The configuration to start from. Where its points do not fit the lengths, the directions of the segments count; rotations
    /// that a joint does not allow are moved to those that it does.
    pub seed: &'a Configuration,
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
    /// A target is for a point that the skeleton does not have.
    #[error("target {target} is for point {point}; the points are numbered from 0 to {last}")]
    UnknownPoint {
        /// Index of the target.
        target: usize,
        /// The given value as its point.
        point: usize,
        /// Index of the last point.
        last: usize,
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
    /// The tolerance of orientations is not above zero.
    #[error("the orientation tolerance is {value} rad; it must be a finite number above 0")]
    OrientationTolerance {
        /// The given value \[rad\].
        value: f64,
    },
    /// Something is not in the plane of a skeleton in the plane.
    #[error("{element} leaves the plane; there z is 0, and rotations are about z")]
    Plane {
        /// What it is.
        element: Element,
    },
}

impl Problem<'_> {
    /// Checks that the problem is valid for `skeleton`.
    pub(super) fn check(&self, skeleton: &Skeleton) -> Result<(), ProblemError> {
        skeleton.check_configuration(self.seed)?;
        if let Root::At(place) = &self.root {
            check_coordinates("root", place.translation.vector.as_slice())?;
            check_rotation("orientation of the root", &place.rotation)?;
        }
        if self.targets.is_empty() {
            return Err(InputError::Empty { what: "target" }.into());
        }
        for target in 0..self.targets.len() {
            self.check_target(target, skeleton.segment_count())?;
        }
        check_tolerance(self.options.tolerance)?;
        let angle = self.options.orientation_tolerance;
        if !(angle.is_finite() && angle > 0.0) {
            return Err(ProblemError::OrientationTolerance { value: angle });
        }
        if skeleton.is_planar() { self.check_in_plane() } else { Ok(()) }
    }

    fn check_target(&self, index: usize, last: usize) -> Result<(), ProblemError> {
        let Target { point, position, orientation, weight } = &self.targets[index];
        let point = *point;
        if point > last {
            return Err(ProblemError::UnknownPoint { target: index, point, last });
        }
        if let Some(first) = self.targets[..index].iter().position(|earlier| earlier.point == point) {
            return Err(ProblemError::SamePoint { first, second: index, point });
        }
        check_coordinates(Element::of("target", index), position.coords.as_slice())?;
        if let Some(orientation) = orientation {
            check_rotation(Element::of("the orientation of target", index), orientation)?;
        }
        if !(1e-6..=1e6).contains(weight) {
            return Err(ProblemError::Weight { target: index, value: *weight });
        }
        Ok(())
    }

    fn check_in_plane(&self) -> Result<(), ProblemError> {
        let place = |element: Element, point: Option<&Point3<f64>>, turn: Option<&UnitQuaternion<f64>>| {
            let is_inside = point.is_none_or(|point| point.z == 0.0) && turn.is_none_or(is_in_plane);
            if is_inside { Ok(()) } else { Err(ProblemError::Plane { element }) }
        };
        for (index, target) in self.targets.iter().enumerate() {
            place(Element::of("target", index), Some(&target.position), target.orientation.as_ref())?;
        }
        for (index, point) in self.seed.points.iter().enumerate() {
            place(Element::of("seed point", index), Some(point), self.seed.orientations.get(index))?;
        }
        match &self.root {
            Root::At(at) => place("root".into(), Some(&at.translation.vector.into()), Some(&at.rotation)),
            Root::Fixed | Root::Free => Ok(()),
        }
    }
}
