//! Checks of numbers and lists from the caller, and the one error of all of them.

use std::fmt::Display;

use nalgebra::{Unit, UnitQuaternion, Vector3};
use thiserror::Error;

use super::FARTHEST;
use crate::names::number;

/// How far the length of a quaternion may be from 1.
const UNIT_TOLERANCE: f64 = 1e-9;

/// Why a model of segments, or a problem for one, is refused: a sentence that names what is wrong and what would be
/// right.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct InputError(pub(crate) String);

/// Refuses what does not hold, with the sentence of `reason`.
pub(crate) fn require(holds: bool, reason: impl FnOnce() -> String) -> Result<(), InputError> {
    if holds { Ok(()) } else { Err(InputError(reason())) }
}

/// Checks that a list has the length that a model needs.
pub(crate) fn check_count(what: &str, found: usize, expected: usize) -> Result<(), InputError> {
    require(found == expected, || format!("the {what} has {found} entries; it must have {expected}"))
}

/// Checks that a model or a problem has at least one part such as a `segment`.
pub(crate) fn check_any(what: &str, count: usize) -> Result<(), InputError> {
    require(count > 0, || format!("there is no {what}; there must be at least 1"))
}

/// Checks that the length of `element` \[m\] is finite and at least 0.
pub(crate) fn check_length(element: impl Display, value: f64) -> Result<(), InputError> {
    require(value.is_finite() && value >= 0.0, || {
        format!("{element} is {} m long; it must be a finite number of at least 0", number(value))
    })
}

/// Checks that `value`, in `unit`, is finite and above 0.
pub(crate) fn check_positive(what: impl Display, value: f64, unit: &str) -> Result<(), InputError> {
    require(value.is_finite() && value > 0.0, || {
        format!("{what} is {} {unit}; it must be a finite number above 0", number(value))
    })
}

/// Checks that lengths whose sum is `total` \[m\] leave squares of distances their precision.
pub(crate) fn check_total(total: f64) -> Result<(), InputError> {
    require(total <= FARTHEST, || {
        format!("the segments are {} m long together; they must be within {FARTHEST:e} m", number(total))
    })
}

/// Checks that all `coordinates` of `element` \[m\], two or three, are finite and not too large.
pub(crate) fn check_coordinates(element: impl Display, coordinates: &[f64]) -> Result<(), InputError> {
    for (axis, value) in ['x', 'y', 'z'].into_iter().zip(coordinates) {
        require(value.abs() <= FARTHEST, || {
            let value = number(*value);
            format!("coordinate {axis} of {element} is {value} m; it must be a finite number within {FARTHEST:e} m")
        })?;
    }
    Ok(())
}

/// The direction of a vector of any length but zero, however short or long.
pub(crate) fn direction(element: impl Display, vector: &Vector3<f64>) -> Result<Unit<Vector3<f64>>, InputError> {
    let greatest = vector.amax();
    require(greatest > 0.0 && vector.iter().all(|coordinate| coordinate.is_finite()), || {
        let [x, y, z] = [vector.x, vector.y, vector.z].map(number);
        format!("{element} is ({x}, {y}, {z}), which is no direction; give finite coordinates that are not all 0")
    })?;
    // Squares of the quotients neither overflow nor vanish.
    Ok(Unit::new_normalize(vector / greatest))
}

/// Checks that a quaternion is a rotation; one with NaN is not.
pub(crate) fn check_rotation(element: impl Display, rotation: &UnitQuaternion<f64>) -> Result<(), InputError> {
    require((rotation.norm() - 1.0).abs() <= UNIT_TOLERANCE, || {
        format!("{element} is not a unit quaternion; give one of length 1 (any but zero can be normalised)")
    })
}
