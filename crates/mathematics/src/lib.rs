//! Mathematics that the solvers share: poses and pose differences, chains of segments and their reach, SIMD
//! arithmetic on four configurations, Cholesky factorisation of band matrices, splines, and quadratic programming.
//!
//! - [`bounded_quadratic`] minimises large banded problems with box constraints.
//! - [`dual_active_set`] minimises small dense problems with general inequalities.
//! - [`bounded_step`] clamps a step to its bounds, without the guarantee of a minimum.
//!
//! ```
//! use nalgebra::{Isometry3, Vector3};
//! use urdf_ik_mathematics::spatial::pose_difference;
//!
//! // Linear and angular part [m, rad] of the motion from the first pose to the second, in the frame of the first.
//! let rotation = Isometry3::rotation(Vector3::new(0.0, 0.0, 0.5));
//! let pose = Isometry3::translation(0.1, 0.0, 0.0);
//! assert!((pose_difference(&pose, &(pose * rotation)).norm() - 0.5).abs() < 1e-15);
//! ```

#![forbid(unsafe_code)]

pub mod band_matrix;
pub mod best;
pub mod bounded_quadratic;
pub mod bounded_step;
pub mod dual_active_set;
pub mod lanes;
pub mod pseudorandom;
pub mod row_rotations;
pub mod segments;
pub mod spatial;
pub mod spline;
pub mod vectors;
