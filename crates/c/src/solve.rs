//! One problem: one answer, or all solutions; and many problems at once.

use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;

use rayon::{ThreadBuilder, ThreadPoolBuilder};
use urdf_ik::solver::{Answer, Outcome, Problem, Reason, Scratch, Solution, Solver, Target};

use crate::arm::UrdfIkArm;
use crate::failure::{Failure, UrdfIkStatus, guarded};
use crate::pointers::{entries, exclusive, exclusive_entries, reference};
use crate::problem::UrdfIkProblem;
use crate::workspace::UrdfIkWorkspace;

/// Whether the targets are met, or why the joint positions are only the closest ones. The codes are those of the node's SolveStatus.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrdfIkOutcome {
    /// Every target is met within its tolerance, by forward kinematics of exactly the joint positions of the answer.
    Solved = 0,
    /// Certain: no joint positions reach the target.
    OutOfReach = 1,
    /// Joint limits are in the way: without them the targets are met.
    JointLimits = 2,
    /// On its way: max_step did not allow more.
    StepLimited = 3,
    /// The attempts or the time ran out before a solution was found that is accepted.
    NotConverged = 4,
    /// Batches: the problem makes no sense, and the joint positions are NaN.
    Invalid = 5,
    /// Something is in the way.
    Collision = 9,
    /// Every position is met within its tolerance, and the orientations are as close as they go there: see URDF_IK_CLOSEST_POSITION.
    PositionOnly = 10,
}

/// The answer to a problem, beside its joint positions.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UrdfIkAnswer {
    /// Whether the targets are met.
    pub outcome: UrdfIkOutcome,
    /// The largest distance of a tip from its target [m], over the axes that count.
    pub position_error: f64,
    /// The largest angle between a tip and its target [rad], over the axes that count.
    pub orientation_error: f64,
    /// Iterations of all attempts.
    pub iterations: usize,
    /// Starting points that were tried, with the seed.
    pub attempts: usize,
}

/// What urdf_ik_solve_all() calls with each solution, its joint positions (n entries [rad or m]) and the `context` that it was given. Not 0: go
/// on; 0: enough. It must not throw, nor use the workspace.
pub type UrdfIkOnSolution =
    Option<unsafe extern "C" fn(context: *mut c_void, positions: *const f64, answer: *const UrdfIkAnswer) -> c_int>;

impl From<&Outcome> for UrdfIkOutcome {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Solved => Self::Solved,
            Outcome::PositionOnly => Self::PositionOnly,
            Outcome::Closest(Reason::OutOfReach { .. }) => Self::OutOfReach,
            Outcome::Closest(Reason::JointLimits) => Self::JointLimits,
            Outcome::Closest(Reason::StepLimited) => Self::StepLimited,
            Outcome::Closest(Reason::Collision { .. }) => Self::Collision,
            Outcome::Closest(Reason::NotConverged | Reason::Refused) => Self::NotConverged,
        }
    }
}

impl From<&Solution> for UrdfIkAnswer {
    fn from(solution: &Solution) -> Self {
        let worst = solution.worst_residual();
        Self {
            outcome: (&solution.outcome).into(),
            position_error: worst.position,
            orientation_error: worst.orientation,
            iterations: solution.iterations,
            attempts: solution.attempts,
        }
    }
}

/// Solves a problem: writes joint positions (n entries) [rad or m], always inside the joint limits. Where the targets are not met, they are
/// the closest that were found. The same problem has the same answer, to the bit, unless a timeout ends it.
/// URDF_IK_STATUS_PROBLEM where the problem makes no sense; nothing is written then.
///
/// # Safety
/// No other thread uses `workspace`; `problem` is a problem; `positions` are written, and `answer` unless it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_solve(
    workspace: *mut UrdfIkWorkspace,
    problem: *const UrdfIkProblem,
    positions: *mut f64,
    answer: *mut UrdfIkAnswer,
) -> UrdfIkStatus {
    guarded(|| {
        let workspace = unsafe { exclusive(workspace, "workspace") }?;
        let variables = workspace.solver.chain().variables().len();
        let positions = unsafe { exclusive_entries(positions, variables, "positions") }?;
        unsafe {
            workspace.with_problem(reference(problem, "problem")?, |solver, problem, scratch, solution| {
                solver.solve(problem, scratch, solution).map_err(Failure::problem)
            })
        }?;
        positions.copy_from_slice(&workspace.solution.positions);
        if let Some(answer) = unsafe { answer.as_mut() } {
            *answer = (&workspace.solution).into();
        }
        Ok(())
    })
}

/// Finds all distinct solutions that the attempts of a search lead to, 64 at most, and calls `on_solution` with each. Writes their number to
/// `count`. Where the arm is redundant for its targets, a continuum of solutions counts as one, at the joint positions that the problem
/// prefers, or nearest to the seed.
///
/// # Safety
/// No other thread uses `workspace`; `problem` is a problem; `count` is written unless it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_solve_all(
    workspace: *mut UrdfIkWorkspace,
    problem: *const UrdfIkProblem,
    on_solution: UrdfIkOnSolution,
    context: *mut c_void,
    count: *mut usize,
) -> UrdfIkStatus {
    guarded(|| {
        let workspace = unsafe { exclusive(workspace, "workspace") }?;
        let on_solution = on_solution.ok_or_else(|| Failure::argument("on_solution is NULL"))?;
        let mut hand_out = |solution: &Solution| {
            let answer = UrdfIkAnswer::from(solution);
            let go_on = unsafe { on_solution(context, solution.positions.as_ptr(), &raw const answer) };
            if go_on == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let problem = unsafe { reference(problem, "problem") }?;
        let max_turns = problem.max_turns;
        let found = unsafe {
            workspace.with_problem(problem, |solver, problem, scratch, solution| {
                if max_turns == 0 {
                    return solver.solve_all(problem, scratch, solution, &mut hand_out).map_err(Failure::problem);
                }
                let turns = solver.solve_all_turns(problem, scratch, max_turns).map_err(Failure::problem)?;
                let mut handed_out = 0;
                for solution in &turns.solutions {
                    handed_out += 1;
                    if hand_out(solution).is_break() {
                        break;
                    }
                }
                Ok(handed_out)
            })
        }?;
        if let Some(count) = unsafe { count.as_mut() } {
            *count = found;
        }
        Ok(())
    })
}

impl UrdfIkWorkspace {
    /// Does something with a problem in the terms of the library.
    ///
    /// # Safety
    /// The pointers of `problem` are NULL, or point to what they should.
    unsafe fn with_problem<T>(
        &mut self,
        problem: &UrdfIkProblem,
        work: impl FnOnce(&Solver, &Problem, &mut Scratch, &mut Solution) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Self { solver, scratch, solution, targets, nominal, .. } = self;
        targets.clear();
        unsafe { problem.push_targets(targets) }?;
        let callbacks = unsafe { problem.callbacks() };
        let problem = unsafe { problem.problem(solver.chain(), targets, nominal, &callbacks) }?;
        work(solver, &problem, scratch, solution)
    }
}

/// Greatest number of threads.
const MAX_THREADS: usize = 1024;

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
        if threads > MAX_THREADS {
            return Err(Failure::argument(format!(
                "threads is {threads}; it must be from 0, for all cores, to {MAX_THREADS}"
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
