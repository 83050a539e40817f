//! Paths, trajectories and joint motions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod clearance;
use urdf_ik_testing as common;
mod evasion;
mod follow;
mod joint_limits;
mod joint_motion;
mod keep_clear;
mod keep_clear_runs;
mod many_paths;
mod path;
mod path_goals;
mod path_search;
mod servo;
mod servo_goals;
mod servo_hand;
mod servo_line;
mod servo_obstacles;
mod servo_outside;
mod servo_watch;
mod servo_workspace;
mod speed_scale;
mod stream_lag;
mod trajectory;
