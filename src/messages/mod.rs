//! Messages to and from the library's types.

pub(crate) mod body_pair;
pub(crate) mod convert;
pub(crate) mod target_message;
