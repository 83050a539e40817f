//! Conversion between messages and library types.

pub(crate) mod convert;
pub(crate) mod target_message;

pub(crate) use convert::MAX_NAME_BYTES;
pub(crate) use target_message::{TargetAxes, TargetMessage, has_valid_frame, quality};
