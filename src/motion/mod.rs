//! Motion along paths.

mod blend;
mod follow;
mod path;
mod stop;

pub use follow::{FollowError, FollowOptions, Followed, Knot, follow};
pub use path::{Path, PathError, PathOptions};
pub use stop::{Stop, StopReason};
