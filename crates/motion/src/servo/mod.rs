//! Servo: joints that follow velocity commands.
//!
//! A [`Servo`] takes a twist of a tip, joint velocities or a pose in each step, and returns the state of the joints one
//! step later. The command may change at any time; the joints approach it within their limits of position, velocity,
//! acceleration and jerk. A step runs through these stages:
//!
//! ```text
//! command ──▶ line ──▶ look-ahead ──▶ viability ──▶ acceleration ──▶ fail-safe ──▶ positions, velocities, accelerations
//!       (constant     (direction       (how fast,     problem        (brakes before
//!        or a hand's)  problem at       so that a     within bounds   a collision)
//!                      each node)       stop is
//!                                       possible)
//! ```
//!
//! A constant command is a line, and the tips stay on it, all of them with one share of their speeds. The uncommanded
//! axes have a bounded slack. A command that turns all the time is a hand's: it is not remembered, and the motion is
//! the one nearest to the command. The same motion follows at the end of a line, at a singularity, joint limit or
//! contact, if its angle to the command is small enough; otherwise the tips wait there.
//!
//! Each period solves two small quadratic programs and looks ahead along the motion of the joints, as far as a stop
//! needs. No plan is stored. The bounds of the accelerations leave each joint a way to rest within its limits, so no
//! limit is broken whatever is commanded.
//!
//! ```
//! use nalgebra::Vector3;
//! use urdf_ik_motion::servo::{Axes, Command, Servo, ServoOptions, TipCommand, TipTwist};
//! use urdf_ik_motion::{JointLimit, JointLimits, MotionLimits};
//! use urdf_ik_robot::{Chain, Robot};
//! use urdf_ik_solver::{Solver, SolverKind};
//! # use std::sync::Arc;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
//! let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
//! let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
//! let limits = MotionLimits::new(&robot, &chain, &JointLimits::default()).or(&JointLimit::DEFAULT);
//! let start = [0.2, 0.5, 0.3, 0.2, 0.4, -0.5, 0.1];
//! let mut servo = Servo::new(&solver, &limits, ServoOptions::default(), &start)?;
//!
//! // The tool goes up for a second.
//! let up = TipTwist { tip: 0, linear: Vector3::z() * 0.05, angular: Vector3::zeros(), axes: Axes::Base };
//! for _ in 0..250 {
//!     servo.step(0.004, &Command::Tips(&[TipCommand::Twist(up)]), None)?;
//! }
//! assert!(servo.velocities().iter().any(|velocity| *velocity != 0.0));
//! # Ok(())
//! # }
//! ```

mod acceleration;
mod command;
mod constants;
mod direction;
mod goal;
mod jerk_bounds;
mod line;
mod look_ahead;
mod options;
mod place;
mod report;
mod singular_values;
mod step;
mod viability;

pub use command::{Axes, Command, CommandError, TipCommand, TipPose, TipTwist};
pub use options::{HeldBack, Priority, ServoOptions, ServoOptionsError};
pub use report::{Hold, Report};
pub use step::{Servo, TooManyVariables};
