//! How the arm moves: its motion over time, what stops it, and what is published of it.

mod commands;
pub(crate) mod configuration_motion;
pub(crate) mod lookout;
pub(crate) mod measure;
pub(crate) mod output;
pub(crate) mod start;
pub(crate) mod steering;
