//! Chains of free segments: directions, chains that lie in a line, and the circle that closes one.

use std::f64::consts::{FRAC_2_PI, PI};

use nalgebra::{Point3, Vector3};

use super::tree::Skeleton;
use urdf_ik_mathematics::segments::Reach;

/// Squares of shorter vectors \[m\] lose digits to underflow.
const LEAST_NORM: f64 = 1e-140;

/// The point at `length` from `anchor` towards the point `towards`; where that is `anchor` itself, in the direction
/// `fallback`, or where that is no direction either, along x.
#[inline(always)] // Each point waits for the one before: a call would cost a tenth of a cycle.
pub(super) fn place(
    anchor: &Point3<f64>,
    length: f64,
    towards: &Point3<f64>,
    fallback: impl FnOnce() -> Vector3<f64>,
) -> Point3<f64> {
    let offset = towards - anchor;
    let distance = offset.norm();
    if distance > LEAST_NORM {
        return anchor + offset * (length / distance);
    }
    anchor + short_direction(&offset, &fallback()) * length
}

/// The direction of a vector that is next to nothing, or of another one, or x.
#[cold]
fn short_direction(vector: &Vector3<f64>, fallback: &Vector3<f64>) -> Vector3<f64> {
    unit(vector).or_else(|| unit(fallback)).unwrap_or_else(Vector3::x)
}

/// The unit vector in the direction of `vector`, unless that is zero.
pub(super) fn unit(vector: &Vector3<f64>) -> Option<Vector3<f64>> {
    let norm = vector.norm();
    if norm > LEAST_NORM {
        return Some(vector / norm);
    }
    let largest = vector.amax();
    (largest > 0.0).then(|| (vector / largest).normalize())
}

/// A unit vector at right angles to the unit vector `direction`: in the plane of x and y, a quarter turn
/// counterclockwise from where `direction` points in that plane, and x where it does not.
pub(super) fn perpendicular(direction: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(-direction.y, direction.x, 0.0).try_normalize(1e-6).unwrap_or_else(Vector3::x)
}

/// Points nearer to the axis than this fraction of their distance from the centre count as on it.
const ON_AXIS: f64 = 1e-12;

/// A circle in space: all points at `radius` from `centre`, at right angles to `normal`. In the plane it is the two
/// points in which that line cuts a circle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    /// Its centre \[m\].
    pub centre: Point3<f64>,
    /// Unit vector at right angles to it.
    pub normal: Vector3<f64>,
    /// Its radius \[m\]; 0 where the spheres touch.
    pub radius: f64,
}

impl Circle {
    /// The point of the circle that is nearest to `point` \[m\]. For a point of the axis, to which all are equally
    /// near, it is always the same one.
    #[must_use]
    pub fn nearest(&self, point: &Point3<f64>) -> Point3<f64> {
        let offset = point - self.centre;
        let across = offset - self.normal * self.normal.dot(&offset);
        // Next to the axis the result is mostly rounding, which may not be perpendicular to it: hence a second time.
        let across = across - self.normal * self.normal.dot(&across);
        let direction = unit(&across).filter(|_| across.norm() > ON_AXIS * offset.norm());
        self.centre + direction.unwrap_or_else(|| perpendicular(&self.normal)) * self.radius
    }
}

/// The circle in which the spheres about two points `a` and `b` \[m\] with radii `a_radius` and `b_radius` \[m\] meet,
/// or `None` where they do not meet or have one centre.
///
/// A joint between two joints that are known lies on it, its segments being the radii. In conformal geometric algebra
/// the circle is the outer product of two dual spheres, which is how it came to FABRIK (Aristidou and Lasenby 2011,
/// "Inverse kinematics solutions using conformal geometric algebra"); in coordinates it is the law of cosines.
///
/// ```
/// use nalgebra::Point3;
/// use urdf_ik_skeleton::circle_between;
/// let (shoulder, wrist) = (Point3::origin(), Point3::new(0.8, 0.0, 0.0));
/// let circle = circle_between(&shoulder, 0.5, &wrist, 0.5).unwrap();
/// assert!((circle.radius - 0.3).abs() < 1e-12);
/// let elbow = circle.nearest(&Point3::new(0.1, 0.0, -0.2));
/// assert!((elbow - Point3::new(0.4, 0.0, -0.3)).norm() < 1e-12);
/// ```
#[must_use]
pub fn circle_between(a: &Point3<f64>, a_radius: f64, b: &Point3<f64>, b_radius: f64) -> Option<Circle> {
    let offset = b - a;
    let distance = offset.norm();
    let meets = distance <= a_radius + b_radius && distance >= (a_radius - b_radius).abs();
    let normal = unit(&offset).filter(|_| meets)?;
    // Where a's sphere meets the line of centres' perpendicular; nearly equal numbers are subtracted only once.
    let along = 0.5 * (distance + (a_radius - b_radius) * (a_radius + b_radius) / distance);
    let radius = ((a_radius - along) * (a_radius + along)).max(0.0).sqrt();
    Some(Circle { centre: a + normal * along, normal, radius })
}

