//! Inverse kinematics for any robot with a URDF.
//!
//! [`InverseKinematics`] leads from a URDF to joint positions in three lines. What it is made of:
//!
//! ```text
//! URDF text ──▶ robot::Robot ──▶ robot::Chain (base link → tip links)
//!                                     │
//! targets ─────────────────▶ solver::Problem ──▶ solver::Solver ──▶ solver::Solution
//! ```
//!
//! [`robot`] reads a URDF and computes forward kinematics and Jacobians. [`solver`] computes inverse kinematics. [`motion`] moves joints
//! smoothly, and tips along straight lines. [`skeleton`] moves figures of segments that need no URDF. [`spatial`] has what all of them
//! need of rotations. [`collision`] measures distances between links. [`config`] and [`parameters`] read settings, [`files`] reads files
//! with care. With the feature `ros`, `node` is the ROS 2 node.
//!
//! Lengths are in metres, angles in radians, times in seconds. Six-vectors are linear first, then angular. Poses are in the frame
//! that their documentation names; where it names none, in that of the base link.

pub mod collision;
pub mod config;
mod dual_active_set;
pub mod files;
mod inverse_kinematics;
mod lanes;
pub mod motion;
mod names;
#[cfg(feature = "ros")]
pub mod node;
pub mod parameters;
mod pseudorandom;
pub mod robot;
mod row_rotations;
pub mod segments;
pub mod skeleton;
pub mod solver;
pub mod spatial;
mod unique_keys;
mod vectors;
mod yaml;

pub use inverse_kinematics::{Error, InverseKinematics};
/// Poses and vectors of the interface are nalgebra's.
pub use nalgebra;
pub use unique_keys::UniqueKeys;

/// Runs the examples of that page.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct LibraryPage;
