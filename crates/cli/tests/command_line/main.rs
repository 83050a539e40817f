//! Tests of the built command line.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod avoidance;
mod collisions;
mod commands;
use urdf_ik_testing as common;
mod generate;
mod path;
mod plots;
mod reach;
mod robot_config;
mod shell;
mod skeleton;
mod skeleton_figure;
mod skeleton_stream;
mod skeleton_urdf;
mod solve;
mod svg;
mod tools;
