//! Inverse kinematics: from target poses of tip links to positions of a chain's variables.
//!
//! A solver is prepared once per chain and is then constant: [`Solver::solve`] takes a [`Problem`], scratch and a
//! [`Solution`] that the caller owns and reuses, allocates nothing, and gives the same answer for the same problem.
//! A deadline is a guard: where it strikes, [`Solution::stop`] says so.
//!
//! ```
//! use std::sync::Arc;
//! use nalgebra::Isometry3;
//! use urdf_ik::robot::{Chain, Robot};
//! use urdf_ik::solver::{Mode, Outcome, Problem, Solver, SolverKind, Target};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/urdf/arm7.urdf"))?;
//! let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
//! let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
//!
//! let seed = chain.nominal_positions();
//! let targets = [Target::new(0, Isometry3::translation(0.3, 0.2, 0.5)).position_only()];
//! let problem = Problem::new(&targets, &seed);
//! let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
//! solver.solve(&problem, &mut scratch, &mut solution)?;
//! assert_eq!(solution.outcome, Outcome::Solved);
//! assert!(chain.contains(&solution.positions));
//! # Ok(())
//! # }
//! ```

mod batch;
pub mod closed_form;
pub mod fabrik;
mod frame;
mod goal;
pub mod jacobian;
mod lanes;
mod links;
mod mask;
mod problem;
mod reach;
mod restart;
pub mod segments;
mod solution;
mod task;

pub use batch::{Answer, Batch};
pub use mask::{AXIS_NAMES, UnknownAxis, free_axes_from_names, free_axes_in_words, names_of_free_axes};
pub use problem::{Mode, Pick, Preference, Problem, ProblemError, Target, Tolerance, UnknownPick};
pub use reach::{Reach, TipReach};
pub use solution::{Outcome, Reason, Residual, Solution, Stop};

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::sync::Arc;

use closed_form::ClosedForm;
use fabrik::Fabrik;
use jacobian::{Jacobian, JacobianScratch};
use thiserror::Error;

use crate::robot::Chain;

/// The solvers that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolverKind {
    /// Damped least squares or Moore-Penrose pseudoinverse of the Jacobian.
    Jacobian,
    /// Forward and backward reaching.
    Fabrik,
    /// Closed-form solutions, for the chains that have them.
    ClosedForm,
}

impl SolverKind {
    /// Every solver there is.
    pub const ALL: [Self; 3] = [Self::Jacobian, Self::Fabrik, Self::ClosedForm];

    /// The name by which it is asked for.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Jacobian => "jacobian",
            Self::Fabrik => "fabrik",
            Self::ClosedForm => "closed_form",
        }
    }
}

impl fmt::Display for SolverKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no solver has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no solver '{name}'; there are {}", SolverKind::ALL.map(SolverKind::name).join(", "))]
pub struct UnknownSolver {
    /// The name asked for.
    pub name: String,
}

impl FromStr for SolverKind {
    type Err = UnknownSolver;

    fn from_str(name: &str) -> Result<Self, UnknownSolver> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| UnknownSolver { name: name.to_owned() })
    }
}

/// Why a solver cannot serve a chain.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NotApplicable {
    /// The chain has no extent, so that there is no scale by which to weigh metres against radians.
    #[error("the chain to '{tip}' has no length: its joints and its tip all lie in one point")]
    NoExtent {
        /// The tip link.
        tip: String,
    },
    /// No closed form is known for the chain.
    #[error("the chain to '{tip}' has no closed form: {reason}; the solver 'jacobian' serves every chain")]
    NoClosedForm {
        /// The tip link.
        tip: String,
        /// A clause that names what is in the way.
        reason: String,
    },
}

/// A solver prepared for one chain.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Solver {
    /// See [`Jacobian`].
    Jacobian(Jacobian),
    /// See [`Fabrik`].
    Fabrik(Fabrik),
    /// See [`ClosedForm`].
    ClosedForm(ClosedForm),
}

/// What a solve works in. Made by [`Solver::scratch`] and of use to that solver, its clones, and what [`Solver::with_method`] and
/// [`Solver::with_fabrik`] make of it.
#[derive(Debug, Clone)]
pub struct Scratch(JacobianScratch);

impl Solver {
    /// Prepares the solver `kind`, with its default options, for `chain`.
    ///
    /// # Errors
    /// [`NotApplicable`] where the solver cannot serve that chain.
    pub fn prepare(kind: SolverKind, chain: &Arc<Chain>) -> Result<Self, NotApplicable> {
        match kind {
            SolverKind::Jacobian => Jacobian::prepare(chain).map(Self::Jacobian),
            SolverKind::Fabrik => Fabrik::prepare(chain).map(Self::Fabrik),
            SolverKind::ClosedForm => ClosedForm::prepare(chain).map(Self::ClosedForm),
        }
    }

