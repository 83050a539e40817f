//! What is wrong with a text or a file from outside.

use std::fmt::Display;

/// What is wrong with something from outside, as the end of a sentence. The error that names the thing has it as its reason.
#[derive(Debug)]
pub(crate) struct Malformed(pub String);

impl<T: Display> From<T> for Malformed {
    fn from(reason: T) -> Self {
        Self(reason.to_string())
    }
}
