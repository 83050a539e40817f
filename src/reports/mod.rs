//! What is said of targets and requests: statuses, refusals, counts, colours.

pub(crate) mod answers;
pub(crate) mod counters;
pub(crate) mod latest;
pub(crate) mod report;
pub(crate) mod reporter;
pub(crate) mod status;
pub(crate) mod warnings;
