//! Keys that are there but have no value.

use serde::{Deserialize, Deserializer};

/// The value of a key that may be left out. A key with nothing after it is not left out: a limit without numbers is a slip.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
