//! Collision geometry: shapes from URDFs and mesh files, pairs of links, and distances against closed formulas.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod bad_meshes;
#[path = "../common/mod.rs"]
mod common;
mod cube;
mod distances;
mod meshes;
mod pairs;
mod robots;
mod shapes;
mod srdf;
