//! Reads skeletons and pitch-yaw arms with named points from YAML.
//!
//! ```
//! use urdf_ik_skeleton::file::Model;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = "
//!     root: {name: shoulder, position: [0, 0, 1.4]}
//!     segments:
//!       - {name: elbow, length: 0.3, rest: [0, 90, 0]}
//!       - {name: wrist, length: 0.25, hinge: {axis: [0, -1, 0], range: [0, 140]}}
//! ";
//! let Model::Skeleton(arm) = Model::from_yaml(text)? else { unreachable!() };
//! assert_eq!(arm.points, ["shoulder", "elbow", "wrist"]);
//! assert_eq!(arm.ends, [2]);
//! assert!((arm.rest.points[2].z - 0.85).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```
//!
//! `docs/skeletons.md` documents the format, and `config/skeletons/` has examples. A point has the name of the segment
//! that ends there.

mod entries;
mod error;
mod joint;
mod joint_positions;
mod list;
mod model;
mod named;
mod names;
mod pitch_yaw;
mod read;
mod segments;

pub use error::ModelError;
pub use joint_positions::NotAHinge;
pub use model::Model;
pub use named::{NamedArm, NamedSkeleton, UnknownPoint};
