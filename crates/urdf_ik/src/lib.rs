//! Inverse kinematics for any robot with a URDF.
//!
//! [`InverseKinematics`] computes joint positions from a URDF in three lines. Its parts:
//!
//! ```text
//! URDF text ──▶ robot::Robot ──▶ robot::Chain (base link → tip links)
//!                                     │
//! targets ─────────────────▶ solver::Problem ──▶ solver::Solver ──▶ solver::Solution
//! ```
//!
//! [`robot`] reads a URDF and computes forward kinematics and Jacobians. [`solver`] computes inverse kinematics.
//! [`motion`] plans and executes smooth joint motions, paths and servo commands. [`collision`] computes distances and
//! checks motions. [`skeleton`] solves skeletons without a URDF. [`spatial`] has functions for rotations and poses,
//! [`segments`] the checks and reach of segments. [`config`] and [`parameters`] read settings, [`files`] reads files
//! with size limits.
//!
//! Units are metres, radians and seconds. Twists and other six-vectors are linear first, then angular. Poses are in
//! the frame that their documentation names, by default the base link's.

#![forbid(unsafe_code)]

mod inverse_kinematics;

pub use inverse_kinematics::{Error, InverseKinematics};
/// Poses and vectors of the interface are nalgebra types.
pub use nalgebra;
pub use urdf_ik_collision as collision;
pub use urdf_ik_goals as goals;
pub use urdf_ik_mathematics::{segments, spatial};
pub use urdf_ik_motion as motion;
pub use urdf_ik_parameters as parameters;
pub use urdf_ik_parameters::config;
pub use urdf_ik_robot as robot;
pub use urdf_ik_skeleton as skeleton;
pub use urdf_ik_solver as solver;
pub use urdf_ik_text::{UniqueKeys, files};
