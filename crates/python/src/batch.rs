//! `Arm.solve_batch`: many problems at once, in blocks, on a reused thread pool.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, process};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use urdf_ik::solver::{Answer, Problem, Solver, Target};

use crate::answers::{self, ANSWERS};
use crate::arguments::Argument;
use crate::arrays::{PositionRows, array, read_rows};
use crate::goals::nothing_requested;
use crate::interruption::{INTERVAL, SignalCheck};
use crate::options::SolveOptions;
use crate::poses::{PoseArgument, PoseRows};
use crate::refused;
use crate::shared::PyArm;

/// Number of problems of a block: the memory of a block is small beside that of its answers, and it takes a
/// tenth of a second.
const BLOCK: usize = 16_384;

/// The answers, one entry per problem in each column.
#[derive(Default)]
struct Columns {
    solved: Vec<bool>,
    positions: Vec<f64>,
    outcomes: Vec<u8>,
    position_errors: Vec<f64>,
    orientation_errors: Vec<f64>,
    /// As many for each problem as the problem with the most goals has.
    violations: Vec<f64>,
    iterations: Vec<i64>,
    attempts: Vec<i64>,
    /// Refusals by problem number.
    refused: BTreeMap<usize, String>,
}

#[pymethods]
impl PyArm {
    /// Solves many independent problems. The result has arrays instead of answers.
    ///
    /// Each row has the same bits as solve returns, on any number of threads. Other Python threads run meanwhile;
    /// Ctrl-C stops it.
    ///
    /// Parameters
    /// ----------
    /// poses : array, or dict by tip, optional
    ///     (N, 4, 4), (N, 7) or (N, 3) in the frame of the base link; for several tips (N, tips, 4, 4), (N, tips, 7),
    ///     (N, tips, 3), or a dict from tip to such an array. None: goals alone.
    /// seeds : array (N, n) or (n,), optional
    ///     Starts of the searches [rad or m]. Default: ``nominal``.
    /// threads : int
    ///     Number of threads; 0 for all cores.
    /// progress : callable, optional
    ///     Called at intervals with the number of solved problems and the total.
    /// goals : list of goals, or list of N such lists, optional
    ///     As in solve: the same goals for all problems, or a list for each. Without poses, N is the number of these
    ///     lists or of the seeds.
    /// solver, and the others
    ///     As in solve; ``timeout`` applies to each problem.
    ///
    /// Returns
    /// -------
    /// Answers
    ///     Has an array for each field of Answer. Invalid rows are refused, and the others solved.
    #[pyo3(
        signature = (poses = None, seeds = None, *, threads = Argument::Valid(1), progress = None, **options),
        text_signature = "($self, poses=None, seeds=None, *, threads=1, progress=None, goals=None, constraints=None, solver='jacobian', free_axes=None, \
                          position_tolerance=1e-05, orientation_tolerance=1e-05, pick='first', attempts=100, random_seed=0, timeout=None, \
                          avoid=None, posture=None, posture_weight=1.0, limits_weight=0.0, manipulability_weight=0.0, bounds=None, move_weights=None, \
                          tool=None, closest=True)"
    )]
    fn solve_batch<'py>(
        &self,
        py: Python<'py>,
        poses: Option<&Bound<'py, PyAny>>,
        seeds: Option<&Bound<'py, PyAny>>,
        threads: Argument<'py, usize>,
        progress: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let threads = threads.named("threads")?;
        if progress.is_some_and(|progress| !progress.is_callable()) {
            return Err(refused(
                "progress must be callable, with the number of problems that are done and that of all",
            ));
        }
        let (arm, options) = SolveOptions::read(&self.0, options, "solve_batch", &[])?;
        let chain = &arm.chain;
        let seeds = match seeds {
            Some(seeds) => read_rows(seeds, chain, "seeds")?,
            None => PositionRows { numbers: chain.nominal_positions(), rows: None },
        };
        let lists = options.goals.problems();
        let (poses, count) = match poses {
            Some(poses) => PoseArgument::many(poses, chain, "poses")?,
            None if options.goals.most() == 0 => return Err(nothing_requested("poses")),
            None => (PoseArgument::none(), lists.or(seeds.rows).unwrap_or(1)),
        };
        for (rows, what) in [(seeds.rows, "seeds"), (lists, "lists of goals")] {
            if let Some(rows) = rows.filter(|rows| *rows != count) {
                return Err(refused(format!("there are {rows} {what} for {count} poses")));
            }
        }
        let (solver, pool) = (arm.solver(options.kind)?, pool(threads)?);
        let mut columns = Columns::default();
        for first in (0..count).step_by(BLOCK) {
            let rows = first..count.min(first + BLOCK);
            let block = Block { poses: poses.rows(&rows), seeds: &seeds, rows: rows.clone(), options: &options };
            py.detach(|| block.solve(solver, &pool, &mut columns))?;
            if let Some(progress) = progress {
                progress.call1((rows.end, count))?;
            }
        }
        columns.into_answers(py, arm.variables(), options.goals.most())
    }
}

/// Some problems of a batch.
struct Block<'a> {
    poses: PoseRows,
    /// Seeds of the whole batch: one row for all problems, or one for each.
    seeds: &'a PositionRows,
    /// Indices of these problems in the batch.
    rows: Range<usize>,
    options: &'a SolveOptions,
}

