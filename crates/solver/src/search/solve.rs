//! A whole solve, from a problem to its solution.

use std::sync::atomic::AtomicUsize;

use super::attempts::Spent;
use super::avoidance::CollisionAvoidance;
use super::closest::{Budget, ClosestDescent, MAX_ITERATIONS};
use super::continuation::Continuation;
use super::explore::{AttemptSlice, Exploration, Run};
use super::flow::Flow;
use super::known_solutions::KnownSolutions;
use super::position_only::PositionOnly;
use super::prepared_search::{Search, SearchInput};
use super::self_motion::SelfMotions;
use super::setup::Setup;
use super::solution_evaluator::SolutionEvaluator;
use crate::kernel::{Goals, Lanes, Svd, Task};
use crate::preference::manipulability;
use crate::{Outcome, Problem, Reason, Solution, Stop, Target, Tolerance, Unreached, counted_axes};

/// The stages of a search with their working memory.
#[derive(Debug, Clone)]
pub struct SearchScratch {
    pub(super) setup: Setup,
    pub exploration: Exploration,
    pub(super) flow: Flow,
    closest: ClosestDescent,
    position_only: PositionOnly,
    continuation: Continuation,
    pub evaluator: SolutionEvaluator,
    pub self_motions: SelfMotions,
    pub(super) known: KnownSolutions,
    avoidance: CollisionAvoidance,
    /// Goals of targets other than the problem's.
    goals: Goals,
}

impl Search {
    /// Working memory of this search.
    pub fn scratch(&self) -> SearchScratch {
        SearchScratch {
            setup: Setup::new(self),
            exploration: Exploration::new(self),
            flow: Flow::new(self),
            closest: ClosestDescent::new(self),
            position_only: PositionOnly::new(self),
            continuation: Continuation::new(self),
            evaluator: SolutionEvaluator::new(self),
            self_motions: SelfMotions::new(self),
            known: KnownSolutions::new(self),
            avoidance: CollisionAvoidance::new(self),
            goals: Goals::for_targets(self.chain.tips().len()),
        }
    }

    /// Makes a `solution` that was tracked without collision checking collision-free, in place, and appraises it.
    pub fn make_collision_free(&self, problem: &Problem, scratch: &mut SearchScratch, solution: &mut Solution) {
        let SearchScratch { exploration, evaluator, avoidance, .. } = scratch;
        avoidance.make_collision_free(SearchInput { search: self, problem }, evaluator, solution);
        exploration.clearance.appraise_answer(problem, solution);
    }

    /// The decomposed Jacobian at `positions` \[rad or m\], over the constrained axes of `targets` in the tips' frames,
    /// with position rows divided by the length scale.
    pub fn decomposed<'a>(&self, targets: &[Target], positions: &[f64], scratch: &'a mut SearchScratch) -> &'a mut Svd {
        let SearchScratch { goals, evaluator, .. } = scratch;
        self.kernel.set_targets(targets, goals);
        evaluator.decompose(self, goals, positions)
    }

    /// The negative logarithm of the manipulability at `positions` \[rad or m\], over the constrained axes of
    /// `targets`.
    pub fn manipulability_cost(&self, targets: &[Target], positions: &[f64], scratch: &mut SearchScratch) -> f64 {
        manipulability::value(self.decomposed(targets, positions, scratch), counted_axes(targets), 0.0)
    }

    /// Moves `positions` \[rad or m\] in place, by damped Newton steps without limits, to `target` within `tolerance`
    /// \[m and rad\], or to the closest configuration.
    pub fn polish(&self, target: &Target, tolerance: f64, positions: &mut [f64], scratch: &mut SearchScratch) {
        let SearchScratch { setup, goals, closest, .. } = scratch;
        let tolerance = Tolerance { position: tolerance, orientation: tolerance };
        self.kernel.set_targets(&[Target { tolerance, ..*target }], goals);
        let task = Task { goals, bounds: setup.unbounded() };
        closest.descend(&self.kernel, task, positions, Budget::of(MAX_ITERATIONS));
    }

    /// Implements [`Solver::iterate`](crate::Solver::iterate).
    pub fn iterate(&self, problem: &Problem, scratch: &mut SearchScratch, times: usize) {
        let SearchScratch { setup, exploration, .. } = scratch;
        let configurations = &mut exploration.attempts.configurations;
        setup.set(SearchInput { search: self, problem });
        configurations.write_all(&setup.start);
        for _ in 0..times {
            self.kernel.measure(&setup.goals, configurations);
            self.kernel.damped_step(setup.task(), configurations, &Lanes::splat(0.1), &Lanes::splat(1e-3));
        }
    }
}

