//! Solves: one answer, all solutions, and batches.

use std::ffi::{c_int, c_void};
use std::ops::{ControlFlow, Range};

use rayon::{ThreadBuilder, ThreadPoolBuilder};
use urdf_ik::solver::{Answer, Outcome, Problem, Reason, Scratch, Solution, Solver, Target};

use crate::arm::UrdfIkArm;
use crate::failure::{Failure, UrdfIkStatus, guarded};
use crate::goals::GoalsByText;
use crate::pointers::{entries, exclusive, exclusive_entries, reference};
use crate::problem::UrdfIkProblem;
use crate::workspace::UrdfIkWorkspace;

/// The outcome of a solve: solved, or why the joint positions are only the closest ones. Codes as in the
/// node's SolveStatus.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UrdfIkOutcome {
    /// Forward kinematics of exactly the returned joint positions meets every target within its tolerance, and every
    /// goal.
    Solved = 0,
    /// The target is provably out of reach.
    OutOfReach = 1,
    /// Joint limits are in the way: without them the targets are met.
    JointLimits = 2,
    /// max_step limited the motion towards the target.
    StepLimited = 3,
    /// No accepted solution within the attempts and the time.
    NotConverged = 4,
    /// Batches: the problem is invalid, and the joint positions are NaN.
    #[default]
    Invalid = 5,
    /// A collision is in the way.
    Collision = 9,
    /// Every position is met within its tolerance, with the closest orientations: see URDF_IK_CLOSEST_POSITION.
    PositionOnly = 10,
    /// A goal or target excludes the others: without it they are met.
    GoalConflict = 12,
}

/// The answer to a problem, except its joint positions.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct UrdfIkAnswer {
    /// The outcome.
    pub outcome: UrdfIkOutcome,
    /// Largest position error of a tip [m], along the axes that are not free.
    pub position_error: f64,
    /// Largest orientation error of a tip [rad], about the axes that are not free.
    pub orientation_error: f64,
    /// Largest violation of a goal [m or rad]; 0 without goals.
    pub violation: f64,
    /// Number of iterations in all attempts.
    pub iterations: usize,
    /// Number of starting points tried, including the seed, without refused solutions: at most the `attempts` of the
    /// problem, unless a `timeout` continues the search after `accepts` has refused a solution.
    pub attempts: usize,
    /// Number of solutions refused by `accepts`, `cost` or a collision.
    pub refused: usize,
    /// For fields of later versions.
    pub reserved: [u64; 4],
}

/// Called by urdf_ik_solve_all() with each solution (n joint positions [rad or m]) and the given `context`. Returns
/// nonzero to continue, 0 to stop. Must not throw or use the workspace.
pub type UrdfIkOnSolution =
    Option<unsafe extern "C" fn(context: *mut c_void, positions: *const f64, answer: *const UrdfIkAnswer) -> c_int>;

impl From<&Outcome> for UrdfIkOutcome {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Solved => Self::Solved,
            Outcome::PositionOnly => Self::PositionOnly,
            Outcome::Closest(Reason::OutOfReach { .. } | Reason::Unreachable { .. }) => Self::OutOfReach,
            Outcome::Closest(Reason::Conflict { .. }) => Self::GoalConflict,
            Outcome::Closest(Reason::JointLimits) => Self::JointLimits,
            Outcome::Closest(Reason::StepLimited) => Self::StepLimited,
            Outcome::Closest(Reason::Collision { .. }) => Self::Collision,
            _ => Self::NotConverged,
        }
    }
}

/// Solves a problem and writes joint positions (n entries) [rad or m] within the joint limits: a solution, or the
/// closest that were found. The same problem has the same answer, bit for bit, unless a timeout ends it. Fails with
/// URDF_IK_STATUS_PROBLEM if the problem is invalid; nothing is written then.
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

/// Finds all distinct solutions that the attempts of a search lead to, 64 at most, calls `on_solution` with each, and
/// writes their number to `count`. If the arm is redundant for its targets, a continuum of solutions counts as one,
/// at the preferred joint positions or those nearest to the seed.
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
                let last = turns.solutions.iter().position(|solution| hand_out(solution).is_break());
                Ok(last.map_or(turns.solutions.len(), |last| last + 1))
            })
        }?;
        if let Some(count) = unsafe { count.as_mut() } {
            *count = found;
        }
        Ok(())
    })
}

