//! Validation of numbers and lists from the caller, with one error type.

use std::fmt;

use nalgebra::{Unit, UnitQuaternion, Vector3};
use thiserror::Error;

use super::MAX_COORDINATE;
use crate::spatial::is_unit;
use urdf_ik_text::names::{list, number};

/// Largest deviation of the norm of a quaternion from 1.
const UNIT_TOLERANCE: f64 = 1e-9;

/// Reason for which a segment model or a problem is rejected. It is displayed as a sentence with the fault and the
/// valid range.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(transparent)]
pub struct InputError(#[doc(hidden)] pub InputErrorKind);

impl InputError {
    /// A fault of a model, in a sentence.
    #[doc(hidden)]
    pub fn model(sentence: impl Into<String>) -> Self {
        Self(InputErrorKind::Model(sentence.into()))
    }
}

/// The faults. Those of problems are formatted on display, so that a refused solve allocates nothing.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Error)]
pub enum InputErrorKind {
    #[error("{0}")]
    Model(String),
    #[error("there is no {what}; there must be at least 1")]
    Empty { what: &'static str },
    #[error("the {what} has {found} entries; it must have {expected}")]
    Count { what: &'static str, found: usize, expected: usize },
    #[error("{element} is {}{unit}; it must be {right}", number(*value))]
    Number { element: Element, value: f64, unit: &'static str, right: &'static str },
    #[error("coordinate {axis} of {element} is {} m; it must be a finite number within {MAX_COORDINATE:e} m", number(*value))]
    Coordinate { axis: char, element: Element, value: f64 },
    #[error(
        "{element} is ({}), which is no direction; give finite coordinates that are not all 0",
        list(&.xyz.map(number))
    )]
    Direction { element: Element, xyz: [f64; 3] },
    #[error("{0} is not a unit quaternion; give one of length 1 (any but zero can be normalised)")]
    Rotation(Element),
    #[error("{0} leaves the plane; there z is 0, and rotations are about z")]
    Plane(Element),
    #[error("target {target} is for point {point}; the points are numbered from 0 to {last}")]
    UnknownPoint { target: usize, point: usize, last: usize },
    #[error("targets {first} and {second} are both for point {point}; keep one")]
    SamePoint { first: usize, second: usize, point: usize },
    #[error("the scratch is for {found} differences, but the options ask for {expected}; make one with these options")]
    Depth { found: usize, expected: usize },
}

/// Subject of a sentence: a name, with an index if there are several.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element(&'static str, Option<usize>);

impl From<&'static str> for Element {
    fn from(name: &'static str) -> Self {
        Self(name, None)
    }
}

impl From<(&'static str, usize)> for Element {
    fn from((name, index): (&'static str, usize)) -> Self {
        Self(name, Some(index))
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0)?;
        self.1.map_or(Ok(()), |index| write!(f, " {index} (from 0)"))
    }
}

/// Returns the error `refusal` unless a condition holds.
///
/// # Errors
/// [`InputError`] if `holds` is false.
pub fn require(holds: bool, refusal: impl FnOnce() -> InputErrorKind) -> Result<(), InputError> {
    if holds { Ok(()) } else { Err(InputError(refusal())) }
}

/// Checks the number of entries of the list `what`.
///
/// # Errors
/// [`InputError`] if `found` differs from `expected`.
pub fn check_count(what: &'static str, found: usize, expected: usize) -> Result<(), InputError> {
    require(found == expected, || InputErrorKind::Count { what, found, expected })
}

/// Checks that a model or a problem has at least one `what`, such as a segment.
///
/// # Errors
/// [`InputError`] if `count` is 0.
pub fn check_any(what: &'static str, count: usize) -> Result<(), InputError> {
    require(count > 0, || InputErrorKind::Empty { what })
}

/// Checks that `value`, the length \[m\] of `element`, is finite and not negative.
///
/// # Errors
/// [`InputError`] if the length is NaN, infinite or negative.
pub fn check_length(element: impl Into<Element>, value: f64) -> Result<(), InputError> {
    require(value.is_finite() && value >= 0.0, || {
        let (element, unit, right) = (element.into(), " m long", "a finite number of at least 0");
        InputErrorKind::Number { element, value, unit, right }
    })
}

/// Checks that `value`, in `unit`, is finite and positive.
///
/// # Errors
/// [`InputError`] if it is NaN, infinite, zero or negative.
pub fn check_positive(element: impl Into<Element>, value: f64, unit: &'static str) -> Result<(), InputError> {
    require(value.is_finite() && value > 0.0, || InputErrorKind::Number {
        element: element.into(),
        value,
        unit,
        right: "a finite number above 0",
    })
}

/// Checks that `value`, the sum of all lengths \[m\], is at most [`MAX_COORDINATE`].
///
/// # Errors
/// [`InputError`] if the sum is larger.
pub fn check_total(value: f64) -> Result<(), InputError> {
    require(value <= MAX_COORDINATE, || {
        InputErrorKind::Model(format!(
            "the segments are {} m long together; they must be within {MAX_COORDINATE:e} m",
            number(value)
        ))
    })
}

/// Checks that the two or three `coordinates` \[m\] of `element` are finite and at most [`MAX_COORDINATE`] in
/// magnitude.
///
/// # Errors
/// [`InputError`] for the first coordinate that is not.
pub fn check_coordinates(element: impl Into<Element>, coordinates: &[f64]) -> Result<(), InputError> {
    let mut named = ['x', 'y', 'z'].into_iter().zip(coordinates);
    match named.find(|(_, value)| value.is_nan() || value.abs() > MAX_COORDINATE) {
        Some((axis, &value)) => Err(InputError(InputErrorKind::Coordinate { axis, element: element.into(), value })),
        None => Ok(()),
    }
}

/// The unit vector along a nonzero vector of any length.
///
/// # Errors
/// [`InputError`] if the vector is zero or has a coordinate that is not finite.
pub fn direction(element: impl Into<Element>, vector: &Vector3<f64>) -> Result<Unit<Vector3<f64>>, InputError> {
    let greatest = vector.amax();
    let is_right = greatest > 0.0 && vector.iter().all(|coordinate| coordinate.is_finite());
    require(is_right, || InputErrorKind::Direction { element: element.into(), xyz: (*vector).into() })?;
    // Squares of the quotients neither overflow nor vanish.
    Ok(Unit::new_normalize(vector.map(|coordinate| coordinate / greatest)))
}

/// Checks that the norm of a quaternion is 1 within 1e-9.
///
/// # Errors
/// [`InputError`] if it is not, or is NaN.
pub fn check_rotation(element: impl Into<Element>, rotation: &UnitQuaternion<f64>) -> Result<(), InputError> {
    require(is_unit(rotation, UNIT_TOLERANCE), || InputErrorKind::Rotation(element.into()))
}
