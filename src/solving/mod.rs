//! What services and targets solve, and where the work runs.

pub(crate) mod null_space_task;
pub(crate) mod path_plan;
pub(crate) mod problem;
pub(crate) mod searches;
