//! The query of a service: from targets to one or all solutions.
//!
//! A long search starts again after its first attempts. These cost a millisecond; a resumable search would cost a state
//! in every stage. The answer does not depend on the clock.

use std::sync::Arc;
use std::time::Duration;

use super::query_context::QueryContext;
use crate::reports::{RefuseAs, Refused};
use crate::solving::{NullSpaceTask, Searches, problem};
use urdf_ik_goals::Goal;
use urdf_ik_parameters::Settings;
use urdf_ik_solver::{Mode, Problem, Solution, Solver, Target, Turns};

/// Attempts of the first, short search, more than the default of the parameter `attempts`. They take an arm of seven
/// joints about a millisecond. Only searches that need more use a thread of low priority.
const FIRST_ATTEMPTS: usize = 128;
/// Largest number of variables of a chain for a short first search.
const MAX_VARIABLES_AT_ONCE: usize = 32;

/// A query of a service: one configuration for targets and goals.
pub(crate) struct Query {
    pub context: QueryContext,
    /// For different tips; one configuration has to meet all of them.
    pub targets: Vec<Target>,
    /// To be met by the same configuration: those of the request, then the standing ones.
    goals: Vec<Goal>,
    /// Start of the search: positions of the chain's variables.
    seed: Vec<f64>,
}

impl Query {
    /// A query for `targets` and the goals of the request, besides the standing goals, from `positions` (one entry for
    /// each joint of the robot).
    pub(crate) fn new(
        context: QueryContext,
        positions: &[f64],
        targets: Vec<Target>,
        requested: Vec<Goal>,
    ) -> Arc<Self> {
        let seed = context.loaded.chain.positions_from(positions);
        let goals = context.goals(requested);
        Arc::new(Self { context, targets, goals, seed })
    }

    /// Searches for a solution. Also returns the solver.
    ///
    /// The first attempts are made at once. A search that ends within them is complete: a higher limit of attempts
    /// would not change its answer. Otherwise the search restarts as long work, with the same attempts and the
    /// following ones, so that its answer and counts are those of a single search. Only the deadline can end it before
    /// the first attempts are repeated; then their result is the answer.
    pub(crate) async fn solve(self: &Arc<Self>, searches: &Searches) -> Result<(Solver, Solution), Refused> {
        let Settings { attempts, cores, .. } = self.context.settings;
        let mut first = None;
        if self.is_of_short_chain() {
            let query = Arc::clone(self);
            let (solver, solution) = searches.run_short(move || query.search(attempts.min(FIRST_ATTEMPTS), 1)).await?;
            if attempts <= FIRST_ATTEMPTS || starting_points(&solution) < FIRST_ATTEMPTS {
                return Ok((solver, solution));
            }
            first = Some(solution);
        }
        let query = Arc::clone(self);
        let (solver, whole) = searches.run_long(cores, move || query.search(attempts, cores)).await?;
        Ok((solver, of_more_attempts(first, whole, self.context.began.elapsed())))
    }

    /// Finds all distinct solutions, with up to `max_turns` configurations that differ from them by full revolutions
    /// of joints. Without them the count is 0.
    pub(crate) async fn all_solutions(
        self: &Arc<Self>,
        searches: &Searches,
        max_turns: usize,
    ) -> Result<Turns, Refused> {
        let is_short = self.context.settings.attempts <= FIRST_ATTEMPTS && self.is_of_short_chain();
        let query = Arc::clone(self);
        let work = move || query.search_all(max_turns);
        if is_short { searches.run_short(work).await } else { searches.run_long(1, work).await }
    }

    fn is_of_short_chain(&self) -> bool {
        self.context.loaded.chain.variables().len() <= MAX_VARIABLES_AT_ONCE
    }

    /// Searches with at most `attempts`, on `cores`.
    fn search(&self, attempts: usize, cores: usize) -> Result<(Solver, Solution), Refused> {
        let QueryContext { loaded, settings, .. } = &self.context;
        let solver = loaded.solver(settings).refuse_as("solver")?;
        let null_space_task = NullSpaceTask::new(loaded, settings)?;
        let problem = self.problem(&null_space_task, attempts);
        let mut scratches = vec![solver.scratch(); cores];
        let mut solution = solver.solution();
        solver.solve_on(&problem, &mut scratches, &mut solution).refuse_as("problem")?;
        problem::complete(&solver, problem.targets, &mut scratches[0], &mut solution)?;
        Ok((solver, solution))
    }