/// A chain that has stalled lies in a line with its target if no point is farther from it than this fraction of the
/// reach.
const LINE: f64 = 1e-6;
/// Largest height of the first arc, as a fraction of the reach. Each further one is twice as high.
const BEND: f64 = 1e-2;

impl Skeleton {
    /// Lays a chain straight from its root, where `target` is beyond the limits of its `reach`, or nearer to them than
    /// `tolerance` \[m\]: stretched, or with its longest segment towards the target and all others back. Returns
    /// whether it is. Cycles would get no nearer, or converge slowly to the straight chain.
    pub(super) fn lay_straight(
        &self,
        target: &Point3<f64>,
        reach: &Reach,
        tolerance: f64,
        points: &mut [Point3<f64>],
    ) -> bool {
        let (root, count) = (points[0], self.segment_count());
        let offset = target - root;
        let distance = offset.norm();
        let sign = if distance >= reach.outer - tolerance {
            1.0
        } else if distance <= reach.inner + tolerance && reach.inner > 0.0 {
            -1.0
        } else {
            return false;
        };
        let direction = unit(&offset).or_else(|| unit(&(points[count] - root))).unwrap_or_else(Vector3::x);
        let longest = (0..count).fold(0, |a, b| if self.lengths[b] > self.lengths[a] { b } else { a });
        let mut along = 0.0;
        for (segment, length) in self.lengths.iter().enumerate() {
            along += if segment == longest { *length } else { sign * length };
            points[segment + 1] = root + direction * along;
        }
        true
    }

    /// Bends a chain that lies in one line with its `target` into a flat arc, always to the same side: `bends` times
    /// twice as high as the missing distance needs. Returns whether it lies in such a line.
    pub(super) fn bend(&self, target: &Point3<f64>, reach: &Reach, bends: u32, points: &mut [Point3<f64>]) -> bool {
        let Some(direction) = line(points, target, LINE * reach.outer) else { return false };
        let error = (target - points[self.segment_count()]).norm();
        // The height of the arc of a sine that is longer than its chord by the error.
        let height = f64::from(1 << bends) * (FRAC_2_PI * (reach.outer * error).sqrt()).min(BEND * reach.outer);
        let across = perpendicular(&direction);
        let (mut along, mut was_start, mut bow_start) = (0.0, points[0], 0.0);
        for (segment, length) in self.lengths.iter().enumerate() {
            along += length;
            let was = points[segment + 1];
            let bow = height * (PI * along / reach.outer).sin();
            let towards = points[segment] + (was - was_start) + across * (bow - bow_start);
            points[segment + 1] = place(&points[segment], *length, &towards, || direction);
            (was_start, bow_start) = (was, bow);
        }
        true
    }
}

/// Direction of the line in which all of `points` and `target` lie within `slack` \[m\], if there is one.
fn line(points: &[Point3<f64>], target: &Point3<f64>, slack: f64) -> Option<Vector3<f64>> {
    let offsets = || points.iter().chain([target]).map(|point| point - points[0]);
    let farthest = offsets().fold(Vector3::zeros(), |farthest: Vector3<f64>, offset| {
        if offset.norm_squared() > farthest.norm_squared() { offset } else { farthest }
    });
    let direction = unit(&farthest)?;
    offsets().all(|offset| (offset - direction * direction.dot(&offset)).norm() <= slack).then_some(direction)
}
