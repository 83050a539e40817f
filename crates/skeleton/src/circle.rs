//! The intersection of two spheres.

use nalgebra::{Point3, Vector3};

use super::direction::{perpendicular, unit};

/// Points closer to the axis than this fraction of their distance from the centre count as on it.
const AXIS_TOLERANCE: f64 = 1e-12;

/// A circle in space: the points at distance `radius` from `centre`, in the plane normal to `normal`. In a planar
/// skeleton it is two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    /// Centre \[m\], in the common frame of all points.
    pub centre: Point3<f64>,
    /// Unit normal of its plane, in the same frame.
    pub normal: Vector3<f64>,
    /// Radius \[m\]; 0 if the spheres touch.
    pub radius: f64,
}

impl Circle {
    /// The point \[m\] of the circle nearest to `point` \[m\]. If `point` is on the axis, where all points of the
    /// circle are equally near, it is an arbitrary fixed one.
    pub fn nearest(&self, point: &Point3<f64>) -> Point3<f64> {
        let offset = point - self.centre;
        let across = offset - self.normal * self.normal.dot(&offset);
        // Near the axis the result is dominated by rounding errors; the second projection makes it perpendicular.
        let across = across - self.normal * self.normal.dot(&across);
        let direction = unit(&across).filter(|_| across.norm() > AXIS_TOLERANCE * offset.norm());
        self.centre + direction.unwrap_or_else(|| perpendicular(&self.normal)) * self.radius
    }
}

/// The circle in which the spheres about the points `a` and `b` \[m\] with radii `a_radius` and `b_radius` \[m\]
/// intersect; `None` if they do not intersect or are concentric.
///
/// A joint between two known joints is on this circle: the radii are the lengths of its two segments. In conformal
/// geometric algebra the circle is the outer product of two dual spheres, as used with FABRIK (Aristidou and Lasenby
/// 2011, "Inverse kinematics solutions using conformal geometric algebra"); in coordinates it is the law of cosines.
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
pub fn circle_between(a: &Point3<f64>, a_radius: f64, b: &Point3<f64>, b_radius: f64) -> Option<Circle> {
    let offset = b - a;
    let distance = offset.norm();
    let meets = distance <= a_radius + b_radius && distance >= (a_radius - b_radius).abs();
    let normal = unit(&offset).filter(|_| meets)?;
    // The distance of the circle's plane from a; this form cancels only once.
    let along = 0.5 * (distance + (a_radius - b_radius) * (a_radius + b_radius) / distance);
    let radius = ((a_radius - along) * (a_radius + along)).max(0.0).sqrt();
    Some(Circle { centre: a + normal * along, normal, radius })
}
