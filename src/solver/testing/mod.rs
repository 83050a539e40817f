//! Shared by the unit tests of the solvers: random numbers, random robots, and a kernel with four configurations.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

pub mod four;
pub mod random;
pub mod robots;
pub mod seven_axes;
