//! Shared by the unit tests of the solvers: a kernel with four configurations, and arms of seven joints.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

pub mod four;
pub mod seven_axes;
