//! Shared by the models made of segments: [`points`](super::points), [`tree`](super::tree), [`limiter`](super::limiter),
//! [`pitch_yaw`](super::pitch_yaw) and [`two_link`](crate::solver::closed_form::two_link).
//!
//! These models are not robots: a segment is a length \[m\] between two points, and a problem gives the desired position of a point
//! \[m\], in one frame that the caller chooses. They share the checks of lengths and other numbers ([`InputError`]), the reach of a
//! row of segments ([`Reach`]), the choice of the root ([`Root`]), and the kinds of outcome ([`Outcome`], [`Reason`]).

mod input;
mod outcome;
mod reach;

pub use input::{Element, InputError};
pub(crate) use input::{
    check_coordinates, check_count, check_depth, check_length, check_positive_length, check_rotation, check_tolerance,
    check_total, direction,
};
pub use outcome::{Outcome, Reason, Root};
pub use reach::Reach;
pub(crate) use reach::is_length;

/// Longer models, and points farther from the origin than this \[m\], are refused.
pub(crate) const FARTHEST: f64 = 1e9;
