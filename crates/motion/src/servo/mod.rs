//! Servo: joints that follow velocity commands.
//!
//! A [`Servo`] is commanded a twist of a tip, joint velocities or a pose at each step, and answers with the state of the joints one step
//! later. What is commanded may change at any time; the joints go over to it within their limits of position, velocity, acceleration and
//! jerk. A step runs through these stages:
//!
//! ```text
//! command ──▶ reference ──▶ resolve ──▶ scout ──▶ tracker ──▶ keeper ──▶ positions, velocities, accelerations
//!        (target poses and  (joint      (slower for  (jerks, inside  (brakes before
//!         their twists)      velocities) what comes)  jerk_bounds)    a collision)
//! ```
//!
//! Limits and contacts leave of a twist what is nearest to it ([`Priority`]). Limits of velocity and acceleration, and a singularity or a
//! limit ahead, slow down the motion as a whole, so that its direction stays. A target waits for an arm that cannot follow it. What is
//! not commanded may give way by 2 cm or 0.1 rad, and comes back when it can; after that the arm waits, too.
//!
//! ```
//! use nalgebra::Vector3;
//! use urdf_ik_motion::servo::{Axes, Command, Servo, ServoOptions, TipTwist};
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
//!     servo.step(0.004, &Command::Twists(&[up]), None)?;
//! }
//! assert!(servo.velocities().iter().any(|velocity| *velocity != 0.0));
//! # Ok(())
//! # }
//! ```

mod braking_speed;
mod command;
mod contacts;
mod jerk_bounds;
mod null_motion;
mod options;
mod ramp;
mod reference;
mod report;
mod resolve;
mod scout;
mod singular_motions;
mod singular_values;
mod stacked_jacobian;
mod step;
mod tracker;

pub use command::{Axes, Command, CommandError, TipPose, TipTwist};
pub use options::{Priority, ServoOptions, UnknownPriority};
pub use report::{Hold, Report};
pub use step::{Servo, TooManyVariables};
