//! The mathematics that solvers share: poses and their differences, segments and their reach, vectors, four numbers at
//! once, band matrices, splines, and the minimum of a quadratic function under inequalities.
//!
//! ```
//! use nalgebra::{Isometry3, Vector3};
//! use urdf_ik_mathematics::spatial::pose_difference;
//!
//! // How the first pose has to move, and to turn, to become the second one.
//! let turned = Isometry3::rotation(Vector3::new(0.0, 0.0, 0.5));
//! let moved = Isometry3::translation(0.1, 0.0, 0.0);
//! assert!((pose_difference(&moved, &(moved * turned)).norm() - 0.5).abs() < 1e-15);
//! ```

#![forbid(unsafe_code)]

pub mod band_matrix;
pub mod best;
pub mod bounded_quadratic;
pub mod dual_active_set;
pub mod lanes;
pub mod pseudorandom;
pub mod row_rotations;
pub mod segments;
pub mod spatial;
pub mod spline;
pub mod vectors;
