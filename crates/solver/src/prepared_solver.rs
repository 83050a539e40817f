//! A solver prepared for one chain: a search and a method.
//!
//! A solver is prepared once per chain and constant afterwards: it owns the seed table, the reach and the length scale.
//! `solve` takes `&self`, scratch memory and a solution owned by the caller, and allocates nothing.

use std::sync::Arc;

use super::closed_form::ClosedForm;
use super::independent_axes::sensible_free_axes;
use super::search::{Iteration, OnSolution, Run, Search, SearchInput, SearchScratch};
use super::{
    FabrikOptions, JacobianStep, MAX_ACCELERATION, Method, Mode, NotApplicable, Problem, ProblemError, Solution,
    Target, TipReach, counted_axes,
};
use urdf_ik_robot::Chain;

/// A solver prepared for one chain. Immutable, and cheap to clone.
#[derive(Debug, Clone)]
pub struct Solver {
    search: Search,
    /// The kind of iteration of the search.
    iteration: Iteration,
    /// Precedes the search, which solves targets without a closed-form answer.
    form: Option<Arc<ClosedForm>>,
}

/// Working memory of a solve, created by [`Solver::scratch`]. It can be used with that solver, its clones and the
/// solvers derived from it by [`Solver::with_method`].
#[derive(Debug, Clone)]
pub struct Scratch(SearchScratch);

impl Solver {
    /// Prepares a solver for `chain`. `method` is a [`Method`], or a [`SolverKind`](super::SolverKind) for its
    /// default options.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urdf_ik_robot::{Chain, Robot};
    /// use urdf_ik_solver::{Solver, SolverKind};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
    /// let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
    /// let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
    /// assert_eq!(solver.method().kind(), SolverKind::Jacobian);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`NotApplicable`] if the method does not support the chain.
    pub fn prepare(method: impl Into<Method>, chain: &Arc<Chain>) -> Result<Self, NotApplicable> {
        let iteration = Iteration::Jacobian(JacobianStep::default());
        Self { search: Search::prepare(chain), iteration, form: None }.with_method(method)
    }

    /// A solver for the same chain with another method. Both solvers share the precomputed data, so the call is cheap,
    /// except that deriving a closed form takes up to tens of milliseconds.
    ///
    /// # Errors
    /// [`NotApplicable::NoClosedForm`] if the method is the closed form and the chain has none.
    pub fn with_method(&self, method: impl Into<Method>) -> Result<Self, NotApplicable> {
        let (iteration, form) = match (method.into(), &self.form) {
            (Method::Jacobian(step), _) => (Iteration::Jacobian(step), None),
            (Method::Fabrik(FabrikOptions { acceleration, polish }), _) => {
                let acceleration = acceleration.min(MAX_ACCELERATION);
                (Iteration::Fabrik(FabrikOptions { acceleration, polish }), None)
            }
            (Method::ClosedForm, form) => {
                let form = form.clone().map_or_else(|| ClosedForm::find(&self.search).map(Arc::new), Ok)?;
                (Iteration::Jacobian(JacobianStep::default()), Some(form))
            }
        };
        Ok(Self { search: self.search.clone(), iteration, form })
    }

    /// The method with its options.
    pub fn method(&self) -> Method {
        match self.iteration {
            _ if self.form.is_some() => Method::ClosedForm,
            Iteration::Jacobian(step) => Method::Jacobian(step),
            Iteration::Fabrik(options) => Method::Fabrik(options),
        }
    }

    /// The closed form; `None` for other methods.
    pub fn closed_form(&self) -> Option<&ClosedForm> {
        self.form.as_deref()
    }

    /// The chain of the solver.
    pub fn chain(&self) -> &Arc<Chain> {
        &self.search.chain
    }

    /// Position error \[m\] equivalent to one radian of orientation error.
    pub fn length_scale(&self) -> f64 {
        self.search.kernel.length_scale
    }

