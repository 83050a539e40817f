//! Every solution that can be found, one of each kind.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use super::attempts::{Arrival, Plan};
use super::explore::{Exploration, Share};
use super::iteration::{Iteration, SEARCH_DAMPING};
use super::prepared_search::Search;
use super::scratch::SearchScratch;
use crate::preference::Preference;
use crate::problem::{Mode, Problem, counted_axes};
use crate::solution::{Solution, Stop};

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
        let over = |number: usize| self.over(problem, &share, number);
        let damping = SEARCH_DAMPING;
        let plan = Plan { attempts, first: 0, stride: 1, iteration, random_seed, damping, leaps: true, over: &over };
        let near_seed = Preference { posture: Some(problem.seed), posture_weight: 1.0, ..Preference::default() };
        let redundant = self.variables() > counted_axes(problem.targets);
        let near = redundant && problem.preference.is_none();
        let preference = if near { &near_seed } else { &problem.preference };
        let SearchScratch { setup, exploration, null_space, verdict, known, .. } = scratch;
        let Exploration { attempts, clearance, picked, closest, .. } = exploration;
        clearance.begin();
        self.set_up(problem, setup);
        self.rank(problem.targets, attempts);
        known.clear();
        self.attempts(&plan, setup, attempts, closest, &mut |configurations, arrival| {
            let positions = &mut picked.positions;
            if self.appraise_lane(problem, setup, (configurations, arrival.lane), clearance).is_none() {
                return ControlFlow::Continue(());
            }
            configurations.read(arrival.lane, positions);
            self.settle(problem, preference, setup, positions, (null_space, clearance));
            self.fold(problem, setup, positions);
            if known.holds(self, positions) {
                return ControlFlow::Continue(());
            }
            self.judge(problem, setup, positions, verdict, solution);
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
