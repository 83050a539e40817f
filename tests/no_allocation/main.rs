//! What promises to allocate nothing keeps it. The counter counts for each thread by itself.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod closed_form;
#[path = "../common/mod.rs"]
mod common;
mod points;
mod solver;
