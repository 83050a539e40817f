//! Inverse kinematics: from target poses of tip links to positions of a chain's variables.
//!
//! A solver is prepared once per chain and is then constant. [`Solver::solve`] writes into a [`Scratch`] and a
//! [`Solution`] that the caller owns and reuses, allocates nothing, and is deterministic. A deadline is a safeguard:
//! [`Solution::stop`] reports when it ended a search.
//!
//! ```
//! use std::sync::Arc;
//! use nalgebra::Isometry3;
//! use urdf_ik_robot::{Chain, Robot};
//! use urdf_ik_solver::{Method, Problem, Solver, Target};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
//! let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
//! let solver = Solver::prepare(Method::default(), &chain)?;
//!
//! let seed = chain.nominal_positions();
//! let targets = [Target::new(0, Isometry3::translation(0.3, 0.2, 0.5)).position_only()];
//! let problem = Problem::new(&targets, &seed);
//! let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
//! solver.solve(&problem, &mut scratch, &mut solution)?;
//! assert!(solution.is_solved());
//! assert!(chain.contains(&solution.positions));
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod batch;
pub mod closed_form;
mod free_axes;
mod independent_axes;
mod joint_lists;
mod kernel;
mod method;
mod path_preference;
mod preference;
mod prepared_solver;
mod problem;
mod problem_error;
mod reach;
mod search;
mod solution;
mod target_residual;
#[cfg(test)]
pub(crate) mod testing;
mod turns;

pub use batch::{Answer, Batch};
pub use free_axes::{AXIS_NAMES, AxisNameError, free_axes_from_names, free_axes_in_words, names_of_free_axes};
pub use joint_lists::{JointBounds, list_by_joint};
pub use method::{FabrikOptions, JacobianStep, MAX_ACCELERATION, Method, NotApplicable, SolverKind};
pub use path_preference::PreferenceCost;
pub use preference::Preference;
pub use prepared_solver::{Scratch, Solver};
pub(crate) use problem::counted_axes;
pub use problem::{Acceptance, Bounds, Cost, Interruption, Mode, Pick, Problem, Target, Tolerance, Unreached};
pub use problem_error::ProblemError;
pub use reach::TipReach;
pub use solution::{Outcome, Part, Reason, Residual, Solution, Stop};
pub use turns::Turns;
pub use urdf_ik_mathematics::segments::Reach;
pub use urdf_ik_text::UnknownName;
