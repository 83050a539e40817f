//! Every solution that can be found, one of each kind.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicUsize;

use super::attempts::Arrival;
use super::explore::{Exploration, Run, Share};
use super::plan::Plan;
use super::prepared_search::Posed;
use super::solve::SearchScratch;
use crate::{Mode, Preference, Problem, Solution, Stop, counted_axes};

/// Is told of each solution, and says whether to go on.
pub type OnSolution<'a> = &'a mut dyn FnMut(&Solution) -> ControlFlow<()>;

impl Run<'_> {
    /// See [`Solver::solve_all`](crate::Solver::solve_all).
    pub fn solve_all(&self, scratch: &mut SearchScratch, solution: &mut Solution, on_solution: OnSolution) -> usize {
        let Self { posed, iteration, start } = *self;
        let problem = posed.problem;
        let Mode::Search { attempts, random_seed, .. } = problem.mode else {
            self.solve(scratch, solution);
            if solution.is_solved() {
                // There is no other to stop at.
                let _ = on_solution(solution);
            }
            return usize::from(solution.is_solved());
        };
        let first_found = AtomicUsize::new(usize::MAX);
        let share = Share { index: 0, of: 1, first_found: &first_found };
        let over = |number: usize| share.over(self, number);
        let near_seed = Preference { posture: Some(problem.seed), posture_weight: 1.0, ..Preference::default() };
        let redundant = posed.search.variables() > counted_axes(problem.targets);
        let near = redundant && problem.preference.is_none();
        let preference = if near { near_seed } else { problem.preference };
        let preferring = Posed { problem: &Problem { preference, ..*problem }, ..posed };
        let SearchScratch { setup, exploration, flow, verdict, known, .. } = scratch;
        let Exploration { attempts: stage, clearance, picked, closest, .. } = exploration;
        clearance.begin();
        setup.set(posed);
        stage.rank(posed.search, problem.targets);
        known.clear();
        let (search, setup) = (posed.search, &*setup);
        let plan =
            Plan { search, setup, iteration, attempts, first: 0, stride: 1, random_seed, leaps: true, over: &over };
        stage.run(&plan, closest, &mut |configurations, arrival| {
            let positions = &mut picked.positions;
            if clearance.appraise_lane(problem, setup, configurations, arrival.lane).is_none() {
                return ControlFlow::Continue(());
            }
            configurations.read(arrival.lane, positions);
            flow.null_space.optimise(preferring, setup, positions, clearance);
            setup.fold(problem, positions);
            if known.holds(search, positions) {
                return ControlFlow::Continue(());
            }
            verdict.judge(posed, setup, positions, solution);
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