impl Run<'_> {
    /// True if `positions` \[rad or m\] are connected to the seed of a tracking problem: see [`Continuation`]. They
    /// must meet its targets.
    pub fn is_connected(&self, scratch: &mut SearchScratch, positions: &[f64]) -> bool {
        let SearchScratch { setup, exploration, continuation, .. } = scratch;
        setup.set(self.input);
        let solved = &mut exploration.picked.positions;
        let turns = positions.iter().zip(&setup.whole_turns);
        solved.iter_mut().zip(turns).for_each(|(solved, (position, turns))| *solved = position - turns);
        continuation.reaches(self, setup, solved)
    }

    /// Solves a valid problem, and writes the result into `solution`.
    pub fn solve(&self, scratch: &mut SearchScratch, solution: &mut Solution) {
        let first_found = AtomicUsize::new(usize::MAX);
        let slice = AttemptSlice { index: 0, of: 1, first_found: &first_found };
        let SearchScratch { setup, exploration, continuation, .. } = scratch;
        setup.set_for_attempts(self.input);
        let mut spent = exploration.explore(self, setup, &slice);
        if self.has_continuation() {
            spent.iterations += continuation.connect(self, setup, exploration);
        }
        self.conclude(scratch, solution, spent);
    }

    /// Turns the result of the exploration into the solution.
    pub(super) fn conclude(&self, scratch: &mut SearchScratch, solution: &mut Solution, mut spent: Spent) {
        let SearchInput { search, problem } = self.input;
        let is_picked = scratch.exploration.picked.is_some();
        if !is_picked && !problem.goals.is_empty() {
            // Without a solution, goals that were bounds have weights.
            scratch.setup.set(self.input);
        }
        let is_at_position = !is_picked && self.refine_unmet(scratch, &mut spent);
        let SearchScratch { setup, exploration, flow, position_only, continuation, evaluator, avoidance, .. } = scratch;
        let Exploration { picked, closest, clearance, .. } = &mut *exploration;
        let candidate = match (is_picked, is_at_position) {
            (true, _) => {
                if problem.cost.is_none() {
                    flow.optimise(self.input, setup, &mut picked.positions, clearance);
                }
                picked
            }
            (false, true) => &mut position_only.best,
            (false, false) => closest,
        };
        setup.fold(problem, &mut candidate.positions);
        evaluator.evaluate(self.input, setup, &candidate.positions, solution);
        if is_at_position {
            solution.accept_position(problem.targets);
        }
        let is_answer = is_picked || is_at_position;
        // In collision, or all solutions are.
        let is_blocked =
            !is_answer && (!clearance.blocked.is_empty() || !clearance.is_clear(problem, &solution.positions));
        let explains = !is_blocked && !clearance.has_refused && problem.unreached != Unreached::Stop;
        let is_blocked_by_limits = explains
            && problem.goals.is_empty()
            && spent.stop == Stop::Attempts
            && if self.has_continuation() {
                continuation.is_blocked_by_limits(self, setup, solution)
            } else {
                exploration.is_blocked_by_limits(self, setup, solution)
            };
        if is_blocked_by_limits {
            solution.outcome = Outcome::Closest(Reason::JointLimits);
        } else if explains
            && solution.outcome == Outcome::Closest(Reason::NotConverged)
            && let Some(reason) = self.explain(setup, exploration, solution)
        {
            solution.outcome = Outcome::Closest(reason);
        }
        if is_blocked {
            avoidance.approach(self, &mut exploration.clearance, evaluator, solution);
        }
        if !is_answer {
            exploration.clearance.appraise_answer(problem, solution);
        }
        solution.stop = if solution.is_solved() { Stop::Converged } else { spent.stop };
        solution.smallest_singular_value = (self.tracks() && !problem.targets.is_empty()).then(|| {
            let decomposed = evaluator.decompose(search, &setup.goals, &solution.positions);
            decomposed.smallest_singular_value(counted_axes(problem.targets))
        });
        (solution.iterations, solution.attempts, solution.refused) = (spent.iterations, spent.attempts, spent.refused);
        solution.elapsed = self.start.elapsed();
    }

    /// Refines the result if no attempt met the targets, as [`Problem::unreached`] asks. True if the
    /// positions alone are met.
    fn refine_unmet(&self, scratch: &mut SearchScratch, spent: &mut Spent) -> bool {
        let unreached = self.input.problem.unreached;
        if unreached == Unreached::Stop || !self.iteration.refines() {
            return false;
        }
        let SearchScratch { setup, exploration, closest: descent, position_only, continuation, .. } = scratch;
        spent.iterations += descent.refine(self, setup, exploration);
        if self.tracks() && !self.input.problem.goals.is_empty() {
            descent.track_around_seed(self, setup, &mut exploration.closest);
        }
        let is_at_position = unreached == Unreached::Position
            && position_only.find(self, setup, descent, exploration, spent)
            && (!self.has_continuation()
                || continuation.connect_position(self, setup, position_only, &mut exploration.clearance));
        if self.has_expired() {
            spent.stop = Stop::Deadline;
        }
        if self.has_continuation() && !is_at_position {
            continuation.settle_closest(self, setup, &mut exploration.closest.positions);
        }
        is_at_position
    }
}
