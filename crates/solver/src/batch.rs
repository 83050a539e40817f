//! Batches of problems, solved on several threads.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::{Outcome, Problem, ProblemError, Residual, Scratch, Solution, Solver, Stop};

/// Number of problems that a thread takes at a time. Larger blocks of hard problems would leave one thread
/// busy after the others have finished; with smaller ones, scheduling would be significant against some
/// microseconds per problem.
const BLOCK: usize = 16;

/// The result of one problem of a batch.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// The problem is valid: the targets are met, or the positions are the closest ones found.
    Given {
        /// Outcome of the solve.
        outcome: Outcome,
        /// Why the search ended.
        stop: Stop,
        /// The largest position error \[m\] and the largest orientation error \[rad\] over all targets.
        residual: Residual,
        /// The violation of each goal \[m or rad\], in the order of the problem's goals. Empty without goals.
        violations: Vec<f64>,
        /// Total number of iterations of all attempts.
        iterations: usize,
        /// Number of starting points tried, without the refused ones: see [`Solution::attempts`].
        attempts: usize,
        /// Number of starting points whose solution was refused: see [`Solution::refused`].
        refused: usize,
    },
    /// The problem is not valid for the chain.
    Refused(ProblemError),
    /// The batch ended before this problem was solved.
    Skipped,
}

impl Answer {
    /// True if every target and goal is met.
    pub fn is_solved(&self) -> bool {
        matches!(self, Self::Given { outcome: Outcome::Solved, .. })
    }
}

impl From<&Solution> for Answer {
    fn from(solution: &Solution) -> Self {
        let Solution { outcome, stop, iterations, attempts, refused, .. } = *solution;
        let (residual, violations) = (solution.worst_residual(), solution.violations.clone());
        Self::Given { outcome, stop, residual, violations, iterations, attempts, refused }
    }
}

/// The results of a batch, in the order of its problems. Returned by [`Solver::solve_batch`].
#[derive(Debug, Clone)]
pub struct Batch {
    /// The result of each problem, in order.
    pub answers: Vec<Answer>,
    /// Positions of the chain's variables \[rad or m\], row-major: one row per problem, one column per variable. Rows
    /// of invalid and skipped problems are NaN.
    pub positions: Vec<f64>,
}

impl Solver {
    /// Solves `problems` independently on the threads of the current rayon pool: the pool of `pool.install(|| …)`, or
    /// the global one. Each result is bit-identical to that of [`Solver::solve`] for any number of threads, unless a
    /// deadline ends a search. Memory is allocated at the start only.
    ///
    /// Invalid problems are [`Answer::Refused`]; the others are solved. Each thread calls `go_on` before each
    /// problem. Once it returns false, for example at a deadline of the batch, the remaining problems are
    /// [`Answer::Skipped`].
    ///
    /// ```
    /// use std::sync::Arc;
    /// use nalgebra::Isometry3;
    /// use urdf_ik_robot::{Chain, Robot};
    /// use urdf_ik_solver::{Problem, Solver, SolverKind, Target};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
    /// let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
    /// let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
    ///
    /// let seed = chain.nominal_positions();
    /// let heights = [0.3, 0.4, 0.5];
    /// let targets = heights.map(|z| [Target::new(0, Isometry3::translation(0.3, 0.2, z)).position_only()]);
    /// let problems: Vec<Problem> = targets.iter().map(|targets| Problem::new(targets, &seed)).collect();
    /// let batch = solver.solve_batch(&problems, &|| true);
    /// assert!(batch.answers.iter().all(|answer| answer.is_solved()));
    /// for row in batch.positions.chunks(chain.variables().len()) {
    ///     assert!(chain.contains(row));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn solve_batch(&self, problems: &[Problem], go_on: &(dyn Fn() -> bool + Sync)) -> Batch {
        let variables = self.chain().variables().len();
        let mut positions = vec![f64::NAN; problems.len() * variables];
        let mut answers = vec![Answer::Skipped; problems.len()];
        // One per thread, made with the first block of the thread.
        let workers: Vec<Mutex<Option<(Scratch, Solution)>>> =
            (0..rayon::current_num_threads()).map(|_| Mutex::new(None)).collect();
        let rows = positions.par_chunks_mut(BLOCK * variables);
        problems.par_chunks(BLOCK).zip(answers.par_chunks_mut(BLOCK)).zip(rows).for_each(
            |((problems, answers), rows)| {
                let index = rayon::current_thread_index().unwrap_or(0);
                // Each thread locks only its own worker, so it never waits.
                let mut worker = workers[index].lock().unwrap_or_else(PoisonError::into_inner);
                let (scratch, solution) = worker.get_or_insert_with(|| (self.scratch(), self.solution()));
                for ((problem, answer), row) in problems.iter().zip(answers).zip(rows.chunks_exact_mut(variables)) {
                    if !go_on() {
                        return;
                    }
                    *answer = match self.solve(problem, scratch, solution) {
                        Ok(()) => Answer::from(&*solution),
                        Err(error) => Answer::Refused(error),
                    };
                    if matches!(answer, Answer::Given { .. }) {
                        row.copy_from_slice(&solution.positions);
                    }
                }
            },
        );
        Batch { answers, positions }
    }
}
