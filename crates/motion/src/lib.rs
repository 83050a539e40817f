//! Motion of joints, smoothly to goals and along paths of a tip.
//!
//! [`JointMotion`] moves joints smoothly to goals, which may change under way. [`Path`], [`follow()`] and [`Trajectory`] turn
//! waypoints of a tip link into joint positions at even times.
//!
//! ```text
//! waypoints ──▶ Path ──▶ follow ──▶ Followed ──▶ Trajectory
//!        (poses by length)  (configurations by length)  (positions, velocities, accelerations by time)
//! ```
//!
//! ```
//! use std::sync::Arc;
//! use nalgebra::{Isometry3, Vector3};
//! use urdf_ik_motion::{
//!     FollowOptions, JointLimit, JointLimits, MotionLimits, Path, PathOptions, PathProblem, Timing, Trajectory, follow,
//! };
//! use urdf_ik_robot::{Chain, Robot};
//! use urdf_ik_solver::{Preference, Solver, SolverKind, Target};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
//! let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
//! let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
//!
//! // The tool points down, and moves to the side and up, around a corner.
//! let down = Vector3::new(std::f64::consts::PI, 0.0, 0.0);
//! let poses = [[0.4, -0.1, 0.3], [0.4, 0.1, 0.3], [0.4, 0.1, 0.4]].map(|at| Isometry3::new(at.into(), down));
//! let path = Path::new(&poses, PathOptions { blend_radius: 0.05, ..PathOptions::default() })?;
//! let target = Target::new(0, poses[0]);
//! let limits = MotionLimits::new(&robot, &chain, &JointLimits::default()).or(&JointLimit::DEFAULT);
//! let seed = chain.nominal_positions();
//! let problem = PathProblem {
//!     path: &path,
//!     target: &target,
//!     seed: &seed,
//!     limits: &limits,
//!     preference: Preference::default(),
//!     clearance: None,
//! };
//! let followed = follow(&solver, &problem, &FollowOptions::default())?;
//! assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
//!
//! let trajectory = Trajectory::new(&chain, &problem, &followed, &Timing::default())?;
//! assert!(trajectory.deviation.position < 1e-4);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod clear_way;
mod curve_cost;
mod curve_fit;
mod first_motion;
mod follow;
mod generator;
mod joint_curve;
mod joint_motion;
mod keeper;
mod limits;
mod path;
mod path_problem;
mod path_sections;
mod path_solver;
mod path_stop;
mod preference_slope;
pub mod servo;
mod speed_limits;
mod speed_profile;
mod speed_scale;
mod timing;
mod tip;
mod tracking;
mod trajectory;
mod way;

pub use clear_way::{ClearWay, WAY_ALLOWANCE};
pub use follow::{follow, follow_until};
pub use generator::{MotionError, Pace};
pub use joint_curve::JointCurve;
pub use joint_motion::JointMotion;
pub use keeper::{HandOver, Step};
pub use limits::{JointLimit, JointLimits, JointLimitsError, MotionLimits};
pub use path::{Path, PathError, PathOptions};
pub use path_problem::{FollowError, FollowOptions, Followed, PathProblem};
pub use path_stop::{PathStop, StopReason};
pub use speed_scale::SpeedScale;
pub use timing::{Timing, TimingError};
pub use trajectory::{Trajectory, TrajectoryPoint};
