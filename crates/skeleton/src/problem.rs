//! Problems for skeletons.

use std::time::Duration;

use nalgebra::{Isometry3, Point3, UnitQuaternion};

use super::joint::is_in_plane;
use super::{Skeleton, SkeletonConfiguration};
use urdf_ik_mathematics::segments::{
    Element, InputError, InputErrorKind, check_any, check_coordinates, check_positive, check_rotation, require,
};
use urdf_ik_text::setters;

/// The target position of a point, and optionally the target orientation of the segment that ends there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkeletonTarget {
    /// Index of the point: 0 is the root, k + 1 the end of segment k. It need not be a leaf.
    pub point: usize,
    /// Target position \[m\], in the common frame of all points.
    pub position: Point3<f64>,
    /// Target orientation, in the common frame, of the segment that ends at the point (of the root frame, if the point
    /// is the root); `None` if arbitrary.
    pub orientation: Option<UnitQuaternion<f64>>,
    /// Weight relative to the other targets, from 1e-6 to 1e6. It matters if the targets cannot all be met.
    pub weight: f64,
}

impl SkeletonTarget {
    /// A position target of weight 1. `point` is as in [`Self::point`], `position` \[m\] in the common frame.
    pub fn new(point: usize, position: Point3<f64>) -> Self {
        Self { point, position, orientation: None, weight: 1.0 }
    }

    /// The target with an orientation in the common frame.
    #[must_use]
    pub fn with_orientation(self, orientation: UnitQuaternion<f64>) -> Self {
        Self { orientation: Some(orientation), ..self }
    }
}

/// The constraint on the root of a skeleton. The variants are complete: the root is fixed, placed or free.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Root {
    /// The root has the pose of the seed.
    #[default]
    Fixed,
    /// The root frame is moved to this pose \[m\] in the common frame.
    At(Isometry3<f64>),
    /// The root moves freely with the forward pass, and may have a target like any other point.
    Free,
}

/// Solver options.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct SkeletonOptions {
    /// Position tolerance of targets \[m\]; positive.
    pub tolerance: f64,
    /// Orientation tolerance of targets \[rad\]; positive.
    pub orientation_tolerance: f64,
    /// Maximum total number of cycles of all attempts. A polish step is one cycle.
    pub iterations: usize,
    /// Maximum number of restarts after the attempt from the seed, each from another scattered configuration.
    pub restarts: usize,
    /// History depth of Anderson acceleration; 0 for plain FABRIK.
    pub acceleration: usize,
    /// True if the backward pass may close a chain by a circle. See the [crate](crate) documentation, "Circles".
    pub circles: bool,
    /// True if least squares refines stalled cycles. See the [crate](crate) documentation, "Polish".
    pub polish: bool,
    /// Time after which no attempt or cycle starts; `None` if unlimited. With a limit, results depend on the machine.
    pub time_limit: Option<Duration>,
}

impl SkeletonOptions {
    /// Options for dragging, with the previous solution as seed. The 50 restarts let skeletons that are dragged out of
    /// reach respond within 20 ms.
    pub fn for_drag() -> Self {
        Self { restarts: 50, ..Self::default() }
    }

    setters! {
        with_tolerance(tolerance: f64);
        with_orientation_tolerance(orientation_tolerance: f64);
        with_iterations(iterations: usize);
        with_restarts(restarts: usize);
        with_acceleration(acceleration: usize);
        with_circles(circles: bool);
        with_polish(polish: bool);
        with_time_limit(time_limit: Option<Duration>);
    }

    /// True if a target with this `distance` \[m\] and `angle` \[rad\] is met.
    pub fn allow(&self, distance: f64, angle: f64) -> bool {
        distance <= self.tolerance && angle <= self.orientation_tolerance
    }
}

impl Default for SkeletonOptions {
    /// 1 µm, 1 µrad, 5000 cycles, 200 restarts, acceleration of depth 5, no circles, with polish, no time limit.
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

/// A problem for a skeleton.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkeletonProblem<'a> {
    /// Targets, at most one per point.
    pub targets: &'a [SkeletonTarget],
    /// Constraint on the root.
    pub root: Root,
    /// The initial configuration. If its points do not fit the segment lengths, only the directions of the segments are
    /// used; rotations outside joint limits are replaced by the nearest permitted ones.
    pub seed: &'a SkeletonConfiguration,
    /// Solver options.
    pub options: SkeletonOptions,
}

impl SkeletonProblem<'_> {
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
        let SkeletonTarget { point, position, orientation, weight } = &self.targets[index];
        let (target, point) = (index, *point);
        require(point <= last, || InputErrorKind::UnknownPoint { target, point, last })?;
        if let Some(first) = self.targets[..index].iter().position(|earlier| earlier.point == point) {
            return Err(InputError(InputErrorKind::SamePoint { first, second: index, point }));
        }
        check_coordinates(("target", index), position.coords.as_slice())?;
        if let Some(orientation) = orientation {
            check_rotation(("the orientation of target", index), orientation)?;
        }
        let (element, right) = (("the weight of target", index).into(), "a number from 1e-6 to 1e6");
        require((1e-6..=1e6).contains(weight), || InputErrorKind::Number { element, value: *weight, unit: "", right })
    }

    fn check_in_plane(&self) -> Result<(), InputError> {
        let check = |element: Element, point: &Point3<f64>, turn: Option<&UnitQuaternion<f64>>| {
            require(point.z == 0.0 && turn.is_none_or(is_in_plane), || InputErrorKind::Plane(element))
        };
        for (index, target) in self.targets.iter().enumerate() {
            check(("target", index).into(), &target.position, target.orientation.as_ref())?;
        }
        for (index, point) in self.seed.points.iter().enumerate() {
            check(("seed point", index).into(), point, self.seed.orientations.get(index))?;
        }
        let Root::At(root) = &self.root else { return Ok(()) };
        check("the root".into(), &root.translation.vector.into(), Some(&root.rotation))
    }
}
