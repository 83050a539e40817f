//! Conversion between messages and library types.
//!
//! Targets are read as serialised messages: r2r turns a frame that is not valid UTF-8 into an empty string, which would
//! mean the base link. The crate cdr-encoding reads them in a fraction of the 10 µs that r2r takes; r2r reads messages
//! which that crate cannot.

pub(crate) mod convert;
pub(crate) mod target_message;

pub(crate) use convert::MAX_NAME_BYTES;
pub(crate) use target_message::{TargetAxes, TargetMessage, quality};

/// Moves fields of one message into another, or copies them from `&$from`; the others are those of `$rest`.
macro_rules! copied {
    ($from:ident => $to:ident { $($field:ident),* $(,)? } $($rest:expr)?) => {
        $to { $($field: $from.$field,)* $(..$rest)? }
    };
    (&$from:ident => $to:ident { $($field:ident),* $(,)? } $($rest:expr)?) => {
        $to { $($field: $from.$field.clone(),)* $(..$rest)? }
    };
}

pub(crate) use copied;
