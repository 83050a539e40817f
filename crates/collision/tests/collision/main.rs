//! Collision geometry: shapes from URDFs and mesh files, pairs of links, and distances against closed formulas.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod bad_meshes;
use urdf_ik_testing as common;
mod cube;
mod depths;
mod distances;
mod large_meshes;
mod meshes;
mod obstacle_list;
mod pairs;
mod robots;
mod scenes;
mod segments;
mod shapes;
mod srdf;
mod world;
