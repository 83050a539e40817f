//! Robots read from URDF, their chains and their kinematics.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod chain;
use urdf_ik_testing as common;
mod errors;
mod forward_kinematics;
mod from_joints;
mod loading;
mod noodle;
mod random_trees;
mod working_range;
