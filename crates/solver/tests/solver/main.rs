//! Complete solves by every solver: targets that are reached, the choice of the solution, and problems
//! that are refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod acceptance;
mod all_solutions;
mod batch;
mod bounds;
mod clear_arms;
mod clear_tracking;
mod clearance;
use urdf_ik_testing as common;
mod connected;
mod fabrik;
mod goals;
mod goals_as_bounds;
mod goals_by_method;
mod hard;
mod joint_kinds;
mod many;
mod mimic_limits;
mod modes;
mod noodle;
mod null_space_flow;
mod picks;
mod position_only;
mod preferences;
mod problems;
mod reachable;
mod several_tips;
mod standing_goals;
mod streams;
mod tools;
mod tracking;
mod unreachable;
mod working_range;
