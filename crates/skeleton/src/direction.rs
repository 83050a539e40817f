//! Directions of segments, also where two points are in one place.

use nalgebra::{Point3, Vector3};

/// Squares of shorter vectors \[m\] lose digits to underflow.
const MIN_NORM: f64 = 1e-140;

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
    if distance > MIN_NORM {
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
    if norm > MIN_NORM {
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
