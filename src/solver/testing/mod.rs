//! What the solvers' unit tests share: random numbers, robots drawn at random, and a kernel with four configurations to look at.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

pub mod four;
pub mod random;
pub mod robots;
