//! How a segment hangs on others: what errors and parents need of it.

use serde::Deserialize;

use super::given::given;
use super::name::Name;

/// The place of a segment in the tree.
#[derive(Deserialize)]
#[serde(expecting = "a segment such as {name: arm, length: 0.3}")]
pub(super) struct Link {
    #[serde(default)]
    pub name: Name,
    #[serde(default, deserialize_with = "given")]
    pub parent: Option<Name>,
}
