//! A solver prepared for one chain: one search, and one method.

use std::sync::Arc;

use super::closed_form::ClosedForm;
use super::independent_axes::sensible_free_axes;
use super::search::{Iteration, OnSolution, Posed, Run, Search, SearchScratch};
use super::{
    FabrikOptions, MAX_ACCELERATION, Method, Mode, NotApplicable, Problem, ProblemError, Solution, Target, TipReach,
    counted_axes,
};
use urdf_ik_robot::Chain;

/// A solver prepared for one chain. Constant, and cheap to clone.
#[derive(Debug, Clone)]
pub struct Solver {
    search: Search,
    method: Prepared,
}

/// A method, with what it needs to know of the chain.
#[derive(Debug, Clone)]
enum Prepared {
    /// The search alone.
    Search(Iteration),
    /// Formulas first, then the search by Newton steps for what they do not answer.
    ClosedForm(Arc<ClosedForm>),
}

/// Memory that a solve works in. [`Solver::scratch`] makes it, for that solver, its clones and what
/// [`Solver::with_method`] makes of it.
#[derive(Debug, Clone)]
pub struct Scratch(SearchScratch);

impl Solver {
    /// Prepares a solver for `chain`. `method` is a [`Method`], or a [`SolverKind`](super::SolverKind) for its default options.
    ///
    /// # Errors
    /// [`NotApplicable`] where the method cannot serve that chain.
    pub fn prepare(method: impl Into<Method>, chain: &Arc<Chain>) -> Result<Self, NotApplicable> {
        let search = Search::prepare(chain);
        let method = Prepared::new(method.into(), &search)?;
        Ok(Self { search, method })
    }

    /// The solver with another method, on what this one has prepared. This is cheap, except for a closed form: finding one takes some
    /// ten milliseconds at most.
    ///
    /// # Errors
    /// [`NotApplicable::NoClosedForm`] where the method is the closed form and the chain has none.
    pub fn with_method(&self, method: impl Into<Method>) -> Result<Self, NotApplicable> {
        let method = match (method.into(), &self.method) {
            (Method::ClosedForm, Prepared::ClosedForm(form)) => Prepared::ClosedForm(Arc::clone(form)),
            (method, _) => Prepared::new(method, &self.search)?,
        };
        Ok(Self { search: self.search.clone(), method })
    }

    /// The method.
    pub fn method(&self) -> Method {
        match &self.method {
            Prepared::Search(Iteration::Jacobian(step)) => Method::Jacobian(*step),
            Prepared::Search(Iteration::Fabrik(options)) => Method::Fabrik(*options),
            Prepared::ClosedForm(_) => Method::ClosedForm,
        }
    }

    /// The closed form, where that is the method.
    pub fn closed_form(&self) -> Option<&ClosedForm> {
        match &self.method {
            Prepared::Search(_) => None,
            Prepared::ClosedForm(form) => Some(form),
        }
    }

    /// The chain that it was prepared for.
    pub fn chain(&self) -> &Arc<Chain> {
        &self.search.chain
    }

    /// Metres of position error that count as much as one radian of orientation error.
    pub fn length_scale(&self) -> f64 {
        self.search.kernel.length_scale
    }

    /// What bounds the reach of each tip, in the order of [`Chain::tips`].
    pub fn reach(&self) -> &[TipReach] {
        &self.search.reach
    }

    /// The axes that targets for the tip with index `tip` should leave free, as [`Target::free_axes`] has them, because the chain
    /// cannot follow all six: none, unless it has fewer than six independent axes.
    ///
    /// The rule: the chain is looked at in configurations spread over the joint limits. As many axes are kept as can be
    /// moved independently at most of them. Among the sets of that many axes for which this holds, those with the most
    /// axes of position come first. Among these the smallest singular value decides, in its geometric mean (positions
    /// over the [length scale](Self::length_scale)): of the sets that have at least half of the greatest, the one that
    /// keeps the earlier axes of [`AXIS_NAMES`](super::AXIS_NAMES). By convention tools point along z, and a turn about
    /// z is what most tasks can spare.
    ///
    /// # Panics
    /// Where `tip` is no index of [`Chain::tips`].
    pub fn sensible_free_axes(&self, tip: usize) -> [bool; 6] {
        sensible_free_axes(self.chain(), tip, self.length_scale())
    }

    /// Scratch for this solver, to keep and reuse.
    pub fn scratch(&self) -> Scratch {
        Scratch(self.search.scratch())
    }

