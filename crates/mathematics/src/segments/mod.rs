//! Shared by what is made of segments, the figures of skeletons and the short arms of closed forms: lengths, the distances that they
//! reach, and checks of such numbers.
//!
//! A segment is a length \[m\] between two points, and a problem gives the desired position of a point \[m\], in one
//! frame that the caller chooses.

mod input;
mod reach;

pub use input::InputError;
#[doc(hidden)]
pub use input::{
    Element, Refusal, check_any, check_coordinates, check_count, check_length, check_positive, check_rotation,
    check_total, direction, require,
};
pub use reach::Reach;

/// Longer models, and points farther from the origin than this \[m\], are refused.
pub const MAX_COORDINATE: f64 = 1e9;
