//! Skeletons and pitch-yaw arms.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod arms;
mod chains;
mod chains_special;
mod circles;
use urdf_ik_testing as common;
mod cones;
mod errors;
mod figures;
mod file_errors;
mod files;
mod found;
mod limited_figures;
mod limits;
mod passes;
mod pitch_yaw;
mod properties;
mod trees;
