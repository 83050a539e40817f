//! Checks of numbers and lists from the caller, and their errors.

use std::fmt;

use nalgebra::{Unit, UnitQuaternion, Vector3};
use thiserror::Error;

use super::FARTHEST;

/// How far the length of a quaternion may be from 1.
const UNIT_TOLERANCE: f64 = 1e-9;

/// The subject of an error: its name, and its index where there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Its name, such as `target`.
    pub name: &'static str,
    /// Its index, from 0.
    pub index: Option<usize>,
}

impl Element {
    /// One of several.
    #[must_use]
    pub fn of(name: &'static str, index: usize) -> Self {
        Self { name, index: Some(index) }
    }
}

impl From<&'static str> for Element {
    /// The only one of its name.
    fn from(name: &'static str) -> Self {
        Self { name, index: None }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "{} {index} (from 0)", self.name),
            None => write!(f, "the {}", self.name),
        }
    }
}

/// Why the numbers of a model of segments, or of a problem for one, are not valid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// A model needs at least one such part, and has none.
    #[error("there is no {what}; there must be at least 1")]
    Empty {
        /// `segment`, `joint`, `point` or `target`.
        what: &'static str,
    },
    /// A list does not have the length that the model needs.
    #[error("the {what} has {found} entries; it must have {expected}")]
    Count {
        /// Which list.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A length is NaN, infinite, negative, or zero where a segment must have one.
    #[error("{element} is {value} m long; it must be a finite number {bound}")]
    Length {
        /// The segment.
        element: Element,
        /// The given value \[m\].
        value: f64,
        /// `above 0` or `of at least 0`.
        bound: &'static str,
    },
    /// The segments together are so long that squares of distances lose their precision.
    #[error("the segments are {total:e} m long together; they must be within {FARTHEST:e} m")]
    TooLong {
        /// Sum of the lengths \[m\].
        total: f64,
    },
    /// A coordinate is NaN, infinite or too large.
    #[error("coordinate {axis} of {element} is {value} m; it must be a finite number within {FARTHEST:e} m")]
    Coordinate {
        /// Whose coordinate.
        element: Element,
        /// `x`, `y` or `z`.
        axis: char,
        /// The given value \[m\].
        value: f64,
    },
    /// A vector has no direction: it is zero, or not finite.
    #[error("{element} is ({x}, {y}, {z}), which is no direction; give finite coordinates that are not all 0")]
    Direction {
        /// Whose direction.
        element: Element,
        /// First coordinate given.
        x: f64,
        /// Second coordinate given.
        y: f64,
        /// Third coordinate given.
        z: f64,
    },
    /// A quaternion does not have length 1, or has an entry that is not a number.
    #[error("{element} is not a unit quaternion; give one of length 1 (any but zero can be normalised)")]
    Rotation {
        /// The quaternion.
        element: Element,
    },
    /// The scratch was made for another depth of acceleration.
    #[error("the scratch is for {found} differences, but the options ask for {expected}; make one with these options")]
    Depth {
        /// Depth of the scratch.
        found: usize,
        /// Depth that the options ask for.
        expected: usize,
    },
    /// The tolerance is not above zero.
    #[error("the tolerance is {value} m; it must be a finite number above 0")]
    Tolerance {
        /// The given value \[m\].
        value: f64,
    },
}

/// Checks that a list has the length that a model needs.
pub(crate) fn check_count(what: &'static str, found: usize, expected: usize) -> Result<(), InputError> {
    if found == expected { Ok(()) } else { Err(InputError::Count { what, found, expected }) }
}

/// Checks that the length of `element` \[m\] is finite and at least 0.
pub(crate) fn check_length(element: Element, value: f64) -> Result<(), InputError> {
    let right = value.is_finite() && value >= 0.0;
    if right { Ok(()) } else { Err(InputError::Length { element, value, bound: "of at least 0" }) }
}

/// Checks that the length of `element` \[m\] is finite and above 0.
pub(crate) fn check_positive_length(element: Element, value: f64) -> Result<(), InputError> {
    let right = value.is_finite() && value > 0.0;
    if right { Ok(()) } else { Err(InputError::Length { element, value, bound: "above 0" }) }
}

/// Checks that lengths whose sum is `total` \[m\] leave squares of distances their precision.
pub(crate) fn check_total(total: f64) -> Result<(), InputError> {
    if total <= FARTHEST { Ok(()) } else { Err(InputError::TooLong { total }) }
}

/// Checks that all `coordinates` of `element` \[m\], two or three, are finite and not too large.
pub(crate) fn check_coordinates(element: impl Into<Element>, coordinates: &[f64]) -> Result<(), InputError> {
    let mut named = ['x', 'y', 'z'].into_iter().zip(coordinates.iter().copied());
    match named.find(|(_, value)| value.is_nan() || value.abs() > FARTHEST) {
        Some((axis, value)) => Err(InputError::Coordinate { element: element.into(), axis, value }),
        None => Ok(()),
    }
}

/// The direction of a vector of any length but zero, however short or long.
pub(crate) fn direction(element: impl Into<Element>, vector: &Vector3<f64>) -> Result<Unit<Vector3<f64>>, InputError> {
    let greatest = vector.amax();
    if greatest > 0.0 && vector.iter().all(|coordinate| coordinate.is_finite()) {
        // Squares of the quotients neither overflow nor vanish.
        return Ok(Unit::new_normalize(vector.map(|coordinate| coordinate / greatest)));
    }
    Err(InputError::Direction { element: element.into(), x: vector.x, y: vector.y, z: vector.z })
}

/// Checks that a quaternion is a rotation; one with NaN is not.
pub(crate) fn check_rotation(element: impl Into<Element>, rotation: &UnitQuaternion<f64>) -> Result<(), InputError> {
    let right = (rotation.norm() - 1.0).abs() <= UNIT_TOLERANCE;
    if right { Ok(()) } else { Err(InputError::Rotation { element: element.into() }) }
}

/// Checks that scratch for `found` differences fits an acceleration with `expected`; plain cycles need none.
pub(crate) fn check_depth(found: usize, expected: usize) -> Result<(), InputError> {
    if expected == 0 || found == expected { Ok(()) } else { Err(InputError::Depth { found, expected }) }
}

/// Checks that a tolerance \[m\] is finite and above 0.
pub(crate) fn check_tolerance(value: f64) -> Result<(), InputError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(InputError::Tolerance { value }) }
}
