//! Functions that promise to allocate nothing keep the promise. The counter counts each thread separately.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod closed_form;
#[path = "../common/mod.rs"]
mod common;
mod points;
mod solver;
