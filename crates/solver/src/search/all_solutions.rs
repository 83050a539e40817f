//! Every solution that can be found, one of each kind, and when two of them are the same.
//!
//! The closed form has a finer measure of its own (`arm_solutions.rs`): its solutions are exact.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use super::attempts::{Arrival, Plan};
use super::explore::{Exploration, Share};
use super::iteration::{Iteration, SEARCH_DAMPING};
use super::prepared_search::Search;
use super::solve::SearchScratch;
use crate::{Mode, Preference, Problem, Solution, Stop, counted_axes};
use urdf_ik_robot::without_whole_turns;

impl Search {
    /// See [`Solver::solve_all`](crate::Solver::solve_all).
    pub fn solve_all(
        &self,
        iteration: Iteration,
        problem: &Problem,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
        on_solution: &mut dyn FnMut(&Solution) -> ControlFlow<()>,
    ) -> usize {
        let Mode::Search { attempts, random_seed, .. } = problem.mode else {
            self.solve(iteration, problem, scratch, solution);
            if solution.is_solved() {
                // There is no other to stop at.
                let _ = on_solution(solution);
            }
            return usize::from(solution.is_solved());
        };
        let (start, first_found) = (Instant::now(), AtomicUsize::new(usize::MAX));
        let share = Share { index: 0, of: 1, first_found: &first_found, start };
        let over = |number: usize| share.over(self, problem, number);
        let damping = SEARCH_DAMPING;
        let plan = Plan { attempts, first: 0, stride: 1, iteration, random_seed, damping, leaps: true, over: &over };
        let near_seed = Preference { posture: Some(problem.seed), posture_weight: 1.0, ..Preference::default() };
        let redundant = self.variables() > counted_axes(problem.targets);
        let near = redundant && problem.preference.is_none();
        let preference = if near { &near_seed } else { &problem.preference };
        let SearchScratch { setup, exploration, null_space, verdict, known, .. } = scratch;
        let Exploration { attempts, clearance, picked, closest, .. } = exploration;
        clearance.begin();
        setup.set(self, problem);
        attempts.rank(self, problem.targets);
        known.clear();
        attempts.run(self, &plan, setup, closest, &mut |configurations, arrival| {
            let positions = &mut picked.positions;
            if clearance.appraise_lane(problem, setup, configurations, arrival.lane).is_none() {
                return ControlFlow::Continue(());
            }
            configurations.read(arrival.lane, positions);
            null_space.optimise(self, problem, preference, setup, positions, clearance);
            setup.fold(problem, positions);
            if known.holds(self, positions) {
                return ControlFlow::Continue(());
            }
            verdict.judge(self, problem, setup, positions, solution);
            if !solution.is_solved() {
                return ControlFlow::Continue(());
            }
            known.push(&solution.positions);
            let Arrival { number, iterations, .. } = arrival;
            (solution.stop, solution.smallest_singular_value) = (Stop::Converged, None);
            (solution.iterations, solution.attempts) = (iterations, number + 1);
            solution.elapsed = start.elapsed();
            on_solution(solution)?;
            if known.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        known.count()
    }
}

/// Solutions at most.
const MOST_SOLUTIONS: usize = 64;
/// Two configurations are one where no variable differs by more \[rad, or m over the length scale\].
const SAME_WITHIN: f64 = 0.01;

/// The solutions that have been handed over.
#[derive(Debug, Clone)]
pub struct Known {
    /// Their positions, one solution after the other.
    positions: Vec<f64>,
    variables: usize,
}

impl Known {
    pub fn new(search: &Search) -> Self {
        let variables = search.variables();
        Self { positions: Vec::with_capacity(MOST_SOLUTIONS * variables), variables }
    }

    pub fn clear(&mut self) {
        self.positions.clear();
    }

    pub fn push(&mut self, positions: &[f64]) {
        self.positions.extend_from_slice(positions);
    }

    pub fn count(&self) -> usize {
        self.positions.len() / self.variables
    }

    pub fn is_full(&self) -> bool {
        self.count() == MOST_SOLUTIONS
    }

    /// Whether one of them is the same configuration as `positions`.
    pub fn holds(&self, search: &Search, positions: &[f64]) -> bool {
        self.positions.chunks_exact(self.variables).any(|known| is_same(search, known, positions))
    }
}

/// Whether two configurations are one.
fn is_same(search: &Search, a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).enumerate().all(|(i, (a, b))| {
        let step = if search.turns[i] { without_whole_turns(a - b) } else { a - b };
        (step / search.unit(i)).abs() <= SAME_WITHIN
    })
}
