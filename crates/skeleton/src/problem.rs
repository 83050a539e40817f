//! What is asked of a skeleton.

use std::time::Duration;

use nalgebra::{Isometry3, Point3, UnitQuaternion};

use super::joint::is_in_plane;
use super::{Configuration, Skeleton};
use urdf_ik_mathematics::segments::{
    Element, InputError, Refusal, check_any, check_coordinates, check_positive, check_rotation, require,
};

/// The desired position of one point of a skeleton, and the desired orientation of the segment that ends there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Index of the point: 0 is the root, k + 1 the end of segment k. It need not be an end of the skeleton.
    pub point: usize,
    /// Its position \[m\], in the frame in which all points are given.
    pub position: Point3<f64>,
    /// The orientation of the segment that ends there (at the root, of the root's frame); `None` for any.
    pub orientation: Option<UnitQuaternion<f64>>,
    /// Its weight against the other targets, above 0. It matters where not all can be met at once.
    pub weight: f64,
}

impl Target {
    /// A target of weight 1 for a position.
    pub fn new(point: usize, position: Point3<f64>) -> Self {
        Self { point, position, orientation: None, weight: 1.0 }
    }

    /// The target with an orientation.
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
    /// Number of past differences for Anderson acceleration; 0 is the algorithm as published.
    pub acceleration: usize,
    /// Whether the backward pass closes a chain by a circle where it can. See [`super`], "Circles".
    pub circles: bool,
    /// Whether cycles that have stalled are followed by least squares. See [`super`], "Polish".
    pub polish: bool,
    /// After this time no further attempt begins, and no further cycle; the answer is then not the same on every
    /// machine.
    pub time_limit: Option<Duration>,
}

impl Options {
    /// Options for a drag, whose seed is the answer before: with 50 restarts, figures that are dragged beyond their
    /// reach answer in 20 ms.
    pub fn of_a_drag() -> Self {
        Self { restarts: 50, ..Self::default() }
    }

    /// Whether a target counts as met at this distance \[m\] and this angle \[rad\].
    pub fn allow(&self, distance: f64, angle: f64) -> bool {
        distance <= self.tolerance && angle <= self.orientation_tolerance
    }
}

impl Default for Options {
    /// To 1 µm and 1 µrad in 5000 cycles, with up to 200 restarts, 5 differences, no circles, with polish, in any time.
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            orientation_tolerance: 1e-6,
            iterations: 5000,
            restarts: 200,
            acceleration: 5,
            circles: false,
            polish: true,
            time_limit: None,
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
    /// The configuration to start from. Where its points do not fit the lengths, the directions of the segments count;
    /// rotations that a joint does not allow are moved to those that it does.
    pub seed: &'a Configuration,
    /// How it is solved.
    pub options: Options,
}

impl Problem<'_> {
    /// Checks that the problem is valid for `skeleton`.
    pub(super) fn check(&self, skeleton: &Skeleton) -> Result<(), InputError> {
        skeleton.check_configuration(self.seed)?;
        if let Root::At(place) = &self.root {
            check_coordinates("the root", place.translation.vector.as_slice())?;
            check_rotation("the orientation of the root", &place.rotation)?;
        }
        check_any("target", self.targets.len())?;
        for index in 0..self.targets.len() {
            self.check_target(index, skeleton.segment_count())?;
        }
        check_positive("the tolerance", self.options.tolerance, " m")?;
        check_positive("the orientation tolerance", self.options.orientation_tolerance, " rad")?;
        if skeleton.is_planar() { self.check_in_plane() } else { Ok(()) }
    }

    fn check_target(&self, index: usize, last: usize) -> Result<(), InputError> {
        let Target { point, position, orientation, weight } = &self.targets[index];
        let (target, point) = (index, *point);
        require(point <= last, || Refusal::UnknownPoint { target, point, last })?;
        if let Some(first) = self.targets[..index].iter().position(|earlier| earlier.point == point) {
            return Err(InputError(Refusal::SamePoint { first, second: index, point }));
        }
        check_coordinates(("target", index), position.coords.as_slice())?;
        if let Some(orientation) = orientation {
            check_rotation(("the orientation of target", index), orientation)?;
        }
        let (element, right) = (("the weight of target", index).into(), "a number from 1e-6 to 1e6");
        require((1e-6..=1e6).contains(weight), || Refusal::Number { element, value: *weight, unit: "", right })
    }

    fn check_in_plane(&self) -> Result<(), InputError> {
        let check = |element: Element, point: &Point3<f64>, turn: Option<&UnitQuaternion<f64>>| {
            require(point.z == 0.0 && turn.is_none_or(is_in_plane), || Refusal::Plane(element))
        };
        for (index, target) in self.targets.iter().enumerate() {
            check(("target", index).into(), &target.position, target.orientation.as_ref())?;
        }
        for (index, point) in self.seed.points.iter().enumerate() {
            check(("seed point", index).into(), point, self.seed.orientations.get(index))?;
        }
        match &self.root {
            Root::At(at) => check("the root".into(), &at.translation.vector.into(), Some(&at.rotation)),
            Root::Fixed | Root::Free => Ok(()),
        }
    }
}
