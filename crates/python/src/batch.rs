//! Many problems at once, in blocks, on threads that are kept, with arrays in the place of answers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, process};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use urdf_ik::solver::{Answer, Problem, Solver, Target};

use crate::answers::{self, ANSWERS};
use crate::arrays::{PositionRows, array};
use crate::interruption::{INTERVAL, Interruption};
use crate::options::Options;
use crate::poses::{PoseRows, Poses};
use crate::refused;
use crate::shared::ArmData;

/// Number of problems of a block: the memory of a block is small beside that of its answers, and it takes a tenth of a second.
const BLOCK: usize = 16_384;

/// A batch as it was asked for.
pub struct Batch<'a, 'py> {
    pub arm: &'a ArmData,
    pub poses: Poses<'py>,
    /// Number of problems.
    pub count: usize,
    /// One row for all problems, or one for each.
    pub seeds: PositionRows,
    pub options: Options,
    pub threads: usize,
    /// Called with the number of problems that are done, and that of all.
    pub progress: Option<Bound<'py, PyAny>>,
}

/// The answers, one entry in each for each problem.
#[derive(Default)]
struct Columns {
    solved: Vec<bool>,
    positions: Vec<f64>,
    outcomes: Vec<u8>,
    position_errors: Vec<f64>,
    orientation_errors: Vec<f64>,
    iterations: Vec<i64>,
    attempts: Vec<i64>,
    /// Why problems were refused, by their numbers.
    refused: BTreeMap<usize, String>,
}

impl<'py> Batch<'_, 'py> {
    /// Solves all problems. Gives an `urdfik.Answers`.
    pub fn solve(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let solver = self.arm.solver(self.options.kind)?;
        let pool = pool(self.threads)?;
        let mut columns = Columns::default();
        for first in (0..self.count).step_by(BLOCK) {
            let rows = first..self.count.min(first + BLOCK);
            let poses = self.poses.rows(&rows);
            let block = Block { poses, seeds: self.seeds_of(&rows), rows: rows.clone(), options: &self.options };
            py.detach(|| block.solve(solver, &pool, &mut columns))?;
            if let Some(progress) = &self.progress {
                progress.call1((rows.end, self.count))?;
            }
        }
        columns.into_answers(py, self.arm.variables())
    }

    fn seeds_of(&self, rows: &Range<usize>) -> Seeds<'_> {
        let (variables, numbers) = (self.arm.variables(), self.seeds.numbers.as_slice());
        match self.seeds.rows {
            Some(_) => {
                Seeds { numbers: &numbers[rows.start * variables..rows.end * variables], step: variables, variables }
            }
            None => Seeds { numbers, step: 0, variables },
        }
    }
}

/// The seeds of a block: with the step 0, one for all rows.
struct Seeds<'a> {
    numbers: &'a [f64],
    step: usize,
    variables: usize,
}

impl<'a> Seeds<'a> {
    fn of(&self, row: usize) -> &'a [f64] {
        &self.numbers[row * self.step..][..self.variables]
    }
}

/// Some problems of a batch.
struct Block<'a> {
    poses: PoseRows,
    seeds: Seeds<'a>,
    /// Their numbers in the batch.
    rows: Range<usize>,
    options: &'a Options,
}

impl Block<'_> {
    /// Solves the problems on the threads of `pool`, and looks meanwhile for Ctrl-C.
    fn solve(&self, solver: &Solver, pool: &ThreadPool, columns: &mut Columns) -> PyResult<()> {
        let (interruption, is_interrupted) = (Interruption::new(), AtomicBool::new(false));
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
        let problem = |row: usize| {
            // The solver refuses a problem without a target, so that the answers stay in their order.
            let range = if faults.contains_key(&row) { 0..0 } else { row * of_row..(row + 1) * of_row };
            let problem = self.options.problem(&targets[range], self.seeds.of(row));
            Problem { interruption: Some(&interruption), ..problem }
        };
        let problems: Vec<Problem> = (0..self.rows.len()).into_par_iter().map(problem).collect();
        let batch = solver.solve_batch(&problems, &|| !interruption());
        columns.positions.extend(batch.positions);
        for (row, answer) in batch.answers.into_iter().enumerate() {
            columns.push(self.rows.start + row, answer, faults.remove(&row));
        }
    }
}

impl Columns {
    /// Adds the answer to the problem of that number. `fault` says why its pose is none.
    fn push(&mut self, number: usize, answer: Answer, fault: Option<String>) {
        self.solved.push(answer.is_solved());
        let (code, errors, effort) = match answer {
            Answer::Given { outcome, residual, iterations, attempts, .. } => {
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

    fn into_answers(self, py: Python<'_>, variables: usize) -> PyResult<Bound<'_, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let count = self.solved.len();
        CLASS.import(py, ANSWERS, "Answers")?.call1((
            PyArray1::from_vec(py, self.solved),
            array(py, [count, variables], self.positions)?,
            PyArray1::from_vec(py, self.outcomes),
            PyArray1::from_vec(py, self.position_errors),
            PyArray1::from_vec(py, self.orientation_errors),
            PyArray1::from_vec(py, self.iterations),
            PyArray1::from_vec(py, self.attempts),
            self.refused,
        ))
    }
}

/// Greatest number of threads.
const MAX_THREADS: usize = 1024;

/// A pool that is kept for the next batch.
struct Kept {
    pool: Arc<ThreadPool>,
    /// As it was asked for.
    threads: usize,
    process: u32,
}

static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// A pool of so many threads; with 0, one thread for each core.
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
