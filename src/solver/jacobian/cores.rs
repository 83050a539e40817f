//! One search on several cores.

use std::sync::atomic::AtomicUsize;
use std::thread::{self, ScopedJoinHandle};
use std::time::Instant;

use super::attempts::Spent;
use super::search::{Found, Share};
use super::{Jacobian, JacobianScratch};
use crate::solver::lanes::LANES;
use crate::solver::problem::{Mode, Problem};
use crate::solver::solution::{Solution, Stop};

impl Jacobian {
    /// See [`Solver::solve_on`](crate::solver::Solver::solve_on).
    pub(in crate::solver) fn solve_on(
        &self,
        problem: &Problem,
        scratches: &mut [&mut JacobianScratch],
        solution: &mut Solution,
    ) {
        let attempts = match problem.mode {
            Mode::Search { attempts, .. } => attempts,
            Mode::Track { .. } => 1,
        };
        let cores = scratches.len().min(attempts.div_ceil(LANES)).max(1);
        let Some((first, others)) = scratches[..cores].split_first_mut() else { return };
        if others.is_empty() {
            return self.solve(problem, first, solution);
        }
        let start = Instant::now();
        let first_found = AtomicUsize::new(usize::MAX);
        let share = |index| Share { index, of: cores, first_found: &first_found, start };
        let (mut found, rest) = thread::scope(|scope| {
            let mut threads = Vec::with_capacity(others.len());
            for (at, scratch) in others.iter_mut().enumerate() {
                let share = share(at + 1);
                threads.push(scope.spawn(move || self.explore(problem, scratch, &share)));
            }
            let own = self.explore(problem, first, &share(0));
            (own, threads.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>())
        });
        for (other, scratch) in rest.into_iter().zip(others) {
            // A thread that ended by a panic has found nothing.
            let Ok(other) = other else { continue };
            if other.rank() < found.rank() {
                first.picked.copy_from_slice(&scratch.picked);
            }
            if scratch.best_error < first.best_error {
                first.best.copy_from_slice(&scratch.best);
                first.best_error = scratch.best_error;
            }
            found = found.joined(other);
        }
        self.conclude(problem, first, solution, found, start);
    }
}

impl Found {
    /// Less is better.
    fn rank(&self) -> (f64, usize) {
        (self.score, self.number)
    }

    /// The better of the two, with what both have spent.
    fn joined(self, other: Self) -> Self {
        let better = if other.rank() < self.rank() { other } else { self };
        let stop = if other.spent.stop == Stop::Deadline { other.spent.stop } else { self.spent.stop };
        let iterations = self.spent.iterations + other.spent.iterations;
        Self { spent: Spent { iterations, attempts: self.spent.attempts + other.spent.attempts, stop }, ..better }
    }
}
