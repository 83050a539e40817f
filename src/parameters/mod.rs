//! The node's parameters: one table from which declarations, checks and `docs/parameters.md` are made.

mod settings;
mod table;
mod value;

pub use settings::{Motion, NullSpace, OnUnreachable, PathSettings, Settings};
pub use table::{Bounds, DefaultValue, Definition, TABLE, markdown};
pub use value::{Refusal, Value, Values};
