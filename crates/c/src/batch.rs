//! Many problems at once.

use rayon::{ThreadBuilder, ThreadPoolBuilder};

use urdf_ik::solver::{Answer, Problem, Target};

use crate::arm::UrdfIkArm;
use crate::failure::{Failure, UrdfIkStatus, guarded};
use crate::pointers::{entries, exclusive_entries, reference};
use crate::problem::UrdfIkProblem;
use crate::solve::{UrdfIkAnswer, UrdfIkOutcome};

/// Greatest number of threads.
const MOST_THREADS: usize = 1024;

/// Solves `count` problems, each on its own, on so many threads; 0 for all cores. Each answer has the same bits as by urdf_ik_solve(). Writes
/// `count` rows of n joint positions [rad or m], and `count` answers unless `answers` is NULL. A problem that makes no sense has the outcome
/// URDF_IK_OUTCOME_INVALID and NaN as joint positions; the others are solved.
///
/// # Safety
/// `arm` is an arm; there are `count` problems; `positions` and `answers` are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_solve_batch(
    arm: *const UrdfIkArm,
    problems: *const UrdfIkProblem,
    count: usize,
    threads: usize,
    positions: *mut f64,
    answers: *mut UrdfIkAnswer,
) -> UrdfIkStatus {
    guarded(|| {
        let UrdfIkArm { solver, .. } = unsafe { reference(arm, "arm") }?;
        let chain = solver.chain();
        let given = unsafe { entries(problems, count, "problems") }?;
        let positions = unsafe { exclusive_entries(positions, count * chain.variables().len(), "positions") }?;
        let answers =
            if answers.is_null() { &mut [] } else { unsafe { exclusive_entries(answers, count, "answers") }? };
        if threads > MOST_THREADS {
            return Err(Failure::argument(format!(
                "threads is {threads}; it must be from 0, for all cores, to {MOST_THREADS}"
            )));
        }
        let nominal = chain.nominal_positions();
        let (targets, ends) = unsafe { all_targets(given) };
        let callbacks: Vec<_> = given.iter().map(|given| unsafe { given.callbacks() }).collect();
        let mut start = 0;
        let problems: Vec<Problem> = given
            .iter()
            .zip(&callbacks)
            .zip(&ends)
            .map(|((given, callbacks), &end)| {
                let range = std::mem::replace(&mut start, end)..end;
                // The solver refuses a problem without a target, so that the answers stay in their order.
                unsafe { given.problem(chain, &targets[range], &nominal, callbacks) }
                    .unwrap_or_else(|_| Problem::new(&[], &nominal))
            })
            .collect();
        // The threads have ended when this returns, so that the library can be unloaded.
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let batch =
            pool.build_scoped(ThreadBuilder::run, |pool| pool.install(|| solver.solve_batch(&problems, &|| true)));
        let batch = batch.map_err(Failure::argument)?;
        positions.copy_from_slice(&batch.positions);
        answers.iter_mut().zip(&batch.answers).for_each(|(answer, found)| *answer = found.into());
        Ok(())
    })
}

/// The targets of all problems, and where those of each end. A problem with a target that is none has no targets.
///
/// # Safety
/// The pointers of `problems` are NULL, or point to what they should.
unsafe fn all_targets(problems: &[UrdfIkProblem]) -> (Vec<Target>, Vec<usize>) {
    let (mut targets, mut ends) = (Vec::with_capacity(problems.len()), Vec::with_capacity(problems.len()));
    for problem in problems {
        let start = targets.len();
        if unsafe { problem.push_targets(&mut targets) }.is_err() {
            targets.truncate(start);
        }
        ends.push(targets.len());
    }
    (targets, ends)
}

impl From<&Answer> for UrdfIkAnswer {
    fn from(answer: &Answer) -> Self {
        match answer {
            Answer::Given { outcome, residual, iterations, attempts, .. } => Self {
                outcome: outcome.into(),
                position_error: residual.position,
                orientation_error: residual.orientation,
                iterations: *iterations,
                attempts: *attempts,
            },
            Answer::Refused(_) | Answer::Skipped => Self {
                outcome: UrdfIkOutcome::Invalid,
                position_error: f64::NAN,
                orientation_error: f64::NAN,
                iterations: 0,
                attempts: 0,
            },
        }
    }
}
