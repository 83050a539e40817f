//! Motion: [`JointMotion`] takes joints smoothly to goals that change under way; Cartesian paths go from waypoints of one tip link to joint
//! positions evenly in time.
//!
//! ```text
//! waypoints ──▶ Path ──▶ follow ──▶ Followed ──▶ Trajectory
//!                (poses by length)   (postures by length)   (positions, velocities, accelerations by time)
//! ```
//!
//! ```
//! use std::sync::Arc;
//! use nalgebra::{Isometry3, Vector3};
//! use urdf_ik::motion::{FollowOptions, JointLimits, MotionLimits, Path, PathOptions, Timing, Trajectory, follow};
//! use urdf_ik::robot::{Chain, Robot};
//! use urdf_ik::solver::{Solver, SolverKind, Target};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/urdf/arm7.urdf"))?;
//! let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
//! let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
//!
//! // Tool down, to the side and up again, round the corner.
//! let down = Vector3::new(std::f64::consts::PI, 0.0, 0.0);
//! let poses = [[0.4, -0.1, 0.3], [0.4, 0.1, 0.3], [0.4, 0.1, 0.4]].map(|at| Isometry3::new(at.into(), down));
//! let path = Path::new(&poses, PathOptions { blend_radius: 0.05, ..PathOptions::default() })?;
//! let target = Target::new(0, poses[0]);
//! let followed = follow(&solver, &target, &path, &chain.nominal_positions(), &FollowOptions::default())?;
//! assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
//!
//! let limits = MotionLimits::new(&robot, &chain, &JointLimits::default());
//! let trajectory = Trajectory::new(&chain, &target, &path, &followed, &limits, &Timing::default())?;
//! assert!(trajectory.deviation.position < 1e-4);
//! # Ok(())
//! # }
//! ```

mod blend;
mod curve;
mod follow;
mod joint_motion;
mod limits;
mod path;
mod profile;
mod rates;
mod refine;
mod stop;
mod trajectory;

pub use follow::{FollowError, FollowOptions, Followed, Knot, follow};
pub use joint_motion::{JointMotion, MotionError};
pub use limits::{JointLimit, JointLimits, JointLimitsError, MotionLimits};
pub use path::{Path, PathError, PathOptions};
pub use stop::{Stop, StopReason};
pub use trajectory::{Timing, TimingError, Trajectory, TrajectoryPoint};
