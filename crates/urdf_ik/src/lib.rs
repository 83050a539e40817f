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
//! with care.
//!
//! Lengths are in metres, angles in radians, times in seconds. Six-vectors are linear first, then angular. Poses are in the frame
//! that their documentation names; where it names none, in that of the base link.

#![forbid(unsafe_code)]

mod inverse_kinematics;

pub use inverse_kinematics::{Error, InverseKinematics};
/// Poses and vectors of the interface are nalgebra's.
pub use nalgebra;
pub use urdf_ik_collision as collision;
pub use urdf_ik_mathematics::{segments, spatial};
pub use urdf_ik_motion as motion;
pub use urdf_ik_parameters as parameters;
pub use urdf_ik_parameters::config;
pub use urdf_ik_robot as robot;
pub use urdf_ik_skeleton as skeleton;
pub use urdf_ik_solver as solver;
pub use urdf_ik_text::{UniqueKeys, files};
