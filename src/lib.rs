//! Inverse kinematics for any robot with a URDF.
pub mod robot;
pub mod spatial;
pub mod solver;
