//! Inverse kinematics for any robot with a URDF.
//!
//! ```text
//! URDF text ──▶ robot::Robot ──▶ robot::Chain (base link → tip links)
//!                                     │
//! targets ─────────────────▶ solver::Problem ──▶ solver::Solver ──▶ solver::Solution
//! ```
//!
//! [`robot`] reads a URDF and does forward kinematics and Jacobians, [`solver`] does the inverse, [`motion`] moves tips along
//! straight lines, [`spatial`] holds what all need of rotations. [`config`] and [`parameters`] are what can be configured. With the feature `ros`, `node` puts it all on
//! the ROS 2 graph.
//!
//! Lengths are in metres, angles in radians, times in seconds. Six-vectors are linear first, then angular. Poses are in the frame
//! that their documentation names, the base link's where it names none. See [`solver`] for an example.

pub mod config;
pub mod motion;
mod names;
#[cfg(feature = "ros")]
pub mod node;
pub mod parameters;
mod pseudorandom;
pub mod robot;
pub mod skeleton;
pub mod solver;
pub mod spatial;