    /// Bounds on the distances that each tip reaches \[m\], in the order of [`Chain::tips`].
    pub fn reach(&self) -> &[TipReach] {
        &self.search.reach
    }

    /// Free axes to use in [targets](Target::free_axes) of the tip with index `tip`, for chains that cannot control
    /// all six axes. An entry is true if its axis is free, in the order of [`AXIS_NAMES`](super::AXIS_NAMES). All are
    /// false for chains with six independent axes.
    ///
    /// The number of constrained axes is the median rank of the Jacobian over configurations spread over the joint
    /// limits. Candidates are the sets of that many axes that are independent in most configurations and have the
    /// most position axes. They are compared by the geometric mean of their smallest singular value (position rows
    /// divided by the [length scale](Self::length_scale)). Among the sets with at least half of the best value, the one
    /// that constrains the earlier axes of [`AXIS_NAMES`](super::AXIS_NAMES) is chosen: tools usually point along z,
    /// so most tasks do not need the rotation about z.
    ///
    /// # Panics
    /// If `tip` is not an index of [`Chain::tips`].
    pub fn sensible_free_axes(&self, tip: usize) -> [bool; 6] {
        sensible_free_axes(self.chain(), tip, self.length_scale())
    }

    /// Working memory for this solver, to reuse between solves.
    pub fn scratch(&self) -> Scratch {
        Scratch(self.search.scratch())
    }

    /// Memory for a solution of this solver's chain, to reuse between solves.
    pub fn solution(&self) -> Solution {
        Solution::new(self.chain())
    }

    /// The smallest singular value of the Jacobian at `positions` \[rad or m\], one entry per variable. The Jacobian
    /// has one row per constrained axis of `targets`, in the tips' frames, with position rows divided by the
    /// [length scale](Self::length_scale). The value is 0 at a singularity.
    ///
    /// # Errors
    /// [`ProblemError`] if targets or positions are not valid for the chain.
    pub fn smallest_singular_value(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut Scratch,
    ) -> Result<f64, ProblemError> {
        self.check(&Problem::new(targets, positions))?;
        let decomposed = self.search.decomposed(targets, positions, &mut scratch.0);
        Ok(decomposed.smallest_singular_value(counted_axes(targets)))
    }

    /// Solves `problem` and writes the result into `solution`. Allocates nothing.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use nalgebra::Isometry3;
    /// # use urdf_ik_robot::{Chain, Robot};
    /// use urdf_ik_solver::{Mode, Problem, Solver, SolverKind, Target};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
    /// # let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
    /// let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
    /// let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    /// let mut positions = chain.nominal_positions();
    /// // A search finds any solution.
    /// let targets = [Target::new(0, Isometry3::translation(0.3, 0.2, 0.5)).position_only()];
    /// solver.solve(&Problem::new(&targets, &positions), &mut scratch, &mut solution)?;
    /// positions.copy_from_slice(&solution.positions);
    /// // Tracking stays on its branch, with at most 0.2 rad per joint.
    /// let targets = [Target::new(0, Isometry3::translation(0.31, 0.2, 0.5)).position_only()];
    /// let track = Problem::new(&targets, &positions).with_mode(Mode::Track { max_step: &[0.2; 7] });
    /// solver.solve(&track, &mut scratch, &mut solution)?;
    /// assert!(solution.is_solved());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ProblemError`] if the problem is not valid for the chain; `solution` is then unchanged.
    pub fn solve(&self, problem: &Problem, scratch: &mut Scratch, solution: &mut Solution) -> Result<(), ProblemError> {
        self.check(problem)?;
        let Scratch(scratch) = scratch;
        if let (Mode::Track { .. }, Some(_)) = (problem.mode, &problem.clearance) {
            self.solve_checked(&Problem { clearance: None, accepts: None, cost: None, ..*problem }, scratch, solution);
            self.search.make_collision_free(problem, scratch, solution);
        } else {
            self.solve_checked(problem, scratch, solution);
        }
        Ok(())
    }

