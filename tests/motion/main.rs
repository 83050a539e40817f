//! Paths, trajectories and joint motions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod clearance;
#[path = "../common/mod.rs"]
mod common;
mod follow;
mod joint_motion;
mod many_paths;
mod path;
mod trajectory;
