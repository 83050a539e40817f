//! Allocation-free functions. The counter counts each thread separately.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod clear_tracking;
mod closed_form;
use urdf_ik_testing as common;
#[path = "../../../collision/tests/collision/cube.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod cube;
mod points;
#[path = "../../../collision/tests/collision/robots.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod robots;
mod scene;
mod servo;
mod solver;