    pub(super) fn search(&self) -> &Search {
        &self.search
    }

    pub(super) fn input<'a>(&'a self, problem: &'a Problem<'a>) -> SearchInput<'a> {
        SearchInput { search: &self.search, problem }
    }

    fn run<'a>(&'a self, problem: &'a Problem<'a>) -> Run<'a> {
        Run::new(self.input(problem), self.iteration)
    }

    /// Solves a valid problem.
    fn solve_checked(&self, problem: &Problem, scratch: &mut SearchScratch, solution: &mut Solution) {
        let run = self.run(problem);
        match &self.form {
            Some(form) => form.solve(&run, scratch, solution),
            None => run.solve(scratch, solution),
        }
    }

    /// Solves `problem` on one thread per scratch and writes the result into `solution`. The result is deterministic,
    /// but may differ from that of [`Solver::solve`]: of the first solutions of all threads, the one with the lowest
    /// attempt number is returned. Starting a thread takes some ten microseconds and allocates. Several threads pay
    /// for hard problems and for the best of many solutions. The closed form and tracking use one thread. Without
    /// scratches, the problem is only checked.
    ///
    /// # Errors
    /// [`ProblemError`] as for [`Solver::solve`].
    pub fn solve_on(
        &self,
        problem: &Problem,
        scratches: &mut [Scratch],
        solution: &mut Solution,
    ) -> Result<(), ProblemError> {
        let [scratch, ..] = scratches else { return self.check(problem) };
        // Tracking is one attempt.
        if self.form.is_some() || matches!(problem.mode, Mode::Track { .. }) {
            return self.solve(problem, scratch, solution);
        }
        self.check(problem)?;
        let mut scratches: Vec<_> = scratches.iter_mut().map(|Scratch(scratch)| scratch).collect();
        self.run(problem).solve_on(&mut scratches, solution);
        Ok(())
    }

    /// Calls `on_solution` for each distinct solution that the attempts of `problem` find, in the order of discovery,
    /// until it returns [`Break`](std::ops::ControlFlow::Break). Each solution is first written into `solution`.
    /// Returns the number of solutions, at most 64.
    ///
    /// A chain that is redundant for its targets has a continuum of solutions on each branch. One of them is
    /// reported: the optimum of the problem's preference or, without a preference, the solution nearest to the seed.
    ///
    /// # Errors
    /// [`ProblemError`] as for [`Solver::solve`].
    pub fn solve_all(
        &self,
        problem: &Problem,
        scratch: &mut Scratch,
        solution: &mut Solution,
        on_solution: OnSolution,
    ) -> Result<usize, ProblemError> {
        self.check(problem)?;
        let (run, Scratch(scratch)) = (self.run(problem), scratch);
        Ok(match &self.form {
            Some(form) => form.solve_all(&run, scratch, solution, on_solution),
            None => run.solve_all(scratch, solution, on_solution),
        })
    }

    /// Checks that the problem is valid for the chain, and that no target constrains the position of a tip that
    /// can only rotate.
    fn check(&self, problem: &Problem) -> Result<(), ProblemError> {
        problem.check(self.chain())?;
        let only_rotates =
            |target: &&Target| self.reach()[target.tip].tip.outer == 0.0 && target.free_axes[..3] != [true; 3];
        problem
            .targets
            .iter()
            .find(only_rotates)
            .map_or(Ok(()), |target| Err(ProblemError::OnlyRotates(self.chain().tips()[target.tip].link.clone())))
    }

    /// Makes `times` damped iterations from the seed of `problem`. Each computes forward kinematics, Jacobian and
    /// damped step of four configurations at once. For benchmarks.
    #[doc(hidden)]
    pub fn iterate(&self, problem: &Problem, scratch: &mut Scratch, times: usize) {
        self.search.iterate(problem, &mut scratch.0, times);
    }
}