impl UrdfIkWorkspace {
    /// Calls a function with the problem, converted to the type of the library.
    ///
    /// # Safety
    /// The pointers of `problem` are NULL or valid.
    unsafe fn with_problem<T>(
        &mut self,
        problem: &UrdfIkProblem,
        work: impl FnOnce(&Solver, &Problem, &mut Scratch, &mut Solution) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Self { robot, solver, scratch, solution, targets, goals, nominal, world, .. } = self;
        targets.clear();
        unsafe { problem.push_targets(targets) }?;
        let callbacks = unsafe { problem.callbacks() };
        let goals_text = unsafe { problem.goals() }?;
        let avoided = unsafe { problem.world() };
        let problem = unsafe { problem.problem(solver.chain(), targets, nominal, &callbacks) }?;
        let clearance = avoided.map(|avoided| avoided.clearance(robot, solver)).transpose()?;
        goals.keep_only(goals_text, avoided.map(|avoided| &**avoided));
        let goals = goals.read(goals_text, robot, solver.chain(), avoided.map(|avoided| &**avoided))?;
        // The goals are known by the address of their world.
        *world = avoided.cloned();
        let problem = problem.with_goals(goals).with_clearance(clearance);
        let done = work(solver, &problem, scratch, solution);
        if done.is_err() {
            // The violations of the last answer belong to other goals.
            solution.violations.clear();
        }
        done
    }
}

/// Greatest number of threads.
const MAX_THREADS: usize = 1024;

/// Solves `count` independent problems on `threads` threads, 0 for all cores, with the same bits as urdf_ik_solve().
/// Writes `count` rows of n joint positions [rad or m], and `count` answers unless `answers` is NULL. An invalid
/// problem has the outcome URDF_IK_OUTCOME_INVALID and NaN as joint positions; the others are solved.
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
        let UrdfIkArm { robot, solver, .. } = unsafe { reference(arm, "arm") }?;
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
        let (targets, ranges) = unsafe { all_targets(given) };
        let texts: Vec<_> = given.iter().map(|given| unsafe { given.goals() }).collect();
        let worlds: Vec<_> = given.iter().map(|given| unsafe { given.world() }.map(|world| &**world)).collect();
        let mut goals = GoalsByText::default();
        for (text, world) in texts.iter().zip(&worlds) {
            // An invalid text stays unknown, and its problem is refused.
            let _ = text.as_ref().map(|text| goals.read(*text, robot, chain, *world).is_ok());
        }
        let callbacks: Vec<_> = given.iter().map(|given| unsafe { given.callbacks() }).collect();
        let problem = |index: usize| {
            let targets = &targets[ranges[index].clone()?];
            let world = worlds[index];
            let goals = goals.get(*texts[index].as_ref().ok()?, world)?;
            let clearance = world.map(|world| world.clearance(robot, solver)).transpose().ok()?;
            let problem = unsafe { given[index].problem(chain, targets, &nominal, &callbacks[index]) };
            Some(problem.ok()?.with_goals(goals).with_clearance(clearance))
        };
        // The solver refuses a problem without a target or goal, so that the answers stay in their order.
        let refused = Problem::new(&[], &nominal);
        let problems: Vec<Problem> = (0..count).map(|index| problem(index).unwrap_or(refused)).collect();
        // The threads have ended when this returns, so that the library can be unloaded.
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let batch =
            pool.build_scoped(ThreadBuilder::run, |pool| pool.install(|| solver.solve_batch(&problems, &|| true)));
        let batch = batch.map_err(Failure::argument)?;
        positions.copy_from_slice(&batch.positions);
        for (answer, found) in answers.iter_mut().zip(&batch.answers) {
            *answer = found.into();
        }
        Ok(())
    })
}

/// The targets of all problems, and the range of those of each problem; `None` if one is invalid.
///
/// # Safety
/// The pointers of `problems` are NULL or valid.
unsafe fn all_targets(problems: &[UrdfIkProblem]) -> (Vec<Target>, Vec<Option<Range<usize>>>) {
    let mut targets = Vec::with_capacity(problems.len());
    let range = |problem: &UrdfIkProblem| {
        let start = targets.len();
        unsafe { problem.push_targets(&mut targets) }.ok().map(|()| start..targets.len())
    };
    let ranges = problems.iter().map(range).collect();
    (targets, ranges)
}

impl From<&Solution> for UrdfIkAnswer {
    fn from(solution: &Solution) -> Self {
        (&Answer::from(solution)).into()
    }
}

impl From<&Answer> for UrdfIkAnswer {
    fn from(answer: &Answer) -> Self {
        let Answer::Given { outcome, residual, violations, iterations, attempts, refused, .. } = answer else {
            let (position_error, orientation_error, violation) = (f64::NAN, f64::NAN, f64::NAN);
            return Self { position_error, orientation_error, violation, ..Self::default() };
        };
        Self {
            outcome: outcome.into(),
            position_error: residual.position,
            orientation_error: residual.orientation,
            violation: violations.iter().copied().fold(0.0, f64::max),
            iterations: *iterations,
            attempts: *attempts,
            refused: *refused,
            reserved: [0; 4],
        }
    }
}
