//! A search on several cores.

use std::sync::atomic::AtomicUsize;
use std::thread::{self, ScopedJoinHandle};

use super::explore::{AttemptSlice, Run};
use super::solve::SearchScratch;
use crate::kernel::LANES;
use crate::{Mode, Solution, Stop};

impl Run<'_> {
    /// Implements [`Solver::solve_on`](crate::Solver::solve_on).
    pub fn solve_on(&self, scratches: &mut [&mut SearchScratch], solution: &mut Solution) {
        let attempts = match self.input.problem.mode {
            Mode::Search { attempts, .. } => attempts,
            Mode::Track { .. } => 1,
        };
        let cores = scratches.len().min(attempts.div_ceil(LANES)).max(1);
        let Some((first, others)) = scratches[..cores].split_first_mut() else { return };
        if others.is_empty() {
            return self.solve(first, solution);
        }
        let first_found = AtomicUsize::new(usize::MAX);
        let explore = |scratch: &mut SearchScratch, index: usize| {
            let slice = AttemptSlice { index, of: cores, first_found: &first_found };
            let SearchScratch { setup, exploration, .. } = scratch;
            setup.set_for_attempts(self.input);
            exploration.explore(self, setup, &slice)
        };
        let (mut spent, rest) = thread::scope(|scope| {
            let explore = &explore;
            let others = others.iter_mut().zip(1..);
            let threads: Vec<_> = others.map(|(scratch, index)| scope.spawn(move || explore(scratch, index))).collect();
            let own = explore(first, 0);
            (own, threads.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>())
        });
        for (other, scratch) in rest.into_iter().zip(others) {
            // A thread that panicked contributes nothing.
            let Ok(other) = other else { continue };
            let (found, others) = (&mut first.exploration, &mut scratch.exploration);
            if others.picked.rank() < found.picked.rank() {
                found.picked.copy_from(&others.picked);
            }
            if others.closest.score < found.closest.score {
                found.closest.copy_from(&others.closest);
            }
            found.clearance.has_refused |= others.clearance.has_refused;
            found.attempts.failed.merge(&mut others.attempts.failed);
            found.clearance.blocked.merge(&mut others.clearance.blocked);
            spent.iterations += other.iterations;
            spent.attempts += other.attempts;
            spent.refused += other.refused;
            if other.stop == Stop::Deadline {
                spent.stop = other.stop;
            }
        }
        self.conclude(first, solution, spent);
    }
}