    fn search_all(&self, max_turns: usize) -> Result<Turns, Refused> {
        let QueryContext { loaded, settings, .. } = &self.context;
        let solver = loaded.solver(settings).refuse_as("solver")?;
        let null_space_task = NullSpaceTask::new(loaded, settings)?;
        let problem = self.problem(&null_space_task, settings.attempts);
        let mut scratch = solver.scratch();
        let found = match max_turns {
            0 => solver.all_solutions(&problem, &mut scratch).map(|solutions| Turns { solutions, count: 0 }),
            most => solver.solve_all_turns(&problem, &mut scratch, most),
        };
        found.refuse_as("problem")
    }

    fn problem<'a>(&'a self, null_space_task: &'a NullSpaceTask, attempts: usize) -> Problem<'a> {
        let Settings { pick, random_seed, timeout, .. } = self.context.settings;
        self.context
            .problem(&self.targets, &self.goals, &self.seed, null_space_task)
            .with_mode(Mode::Search { pick, attempts, random_seed })
            .with_deadline(Some(timeout.saturating_sub(self.context.began.elapsed())))
    }
}

/// Number of starting points of a search, refused ones included.
fn starting_points(solution: &Solution) -> usize {
    solution.attempts + solution.refused
}

/// The solution of the `whole` search, or that of the `first` attempts if the deadline ended the whole search earlier.
/// In this case its time is that of the query so far, including the wait for a core.
fn of_more_attempts(first: Option<Solution>, whole: Solution, elapsed: Duration) -> Solution {
    let longer = first.filter(|first| starting_points(first) > starting_points(&whole));
    let Some(mut first) = longer else { return whole };
    if !first.is_solved() {
        (first.stop, first.elapsed) = (whole.stop, elapsed);
    }
    first
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use super::*;
    use crate::robot_in_use::description;
    use urdf_ik_parameters::Values;
    use urdf_ik_robot::{Chain, Robot};
    use urdf_ik_solver::{Outcome, Stop};

    const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/urdf/arm7.urdf");

    #[test]
    fn the_time_of_waiting_counts_against_the_timeout() {
        let mut settings = Settings::new(&Values::default(), None).unwrap();
        settings.timeout = Duration::from_secs(10);
        let urdf = fs::read_to_string(ROBOT).unwrap();
        let loaded = description::load(urdf, false, &settings).unwrap().loaded;
        let task = NullSpaceTask::new(&loaded, &settings).unwrap();
        let time_left = |waited| {
            let began = Instant::now().checked_sub(Duration::from_secs(waited)).unwrap();
            let (targets, goals, seed) = (Vec::new(), Vec::new(), Vec::new());
            let mut context = QueryContext::alone(Arc::clone(&loaded), settings.clone());
            context.began = began;
            let query = Query { context, targets, goals, seed };
            query.problem(&task, 1).deadline.unwrap()
        };
        assert!(time_left(4) <= Duration::from_secs(6) && time_left(4) > Duration::ZERO);
        assert_eq!(time_left(11), Duration::ZERO);
    }

    #[test]
    fn a_search_without_time_has_at_least_the_first_attempts() {
        let robot = Robot::from_urdf_file(ROBOT).unwrap();
        let chain = Arc::new(Chain::with_defaults(&robot, None, &[]).unwrap());
        let ended = |attempts, stop| {
            let mut solution = Solution::new(&chain);
            (solution.attempts, solution.stop) = (attempts, stop);
            solution
        };
        let first = ended(FIRST_ATTEMPTS, Stop::Attempts);
        let cut = ended(16, Stop::Deadline);
        let whole = ended(1000, Stop::Attempts);
        let timeout = Duration::from_millis(50);
        let given = of_more_attempts(Some(first.clone()), cut.clone(), timeout);
        assert_eq!((given.attempts, given.stop, given.elapsed), (FIRST_ATTEMPTS, Stop::Deadline, timeout));
        let mut solved = first.clone();
        (solved.outcome, solved.stop) = (Outcome::Solved, Stop::Converged);
        assert_eq!(of_more_attempts(Some(solved), cut.clone(), timeout).stop, Stop::Converged);
        assert_eq!(of_more_attempts(Some(first), whole, timeout).attempts, 1000);
        assert_eq!(of_more_attempts(None, cut, timeout).attempts, 16);
    }
}
