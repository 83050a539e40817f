//! A whole solve, from a problem to its solution.

use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use super::attempts::Spent;
use super::closest::ClosestScratch;
use super::explore::{Exploration, Share};
use super::iteration::Iteration;
use super::prepared_search::Search;
use super::scratch::SearchScratch;
use crate::kernel::lanes::Lanes;
use crate::problem::{Mode, Problem, Target};
use crate::solution::{Outcome, Reason, Solution, Stop};

impl Search {
    /// Solves a problem that has been checked.
    pub fn solve(&self, iteration: Iteration, problem: &Problem, scratch: &mut SearchScratch, solution: &mut Solution) {
        let start = Instant::now();
        let first_found = AtomicUsize::new(usize::MAX);
        let share = Share { index: 0, of: 1, first_found: &first_found, start };
        let SearchScratch { setup, exploration, .. } = scratch;
        self.set_up(problem, setup);
        let spent = self.explore(iteration, problem, setup, exploration, &share);
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
        let SearchScratch { setup, exploration, null_space, flow, nearest, verdict, .. } = scratch;
        let Exploration { picked, closest, attempts, clearance, .. } = exploration;
        let is_picked = picked.is_some();
        let candidate = if is_picked {
            if problem.cost.is_none() {
                self.settle_or_flow(problem, setup, &mut picked.positions, (null_space, clearance), flow);
            }
            picked
        } else {
            if problem.closest && iteration.refines() {
                let expired = || problem.deadline.is_some_and(|deadline| start.elapsed() >= deadline);
                spent.iterations += self.refine(setup, closest, &mut attempts.given_up, nearest, &expired);
                if expired() {
                    spent.stop = Stop::Deadline;
                }
            }
            closest
        };
        self.fold(problem, setup, &mut candidate.positions);
        self.judge(problem, setup, &candidate.positions, verdict, solution);
        let is_clear = is_picked || clearance.is_clear(problem, &solution.positions);
        let asks_why = is_clear && !clearance.has_refused && problem.closest && spent.stop == Stop::Attempts;
        if asks_why && self.limits_are_in_the_way(problem, setup, exploration, solution) {
            solution.outcome = Outcome::Closest(Reason::JointLimits);
        }
        if let Some(clearance) = problem.clearance.filter(|_| !is_clear) {
            self.approach(problem, &clearance, scratch, solution);
        }
        if !is_picked {
            scratch.clearance().judge(problem, solution);
        }
        solution.stop = if solution.is_solved() { Stop::Converged } else { spent.stop };
        let SearchScratch { setup, singular_values, .. } = scratch;
        solution.smallest_singular_value = match problem.mode {
            Mode::Track { .. } => {
                let targets = (problem.targets, &*setup.goals);
                Some(self.smallest_singular_value_at(targets, &solution.positions, singular_values))
            }
            Mode::Search { .. } => None,
        };
        solution.iterations = spent.iterations;
        solution.attempts = spent.attempts;
        solution.elapsed = start.elapsed();
    }

    /// See [`Solver::smallest_singular_value`](crate::Solver::smallest_singular_value).
    pub fn smallest_singular_value(&self, targets: &[Target], positions: &[f64], scratch: &mut SearchScratch) -> f64 {
        let SearchScratch { setup, singular_values, .. } = scratch;
        self.set_goals(targets, &mut setup.goals);
        self.smallest_singular_value_at((targets, &setup.goals), positions, singular_values)
    }

    /// The logarithm of the manipulability at `positions`, over the axes of `targets` that count.
    pub fn log_manipulability(&self, targets: &[Target], positions: &[f64], scratch: &mut SearchScratch) -> f64 {
        let SearchScratch { setup, singular_values, .. } = scratch;
        self.set_goals(targets, &mut setup.goals);
        self.log_manipulability_at((targets, &setup.goals), positions, singular_values)
    }

    /// Makes `positions` the answer and measures it; tells whether it meets the targets.
    pub fn hand_out(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut SearchScratch,
        solution: &mut Solution,
    ) -> bool {
        self.measure_answer(targets, positions, &mut scratch.verdict, solution)
    }

    /// See [`Solver::iterate`](crate::Solver::iterate).
    pub fn iterate(&self, problem: &Problem, scratch: &mut SearchScratch, times: usize) {
        let SearchScratch { setup, exploration, nearest: ClosestScratch { step, .. }, .. } = scratch;
        let configurations = &mut exploration.attempts.configurations;
        self.set_up(problem, setup);
        configurations.write_all(&setup.start);
        for _ in 0..times {
            self.kernel.measure(&setup.goals, configurations);
            let task = (&*setup.goals, setup.bounds());
            self.kernel.damped_step(task, (configurations, step), &Lanes::splat(0.1), &Lanes::splat(1e-3));
        }
    }
}
