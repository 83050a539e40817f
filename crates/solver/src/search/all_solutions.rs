//! All solutions of a problem: one per branch, and one per continuum.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicUsize;

use super::attempts::SuccessfulAttempt;
use super::explore::{AttemptSlice, Exploration, Run};
use super::flow::Flow;
use super::null_space::NullSpaceTask;
use super::plan::AttemptPlan;
use super::solve::SearchScratch;
use crate::{Mode, Preference, Solution, Stop};

/// Singular values below this fraction of the largest count as zero in self-motions between solutions, which are
/// singular within their tolerances only. A motion that is none makes no progress.
const CONTINUUM_RANK_TOLERANCE: f64 = 1e-3;

/// Called for each solution; `Break` ends the search.
pub type OnSolution<'a> = &'a mut dyn FnMut(&Solution) -> ControlFlow<()>;

impl Run<'_> {
    /// Implements [`Solver::solve_all`](crate::Solver::solve_all).
    pub fn solve_all(&self, scratch: &mut SearchScratch, solution: &mut Solution, on_solution: OnSolution) -> usize {
        let Self { input, iteration, start } = *self;
        let problem = input.problem;
        let Mode::Search { attempts, random_seed, .. } = problem.mode else {
            self.solve(scratch, solution);
            if solution.is_solved() {
                // It is the only one.
                let _ = on_solution(solution);
            }
            return usize::from(solution.is_solved());
        };
        let first_found = AtomicUsize::new(usize::MAX);
        let slice = AttemptSlice { index: 0, of: 1, first_found: &first_found };
        let stop_reason = |number: usize| slice.stop_reason(self, number);
        let near_seed = Preference { posture: Some(problem.seed), posture_weight: 1.0, ..Preference::default() };
        let preference = if problem.preference.is_none() { &near_seed } else { &problem.preference };
        let SearchScratch { setup, exploration, flow: Flow { null_space, .. }, evaluator, known, .. } = scratch;
        let Exploration { attempts: stage, clearance, picked, closest, .. } = exploration;
        clearance.begin();
        setup.set_for_attempts(input);
        stage.rank(input.search, problem);
        known.clear();
        let (search, setup) = (input.search, &*setup);
        let plan = AttemptPlan {
            iteration,
            stop_reason: &stop_reason,
            ..AttemptPlan::newton(search, setup, attempts, random_seed)
        };
        let task =
            NullSpaceTask { rank_tolerance: CONTINUUM_RANK_TOLERANCE, ..NullSpaceTask::new(input, setup, preference) };
        stage.run(&plan, closest, &mut |configurations, arrival| {
            let positions = &mut picked.positions;
            if clearance.appraise_lane(problem, setup, configurations, arrival.lane).is_none() {
                return ControlFlow::Continue(());
            }
            configurations.read(arrival.lane, positions);
            null_space.optimise(task, positions, clearance);
            if known.contain(task, positions, null_space, clearance) {
                return ControlFlow::Continue(());
            }
            setup.fold(problem, positions);
            evaluator.evaluate(input, setup, positions, solution);
            if !solution.is_solved() {
                return ControlFlow::Continue(());
            }
            known.push();
            let SuccessfulAttempt { number, iterations, .. } = arrival;
            (solution.stop, solution.smallest_singular_value) = (Stop::Converged, None);
            (solution.iterations, solution.attempts, solution.refused) = (iterations, number + 1, 0);
            solution.elapsed = start.elapsed();
            on_solution(solution)?;
            if known.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        known.count()
    }
}
