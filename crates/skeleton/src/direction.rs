//! Directions of segments, including degenerate ones.

use nalgebra::{Point3, Vector3};

/// Squares of shorter vectors underflow \[m\].
const MIN_LENGTH: f64 = 1e-140;

/// The point at distance `length` from `anchor` in the direction of the point `towards`; if that coincides with
/// `anchor`, in the direction `fallback`, or along x if that is zero.
#[inline(always)] // Latency-bound: a call would cost a tenth of a cycle.
pub(super) fn place(
    anchor: &Point3<f64>,
    length: f64,
    towards: &Point3<f64>,
    fallback: impl FnOnce() -> Vector3<f64>,
) -> Point3<f64> {
    let offset = towards - anchor;
    let distance = offset.norm();
    if distance > MIN_LENGTH {
        return anchor + offset * (length / distance);
    }
    anchor + short_direction(&offset, &fallback()) * length
}

/// The direction of a tiny vector, or of the fallback, or x.
#[cold]
fn short_direction(vector: &Vector3<f64>, fallback: &Vector3<f64>) -> Vector3<f64> {
    unit(vector).or_else(|| unit(fallback)).unwrap_or_else(Vector3::x)
}

/// The unit vector in the direction of `vector`; `None` if it is zero.
pub(super) fn unit(vector: &Vector3<f64>) -> Option<Vector3<f64>> {
    let norm = vector.norm();
    if norm > MIN_LENGTH {
        return Some(vector / norm);
    }
    let largest = vector.amax();
    (largest > 0.0).then(|| (vector / largest).normalize())
}

/// A unit vector perpendicular to the unit vector `direction`: its projection to the xy plane after a quarter turn
/// counterclockwise, or x if that vanishes.
pub(super) fn perpendicular(direction: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(-direction.y, direction.x, 0.0).try_normalize(1e-6).unwrap_or_else(Vector3::x)
}