impl Block<'_> {
    /// Solves the problems on the threads of `pool`, and polls for Ctrl-C meanwhile.
    fn solve(&self, solver: &Solver, pool: &ThreadPool, columns: &mut Columns) -> PyResult<()> {
        let (interruption, is_interrupted) = (SignalCheck::new(), AtomicBool::new(false));
        let (done, waiting) = channel::<()>();
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                self.solve_here(solver, &is_interrupted, columns);
                drop(done);
            });
            while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(INTERVAL) {
                is_interrupted.store(interruption.is_raised(), Ordering::Relaxed);
            }
        });
        interruption.result()
    }

    /// Solves the problems on the threads of the current pool.
    fn solve_here(&self, solver: &Solver, is_interrupted: &AtomicBool, columns: &mut Columns) {
        let plain = self.options.targets.as_slice();
        let of_row = self.poses.targets();
        let mut targets: Vec<Target> = plain[..1].repeat(self.rows.len() * of_row);
        let written = targets.par_chunks_mut(of_row.max(1)).enumerate();
        let mut faults: BTreeMap<usize, String> = written
            .filter_map(|(row, targets)| Some((row, self.poses.write(row, plain, targets).err()?.to_string())))
            .collect();
        let interruption = || is_interrupted.load(Ordering::Relaxed);
        let PositionRows { numbers, rows } = self.seeds;
        let variables = numbers.len() / rows.unwrap_or(1);
        let problem = |row: usize| {
            let first = rows.map_or(0, |_| (self.rows.start + row) * variables);
            let (targets, goals) = if faults.contains_key(&row) {
                // The solver refuses a problem without a target or goal, so that the answers stay in their order.
                (&[][..], &[][..])
            } else {
                (&targets[row * of_row..(row + 1) * of_row], self.options.goals.of(self.rows.start + row))
            };
            let problem = self.options.problem(targets, goals, &numbers[first..first + variables]);
            problem.with_interruption(Some(&interruption))
        };
        let problems: Vec<Problem> = (0..self.rows.len()).into_par_iter().map(problem).collect();
        let batch = solver.solve_batch(&problems, &|| !interruption());
        columns.positions.extend(batch.positions);
        for (row, answer) in batch.answers.into_iter().enumerate() {
            columns.push(self.rows.start + row, answer, faults.remove(&row));
            // NaN for refused problems, and for goals that this one does not have.
            columns.violations.resize((self.rows.start + row + 1) * self.options.goals.most(), f64::NAN);
        }
    }
}

impl Columns {
    /// Adds the answer to problem `number`. `fault` is the error in its pose, if any.
    fn push(&mut self, number: usize, answer: Answer, fault: Option<String>) {
        self.solved.push(answer.is_solved());
        let (code, errors, effort) = match answer {
            Answer::Given { outcome, residual, violations, iterations, attempts, .. } => {
                self.violations.extend(violations);
                (answers::code(&outcome), [residual.position, residual.orientation], [iterations, attempts])
            }
            refused => {
                let sentence = match refused {
                    Answer::Refused(error) => fault.unwrap_or_else(|| error.to_string()),
                    _ => "it was not begun".to_owned(),
                };
                self.refused.insert(number, sentence);
                (answers::INVALID, [f64::NAN; 2], [0; 2])
            }
        };
        self.outcomes.push(code);
        self.position_errors.push(errors[0]);
        self.orientation_errors.push(errors[1]);
        let [iterations, attempts] = effort.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        self.iterations.push(iterations);
        self.attempts.push(attempts);
    }

    fn into_answers(self, py: Python<'_>, variables: usize, goals: usize) -> PyResult<Bound<'_, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let count = self.solved.len();
        CLASS.import(py, ANSWERS, "Answers")?.call1((
            PyArray1::from_vec(py, self.solved),
            array(py, [count, variables], self.positions)?,
            PyArray1::from_vec(py, self.outcomes),
            PyArray1::from_vec(py, self.position_errors),
            PyArray1::from_vec(py, self.orientation_errors),
            array(py, [count, goals], self.violations)?,
            PyArray1::from_vec(py, self.iterations),
            PyArray1::from_vec(py, self.attempts),
            self.refused,
        ))
    }
}

/// Greatest number of threads.
const MAX_THREADS: usize = 1024;

/// The thread pool that the next batch reuses.
struct Kept {
    pool: Arc<ThreadPool>,
    /// The requested number, 0 for one per core.
    threads: usize,
    process: u32,
}

static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// A pool with this number of threads; 0 means one per core.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    if threads > MAX_THREADS {
        return Err(refused(format!("threads is {threads}; it must be from 0, for all cores, to {MAX_THREADS}")));
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    match &*kept {
        // In a forked process the threads of the pool do not exist, and even to end it could wait for them forever.
        Some(other) if other.process != process => mem::forget(kept.take()),
        Some(kept) if kept.threads == threads => return Ok(Arc::clone(&kept.pool)),
        _ => {}
    }
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().map_err(refused)?);
    *kept = Some(Kept { pool: Arc::clone(&pool), threads, process });
    Ok(pool)
}
