//! Motion of joints: smoothly to goals, along paths of a tip, and by servo commands.
//!
//! [`JointMotion`] moves joints smoothly to goals, which may change at any time. [`Path`], [`follow()`] and
//! [`Trajectory`] turn waypoints of a tip link into joint states at even times. [`servo`] follows velocity commands.
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
//!     FollowOptions, JointLimit, JointLimits, MotionLimits, Path, PathOptions, PathProblem, Timing, Trajectory,
//!     follow,
//! };
//! use urdf_ik_robot::{Chain, Robot};
//! use urdf_ik_solver::{Solver, SolverKind, Target};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
//! let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
//! let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
//!
//! // The tool points down, and moves to the side and up, around a corner.
//! let down = Vector3::new(std::f64::consts::PI, 0.0, 0.0);
//! let poses = [[0.4, -0.1, 0.3], [0.4, 0.1, 0.3], [0.4, 0.1, 0.4]].map(|at| Isometry3::new(at.into(), down));
//! let path = Path::new(&poses, PathOptions::default().with_blend_radius(0.05))?;
//! let target = Target::new(0, poses[0]);
//! let limits = MotionLimits::new(&robot, &chain, &JointLimits::default()).or(&JointLimit::DEFAULT);
//! let seed = chain.nominal_positions();
//! let problem = PathProblem::new(&path, &target, &seed, &limits);
//! let followed = follow(&solver, &problem, &FollowOptions::default())?;
//! assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
//!
//! let trajectory = Trajectory::new(&chain, &problem, &followed, &Timing::default())?;
//! assert!(trajectory.deviation.position < 1e-4);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod braking_speed;
mod contact_rows;
mod curve_cost;
mod curve_fit;
mod fail_safe;
mod follow;
mod generator;
mod joint_curve;
mod joint_motion;
mod limits;
mod motion_plan;
mod nominal_motion;
mod path;
mod path_errors;
mod path_problem;
mod path_search;
mod path_sections;
mod path_solver;
mod path_stop;
mod pose_projection;
mod rates;
pub mod servo;
mod speed_limits;
mod speed_profile;
mod speed_scale;
mod standing_goals;
mod timing;
mod tip_kinematics;
mod tracking;
mod trajectory;
mod transit_check;

pub use fail_safe::{HandOver, Step};
pub use follow::{follow, follow_until, follow_watched};
pub use generator::{MotionError, Pace};
pub use joint_curve::JointCurve;
pub use joint_motion::JointMotion;
pub use limits::{JointLimit, JointLimits, JointLimitsError, MotionLimits, MotionLimitsError};
pub use path::{Path, PathError, PathOptions};
pub use path_problem::{FollowError, FollowOptions, Followed, PathProblem, Watch};
pub use path_stop::{BranchEnd, NextPose, PathStop, StopReason};
pub use speed_scale::SpeedScale;
pub use timing::{Timing, TimingError};
pub use trajectory::{Trajectory, TrajectoryPoint};
pub use transit_check::{TRANSIT_ALLOWANCE, TransitCheck};
