//! A whole solve, from a problem to its solution.

use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use super::all_solutions::Known;
use super::attempts::Spent;
use super::avoidance::Avoidance;
use super::clearance::ClearanceCheck;
use super::closest::{ClosestDescent, ITERATIONS};
use super::explore::{Exploration, Share};
use super::flow::Flow;
use super::iteration::Iteration;
use super::null_space::NullSpace;
use super::prepared_search::Search;
use super::self_motion::SelfMotions;
use super::setup::Setup;
use super::verdict::Verdict;
use crate::kernel::Lanes;
use crate::{Mode, Outcome, Problem, Reason, Solution, Stop, Target, Tolerance};

/// The stages of a search, each with what it works in. Only a whole solve sees all of them.
#[derive(Debug, Clone)]
pub struct SearchScratch {
    pub(super) setup: Setup,
    pub(super) exploration: Exploration,
    pub(super) null_space: NullSpace,
    flow: Flow,
    closest: ClosestDescent,
    pub(super) verdict: Verdict,
    pub self_motions: SelfMotions,
    pub(super) known: Known,
    avoidance: Avoidance,
}

impl SearchScratch {
    /// What tells whether configurations keep clear.
    pub fn clearance(&mut self) -> &mut ClearanceCheck {
        &mut self.exploration.clearance
    }
}

impl Search {
    /// Scratch for this search, to keep and reuse.
    pub fn scratch(&self) -> SearchScratch {
        SearchScratch {
            setup: Setup::new(self),
            exploration: Exploration::new(self),
            null_space: NullSpace::new(self),
            flow: Flow::new(self),
            closest: ClosestDescent::new(self),
            verdict: Verdict::new(self),
            self_motions: SelfMotions::new(self),
            known: Known::new(self),
            avoidance: Avoidance::default(),
        }
    }

    /// Solves a problem that has been checked.
    pub fn solve(&self, iteration: Iteration, problem: &Problem, scratch: &mut SearchScratch, solution: &mut Solution) {
        let start = Instant::now();
        let first_found = AtomicUsize::new(usize::MAX);
        let share = Share { index: 0, of: 1, first_found: &first_found, start };
        let SearchScratch { setup, exploration, .. } = scratch;
        setup.set(self, problem);
        let spent = exploration.explore(self, iteration, problem, setup, &share);
        self.conclude(iteration, problem, scratch, solution, spent, start);
    }

    /// Makes the solution out of what was explored.
    pub(super) fn conclude(
        &self,
        iteration: Iteration,
        problem: &Problem,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
        mut spent: Spent,
        start: Instant,
    ) {
        let SearchScratch { setup, exploration, null_space, flow, closest: descent, verdict, avoidance, .. } = scratch;
        let Exploration { picked, closest, attempts, clearance, .. } = exploration;
        let is_picked = picked.is_some();
        let candidate = if is_picked {
            if problem.cost.is_none() {
                flow.optimise(self, problem, setup, &mut picked.positions, null_space, clearance);
            }
            picked
        } else {
            if problem.closest && iteration.refines() {
                let expired = || problem.deadline.is_some_and(|deadline| start.elapsed() >= deadline);
                spent.iterations += descent.refine(&self.kernel, setup, closest, &mut attempts.given_up, &expired);
                if expired() {
                    spent.stop = Stop::Deadline;
                }
            }
            closest
        };
        setup.fold(problem, &mut candidate.positions);
        verdict.judge(self, problem, setup, &candidate.positions, solution);
        let is_clear = is_picked || clearance.is_clear(problem, &solution.positions);
        let is_unexplained = is_clear && !clearance.has_refused && problem.closest && spent.stop == Stop::Attempts;
        if is_unexplained && exploration.limits_are_in_the_way(self, problem, setup, solution) {
            solution.outcome = Outcome::Closest(Reason::JointLimits);
        }
        if !is_clear {
            avoidance.approach(self, problem, setup, &mut exploration.attempts.configurations, verdict, solution);
        }
        if !is_picked {
            exploration.clearance.judge(problem, solution);
        }
        solution.stop = if solution.is_solved() { Stop::Converged } else { spent.stop };
        solution.smallest_singular_value = matches!(problem.mode, Mode::Track { .. })
            .then(|| verdict.smallest_singular_value(self, problem.targets, &setup.goals, &solution.positions));
        (solution.iterations, solution.attempts) = (spent.iterations, spent.attempts);
        solution.elapsed = start.elapsed();
    }

    /// Makes `solution`, tracked without regard to collisions, keep clear, and has the last word on it.
    pub fn keep_clear(&self, problem: &Problem, scratch: &mut SearchScratch, solution: &mut Solution) {
        let SearchScratch { setup, exploration: Exploration { attempts, clearance, .. }, verdict, avoidance, .. } =
            scratch;
        avoidance.keep_clear(self, problem, setup, &mut attempts.configurations, verdict, solution);
        clearance.judge(problem, solution);
    }

    /// See [`Solver::smallest_singular_value`](crate::Solver::smallest_singular_value).
    pub fn smallest_singular_value(&self, targets: &[Target], positions: &[f64], scratch: &mut SearchScratch) -> f64 {
        let SearchScratch { setup, verdict, .. } = scratch;
        self.kernel.set_goals(targets, &mut setup.goals);
        verdict.smallest_singular_value(self, targets, &setup.goals, positions)
    }

    /// The logarithm of the manipulability at `positions`, over the axes of `targets` that count.
    pub fn log_manipulability(&self, targets: &[Target], positions: &[f64], scratch: &mut SearchScratch) -> f64 {
        let SearchScratch { setup, verdict, .. } = scratch;
        self.kernel.set_goals(targets, &mut setup.goals);
        verdict.log_manipulability(self, targets, &setup.goals, positions)
    }

    /// Makes `positions` the answer and measures it; tells whether it meets the targets.
    pub fn hand_out(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut SearchScratch,
        solution: &mut Solution,
    ) -> bool {
        scratch.verdict.measure(self, targets, positions, solution)
    }

    /// Leads `positions` by damped Newton steps, without regard to limits, to where the tip misses `target` by no more than
    /// `tolerance` \[m and rad\], or as near as it comes.
    pub fn polish(&self, target: &Target, tolerance: f64, positions: &mut [f64], scratch: &mut SearchScratch) {
        let SearchScratch { setup, closest, .. } = scratch;
        let tolerance = Tolerance { position: tolerance, orientation: tolerance };
        setup.unbound();
        self.kernel.set_goals(&[Target { tolerance, ..*target }], &mut setup.goals);
        closest.descend(&self.kernel, setup, positions, ITERATIONS, &|| false);
    }

    /// See [`Solver::iterate`](crate::Solver::iterate).
    pub fn iterate(&self, problem: &Problem, scratch: &mut SearchScratch, times: usize) {
        let SearchScratch { setup, exploration, .. } = scratch;
        let configurations = &mut exploration.attempts.configurations;
        setup.set(self, problem);
        configurations.write_all(&setup.start);
        for _ in 0..times {
            self.kernel.measure(&setup.goals, configurations);
            self.kernel.damped_step(setup.task(), configurations, &Lanes::splat(0.1), &Lanes::splat(1e-3));
        }
    }
}