    /// The Jacobian solver with that method, on what this one has prepared. Cheap.
    #[must_use]
    pub fn with_method(&self, method: jacobian::Method) -> Self {
        Self::Jacobian(self.search().clone().with_method(method))
    }

    /// FABRIK with those options, on what this solver has prepared. Cheap.
    #[must_use]
    pub fn with_fabrik(&self, options: fabrik::Options) -> Self {
        Self::Fabrik(Fabrik::on(self.search(), options))
    }

    /// The closed form, on what this solver has prepared. Looking for it takes up to some ten milliseconds.
    ///
    /// # Errors
    /// [`NotApplicable::NoClosedForm`] where the chain has none.
    pub fn with_closed_form(&self) -> Result<Self, NotApplicable> {
        ClosedForm::on(self.search()).map(Self::ClosedForm)
    }

    /// Which solver it is.
    #[must_use]
    pub fn kind(&self) -> SolverKind {
        match self {
            Self::Jacobian(_) => SolverKind::Jacobian,
            Self::Fabrik(_) => SolverKind::Fabrik,
            Self::ClosedForm(_) => SolverKind::ClosedForm,
        }
    }

    /// The search that all solvers share, each with its own steps.
    fn search(&self) -> &Jacobian {
        match self {
            Self::Jacobian(solver) => solver,
            Self::Fabrik(solver) => solver.search(),
            Self::ClosedForm(solver) => solver.search(),
        }
    }

    /// The chain that it was prepared for.
    #[must_use]
    pub fn chain(&self) -> &Arc<Chain> {
        self.search().chain()
    }

    /// Scratch for this solver, to keep and reuse.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        Scratch(self.search().scratch())
    }

    /// Room for a solution, to keep and reuse.
    #[must_use]
    pub fn solution(&self) -> Solution {
        Solution::new(self.chain())
    }

    /// The smallest singular value of the Jacobian at `positions`, over the axes of `targets` that count, in the tips' frames, with
    /// position rows divided by the length scale: 0 at a singularity.
    ///
    /// # Errors
    /// [`ProblemError`] where targets or positions make no sense for this chain.
    pub fn smallest_singular_value(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut Scratch,
    ) -> Result<f64, ProblemError> {
        Problem::new(targets, positions).check(self.chain())?;
        Ok(self.search().smallest_singular_value(targets, positions, &mut scratch.0))
    }

    /// Solves `problem` into `solution`. Allocates nothing.
    ///
    /// # Errors
    /// [`ProblemError`] where the problem makes no sense for this chain; `solution` is then left as it was.
    pub fn solve(&self, problem: &Problem, scratch: &mut Scratch, solution: &mut Solution) -> Result<(), ProblemError> {
        problem.check(self.chain())?;
        match self {
            Self::ClosedForm(solver) => solver.solve(problem, &mut scratch.0, solution),
            _ => self.search().solve(problem, &mut scratch.0, solution),
        }
        Ok(())
    }

    /// Solves `problem` on as many cores as there are scratches. The answer is the same each time, but may be another than on one
    /// core: of several first solutions it is that of the attempt with the lowest number. Starting a core takes some ten
    /// microseconds and allocates: it pays for hard problems and for those that want the best of many solutions. The closed form
    /// keeps to the first.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_on(
        &self,
        problem: &Problem,
        scratches: &mut [Scratch],
        solution: &mut Solution,
    ) -> Result<(), ProblemError> {
        if let (Self::ClosedForm(_), [scratch, ..]) = (self, &mut *scratches) {
            return self.solve(problem, scratch, solution);
        }
        problem.check(self.chain())?;
        let mut scratches: Vec<_> = scratches.iter_mut().map(|Scratch(scratch)| scratch).collect();
        self.search().solve_on(problem, &mut scratches, solution);
        Ok(())
    }

    /// Hands every distinct solution that the attempts of `problem` find to `on_solution`, until that says to stop, in the order in
    /// which they are found; gives their number, 64 at most. `solution` is where they are made.
    ///
    /// A chain that is redundant for its targets has a continuum of solutions on each branch: they are gathered at the posture that
    /// the problem prefers, or where it prefers none, at that nearest to the seed.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_all(
        &self,
        problem: &Problem,
        scratch: &mut Scratch,
        solution: &mut Solution,
        on_solution: &mut dyn FnMut(&Solution) -> ControlFlow<()>,
    ) -> Result<usize, ProblemError> {
        problem.check(self.chain())?;
        Ok(match self {
            Self::ClosedForm(solver) => solver.solve_all(problem, &mut scratch.0, solution, on_solution),
            _ => self.search().solve_all(problem, &mut scratch.0, solution, on_solution),
        })
    }
}
