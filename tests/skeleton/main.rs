//! Chains and trees of points, links with limits, and arms of pitch and yaw: the models of the articles.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

#[path = "../common/mod.rs"]
mod common;
mod golden;
mod golden_record;
mod limiter;
mod pitch_yaw;
mod points;
mod points_errors;
mod points_special;
mod random_chains;
mod tree;
