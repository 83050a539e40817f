//! Every solution that can be found, one of each kind.

use std::f64::consts::TAU;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use super::attempts::{Arrival, Plan};
use super::null_space::counted;
use super::search::{SEARCH_DAMPING, Share};
use super::{Jacobian, JacobianScratch};
use crate::solver::problem::{Mode, Preference, Problem};
use crate::solver::solution::{Solution, Stop};

/// Solutions at most.
pub(super) const MOST: usize = 64;
/// Two postures are one where no variable differs by more \[rad, or m over the length scale\].
const APART: f64 = 0.01;

impl Jacobian {
    /// See [`Solver::solve_all`](crate::solver::Solver::solve_all).
    pub(in crate::solver) fn solve_all(
        &self,
        problem: &Problem,
        scratch: &mut JacobianScratch,
        solution: &mut Solution,
        on_solution: &mut dyn FnMut(&Solution) -> ControlFlow<()>,
    ) -> usize {
        let Mode::Search { attempts, random_seed, .. } = problem.mode else {
            self.solve(problem, scratch, solution);
            if solution.solved() {
                // There is no other to stop at.
                let _ = on_solution(solution);
            }
            return usize::from(solution.solved());
        };
        let (start, first_found) = (Instant::now(), AtomicUsize::new(usize::MAX));
        let share = Share { index: 0, of: 1, first_found: &first_found, start };
        let over = |number: usize| self.over(problem, &share, number);
        let plan = Plan { attempts, first: 0, stride: 1, random_seed, damping: SEARCH_DAMPING, over: &over };
        self.set_up(problem, scratch);
        self.table.rank(self.level, problem.targets, &mut scratch.ranking);
        scratch.branches.clear();
        self.attempts(&plan, scratch, &mut |scratch, arrival| {
            scratch.batch.read(arrival.lane, &mut scratch.best);
            // The other lanes go on from where they are.
            scratch.aside.copy_from(&scratch.batch);
            scratch.steps_aside.copy_from_slice(&scratch.step.step);
            let flow = self.consider(problem, scratch, solution, (arrival, start), on_solution);
            scratch.batch.copy_from(&scratch.aside);
            scratch.step.step.copy_from_slice(&scratch.steps_aside);
            flow
        });
        scratch.branches.len() / self.links.variables
    }

    /// Hands `scratch.best` over, unless it is one that has been found before.
    fn consider(
        &self,
        problem: &Problem,
        scratch: &mut JacobianScratch,
        solution: &mut Solution,
        (arrival, start): (Arrival, Instant),
        on_solution: &mut dyn FnMut(&Solution) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let near_seed = Preference { posture: Some(problem.seed), posture_weight: 1.0, ..Preference::default() };
        if !problem.preference.is_none() {
            self.settle(problem.targets, &problem.preference, scratch);
        } else if self.links.variables > counted(problem.targets) {
            self.settle(problem.targets, &near_seed, scratch);
        }
        self.fold(problem, scratch);
        let variables = self.links.variables;
        if scratch.branches.chunks_exact(variables).any(|known| self.same(known, &scratch.best)) {
            return ControlFlow::Continue(());
        }
        self.judge(problem, scratch, solution);
        if !solution.solved() {
            return ControlFlow::Continue(());
        }
        scratch.branches.extend_from_slice(&solution.positions);
        (solution.stop, solution.smallest_singular_value) = (Stop::Converged, None);
        (solution.iterations, solution.attempts) = (arrival.iterations, arrival.number + 1);
        solution.elapsed = start.elapsed();
        on_solution(solution)?;
        if scratch.branches.len() == MOST * variables { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether two postures are one.
    fn same(&self, a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).enumerate().all(|(i, (a, b))| {
            let step = a - b;
            let step = if self.turns[i] { step - (step / TAU).round() * TAU } else { step };
            (step / self.unit(i)).abs() <= APART
        })
    }
}
