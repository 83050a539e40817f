//! Shared by the figures of skeletons and the short arms of closed forms, which consist of segments: their reach, and
//! validation of lengths and points.
//!
//! A segment is a length \[m\] between two points. A problem gives the desired position of a point \[m\], in a frame
//! chosen by the caller.

mod input;
mod reach;

pub use input::InputError;
#[doc(hidden)]
pub use input::{
    Element, InputErrorKind, check_any, check_coordinates, check_count, check_length, check_positive, check_rotation,
    check_total, direction, require,
};
pub use reach::Reach;

/// Maximum total length, and maximum magnitude of a coordinate \[m\]. Beyond it, squared distances lose precision.
pub const MAX_COORDINATE: f64 = 1e9;
