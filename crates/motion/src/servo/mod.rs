//! Servo: joints that follow velocity commands.
//!
//! A [`Servo`] is commanded a twist of a tip, joint velocities or a pose at each step, and answers with the state of the joints one step
//! later. What is commanded may change at any time; the joints go over to it within their limits of position, velocity, acceleration and
//! jerk. A step runs through these stages:
//!
//! A servo plans a joint curve along the line ahead, parameterised by the length of the joint motion, so that limits,
//! singularities and obstacles are found where they are. The curve ends there, or passes. Redundancy is resolved with
//! the curve: a redundant arm avoids an elbow that ends at a limit. The time along the curve has bounded jerk, and
//! every plan comes to rest before the curve ends. A new plan replaces the old one only if it can stop too; otherwise
//! the old plan continues. So no limit is exceeded and the tip does not leave the line. The line begins at the last
//! change of the command, so nothing pulls the tip back. The servo leaves the commanded line only at contacts and, if
//! requested, at limits.
//!
//! ```text
//! command ──▶ line ──▶ tracer ──▶ curve ──▶ planner ──▶ plan ──▶ fail-safe ──▶ positions, velocities, accelerations
//!        (where the   (configurations  (how fast, so that   (brakes before
//!         tips are to  on the line,     a stop on the curve  a collision)
//!         be, ahead)   one by one)      stays possible)
//! ```
//!
//! The tips stay on their lines, all of them with one share of their speeds. What is not commanded stands; where joints would be too fast
//! for the speed, it gives way as far as it may, and comes back. The curve and the plan that leads to rest on it are held as
//! data. What is new is planned beside them, and takes their place only where it can stop, too; so no bound is ever broken. At a joint
//! limit or a singularity the tips wait on their lines. At contacts, and with [`HeldBack::Slide`] at limits, they go beside them, along
//! what is nearest to the twists ([`Priority`]).
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

mod command;
mod constants;
mod curve;
mod giving_way;
mod held_axes;
mod jerk_bounds;
mod jog;
mod law;
mod line;
mod options;
mod ramp;
mod report;
mod rows;
mod singular_values;
mod slide;
mod stacked_jacobian;
mod step;
mod tracer;

use super::braking_speed;

pub use command::{Axes, Command, CommandError, TipCommand, TipPose, TipTwist};
pub use options::{HeldBack, Priority, ServoOptions};
pub use report::{Hold, Report};
pub use step::{Servo, TooManyVariables};
