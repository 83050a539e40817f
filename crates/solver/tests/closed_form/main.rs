//! Closed forms: recognition of chains, and completeness of their solutions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod axes;
use urdf_ik_testing as common;
mod general;
mod link_chains;
mod recognition;
mod redundancy;
mod short_chains;
mod six_axis;
mod three_link;
mod two_link;
