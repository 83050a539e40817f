//! What models made of segments have in common: [`fabrik::points`](super::fabrik::points),
//! [`fabrik::tree`](super::fabrik::tree), [`fabrik::limiter`](super::fabrik::limiter),
//! [`jacobian::pitch_yaw`](super::jacobian::pitch_yaw) and [`closed_form::two_link`](super::closed_form::two_link).
//!
//! They are no robots: a segment is a length \[m\] between two points, and a question is where a point shall be \[m\], in one frame
//! that is the caller's. So they share how lengths and numbers from outside are checked ([`InputError`]), how far a row of segments
//! reaches ([`Reach`]), what becomes of the root ([`Root`]), and how an answer is judged ([`Outcome`], [`Reason`]).

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
