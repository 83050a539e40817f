//! The reason why external text or a file is invalid.

use std::fmt::Display;

/// Why external data is invalid, as the end of a sentence. It becomes the `reason` of an error that names the source.
#[derive(Debug)]
pub struct Malformed(pub String);

impl<T: Display> From<T> for Malformed {
    fn from(reason: T) -> Self {
        Self(reason.to_string())
    }
}
