//! What is wrong with a text or a file from outside, and numbers in texts.

use std::fmt::Display;

/// What is wrong with something from outside, as the end of a sentence. The error that names the thing has it as its reason.
#[derive(Debug)]
pub(crate) struct Malformed(pub String);

impl<T: Display> From<T> for Malformed {
    fn from(reason: T) -> Self {
        Self(reason.to_string())
    }
}

/// The finite numbers of a text, of which there must be `N`.
pub(crate) fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let values: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    <[f64; N]>::try_from(values).ok().filter(|values| values.iter().all(|value| value.is_finite()))
}