    /// Room for a solution, to keep and reuse.
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
        self.check(&Problem::new(targets, positions))?;
        let decomposed = self.search.decomposed(targets, positions, &mut scratch.0);
        Ok(decomposed.smallest_singular_value(counted_axes(targets)))
    }

    /// Solves `problem` into `solution`. Allocates nothing.
    ///
    /// # Errors
    /// [`ProblemError`] where the problem makes no sense for this chain; `solution` is then left as it was.
    pub fn solve(&self, problem: &Problem, scratch: &mut Scratch, solution: &mut Solution) -> Result<(), ProblemError> {
        self.check(problem)?;
        let Scratch(scratch) = scratch;
        if let (Mode::Track { .. }, Some(_)) = (problem.mode, &problem.clearance) {
            self.solve_checked(&Problem { clearance: None, accepts: None, cost: None, ..*problem }, scratch, solution);
            self.search.keep_clear(problem, scratch, solution);
        } else {
            self.solve_checked(problem, scratch, solution);
        }
        Ok(())
    }

    pub(super) fn posed<'a>(&'a self, problem: &'a Problem<'a>) -> Posed<'a> {
        Posed { search: &self.search, problem }
    }

    /// Solves a problem that has been checked.
    fn solve_checked(&self, problem: &Problem, scratch: &mut SearchScratch, solution: &mut Solution) {
        match &self.method {
            Prepared::ClosedForm(form) => form.solve(self.posed(problem), scratch, solution),
            Prepared::Search(iteration) => Run::new(self.posed(problem), *iteration).solve(scratch, solution),
        }
    }

    /// Solves `problem` on as many cores as there are scratches. The answer is the same each time, but may be another
    /// than on one core: of the first solutions of all cores it is that of the attempt with the lowest number. Starting
    /// a core takes some ten microseconds and allocates: it pays for hard problems and for those that want the best of
    /// many solutions. The closed form keeps to one core.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_on(
        &self,
        problem: &Problem,
        scratches: &mut [Scratch],
        solution: &mut Solution,
    ) -> Result<(), ProblemError> {
        match (&self.method, scratches) {
            // Tracking is one attempt.
            (Prepared::Search(_), [scratch, ..]) if matches!(problem.mode, Mode::Track { .. }) => {
                self.solve(problem, scratch, solution)
            }
            (Prepared::Search(iteration), scratches) => {
                self.check(problem)?;
                let mut scratches: Vec<_> = scratches.iter_mut().map(|Scratch(scratch)| scratch).collect();
                Run::new(self.posed(problem), *iteration).solve_on(&mut scratches, solution);
                Ok(())
            }
            (Prepared::ClosedForm(_), [scratch, ..]) => self.solve(problem, scratch, solution),
            (Prepared::ClosedForm(_), []) => self.check(problem),
        }
    }

    /// Hands every distinct solution that the attempts of `problem` find to `on_solution`, in the order in which they
    /// are found, until that says to stop. Returns their number, 64 at most. Each is written into `solution` first.
    ///
    /// A chain that is redundant for its targets has a continuum of solutions on each branch: they are gathered at the configuration
    /// that the problem prefers, or where it prefers none, at that nearest to the seed.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_all(
        &self,
        problem: &Problem,
        scratch: &mut Scratch,
        solution: &mut Solution,
        on_solution: OnSolution,
    ) -> Result<usize, ProblemError> {
        self.check(problem)?;
        let Scratch(scratch) = scratch;
        Ok(match &self.method {
            Prepared::ClosedForm(form) => form.solve_all(self.posed(problem), scratch, solution, on_solution),
            Prepared::Search(iteration) => {
                Run::new(self.posed(problem), *iteration).solve_all(scratch, solution, on_solution)
            }
        })
    }

    /// Checks that the problem is valid for the chain, and that no target asks for the position of a tip that has but one.
    fn check(&self, problem: &Problem) -> Result<(), ProblemError> {
        problem.check(self.chain())?;
        let stuck = |target: &&Target| self.reach()[target.tip].tip.outer == 0.0 && target.free_axes[..3] != [true; 3];
        problem.targets.iter().find(stuck).map_or(Ok(()), |target| {
            Err(ProblemError::OnlyRotates { tip: self.chain().tips()[target.tip].link.clone() })
        })
    }

    /// Takes `times` damped iterations from the seed of `problem`, whatever they lead to: forward kinematics, Jacobian and damped step,
    /// of four configurations at once. For measurements of what one of them costs.
    #[doc(hidden)]
    pub fn iterate(&self, problem: &Problem, scratch: &mut Scratch, times: usize) {
        self.search.iterate(problem, &mut scratch.0, times);
    }
}

impl Prepared {
    fn new(method: Method, search: &Search) -> Result<Self, NotApplicable> {
        Ok(match method {
            Method::Jacobian(step) => Self::Search(Iteration::Jacobian(step)),
            Method::Fabrik(FabrikOptions { acceleration, polish }) => {
                let acceleration = acceleration.min(MAX_ACCELERATION);
                Self::Search(Iteration::Fabrik(FabrikOptions { acceleration, polish }))
            }
            Method::ClosedForm => Self::ClosedForm(Arc::new(ClosedForm::find(search)?)),
        })
    }
}
