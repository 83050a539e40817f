//! What services and targets solve, and where the work runs.

pub(crate) mod path_plan;
pub(crate) mod query;
pub(crate) mod searches;
