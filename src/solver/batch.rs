//! Many problems at once, spread over threads.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::{Outcome, Problem, ProblemError, Residual, Scratch, Solution, Solver, Stop};

/// Problems that a thread takes at a time: enough that taking them costs nothing beside some microseconds for each, few enough that
/// hard ones side by side do not keep one thread at work after the others have finished.
const BLOCK: usize = 16;

/// What became of one problem of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It was put to the solver.
    Given {
        /// Whether the targets are met.
        outcome: Outcome,
        /// What ended the search.
        stop: Stop,
        /// The greatest distance \[m\] and the greatest angle \[rad\] by which its targets are missed.
        residual: Residual,
    },
    /// It makes no sense for the chain.
    Refused(ProblemError),
    /// The batch ended before its turn.
    Skipped,
}

impl Answer {
    /// Whether every target is met.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        matches!(self, Self::Given { outcome: Outcome::Solved, .. })
    }
}

/// The answers to a batch of problems, in their order. Made by [`Solver::solve_batch`].
#[derive(Debug, Clone)]
pub struct Batch {
    /// What became of each problem.
    pub answers: Vec<Answer>,
    /// Positions of the chain's variables \[rad or m\], row after row, one row for each problem; NaN where there is no answer.
    pub positions: Vec<f64>,
}

/// What one thread works in.
struct Worker {
    scratch: Scratch,
    solution: Solution,
}

impl Solver {
    /// Solves `problems`, each on its own, on the threads of the rayon pool in which this is called: `pool.install(|| …)` chooses
    /// one, otherwise it is the global one. Each answer is, to the bit, that of [`Solver::solve`], however many threads there are,
    /// unless a deadline strikes. Memory is taken once at the start, none for a solve.
    ///
    /// A problem that makes no sense is [`Answer::Refused`]; the others are solved. Before each problem `go_on` is asked, by any
    /// of the threads; once it says no, for a deadline of the whole batch or because nobody waits for it any more, the problems not
    /// yet begun are [`Answer::Skipped`].
    ///
    /// ```
    /// use std::sync::Arc;
    /// use nalgebra::Isometry3;
    /// use urdf_ik::robot::{Chain, Robot};
    /// use urdf_ik::solver::{Problem, Solver, SolverKind, Target};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/urdf/arm7.urdf"))?;
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
    #[must_use]
    pub fn solve_batch(&self, problems: &[Problem], go_on: &(dyn Fn() -> bool + Sync)) -> Batch {
        let variables = self.chain().variables().len();
        let mut positions = vec![f64::NAN; problems.len() * variables];
        let mut answers = vec![Answer::Skipped; problems.len()];
        // One for each thread, made by the first block that the thread takes.
        let workers: Vec<Mutex<Option<Worker>>> = (0..rayon::current_num_threads()).map(|_| Mutex::new(None)).collect();
        let rows = positions.par_chunks_mut(BLOCK * variables);
        problems.par_chunks(BLOCK).zip(answers.par_chunks_mut(BLOCK)).zip(rows).for_each(
            |((problems, answers), rows)| {
                let index = rayon::current_thread_index().unwrap_or(0);
                // Nobody else has this one's lock, so it is never waited for.
                let mut worker = workers[index].lock().unwrap_or_else(PoisonError::into_inner);
                let worker = worker.get_or_insert_with(|| Worker::new(self));
                for ((problem, answer), row) in problems.iter().zip(answers).zip(rows.chunks_exact_mut(variables)) {
                    if !go_on() {
                        return;
                    }
                    *answer = worker.answer(self, problem, row);
                }
            },
        );
        Batch { answers, positions }
    }
}

impl Worker {
    fn new(solver: &Solver) -> Self {
        Self { scratch: solver.scratch(), solution: solver.solution() }
    }

    /// Solves one problem; its positions go to `row`.
    fn answer(&mut self, solver: &Solver, problem: &Problem, row: &mut [f64]) -> Answer {
        let Self { scratch, solution } = self;
        if let Err(error) = solver.solve(problem, scratch, solution) {
            return Answer::Refused(error);
        }
        row.copy_from_slice(&solution.positions);
        Answer::Given { outcome: solution.outcome, stop: solution.stop, residual: solution.worst_residual() }
    }
}
