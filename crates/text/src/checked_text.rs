//! Reads texts that are checked while the reader knows their line.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

/// Deserializes a text that a function checks and converts.
pub struct CheckedText<F> {
    /// The noun for the text in messages, such as `a key`.
    pub what: &'static str,
    /// Returns the value of a text, or the reason why the text is refused.
    pub check: F,
}

impl<'de, T, F: FnOnce(&str) -> Result<T, String>> DeserializeSeed<'de> for CheckedText<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T, F: FnOnce(&str) -> Result<T, String>> Visitor<'_> for CheckedText<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.check)(text).map_err(E::custom)
    }
}
