//! The attempts of one core until the deadline, the pick among their solutions, and whether joint limits
//! block a solution.
//!
//! The number of attempts is the budget, so the same problem has the same answer, bit for bit, on any machine. The
//! deadline is only a safeguard: it is checked between attempts, from the seventeenth on, so that one interruption by
//! the operating system does not end a search that has hardly begun.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::attempts::{Attempts, Spent, SuccessfulAttempt};
use super::candidate::Candidate;
use super::clearance::ClearanceCheck;
use super::plan::{AttemptPlan, Iteration};
use super::prepared_search::{Search, SearchInput};
use super::setup::{Setup, SetupView};
use crate::kernel::{Configurations, Svd};
use crate::preference::manipulability;
use crate::{Mode, Outcome, Pick, Problem, Reason, Solution, Stop, Unreached, counted_axes};

/// Number of attempts before the clock is read. They take some ten microseconds; an earlier check would let one
/// interruption by the operating system end a search at its start.
const ATTEMPTS_WITHOUT_CLOCK: usize = 16;

/// Number of attempts at targets that are provably out of reach.
const ATTEMPTS_AT_UNREACHABLE: usize = 48;

/// Refused solutions do not count as attempts, up to this multiple of the attempts.
const MAX_REFUSED_PER_ATTEMPT: usize = 16;

/// Smallest number of attempts after which a failure is explained. Fewer attempts may have missed a solution.
pub const MIN_ATTEMPTS_TO_EXPLAIN: usize = 100;
/// Number of attempts without limits, the first from the closest configuration. Most reachable targets are met
/// by the first few.
const UNLIMITED_ATTEMPTS: usize = 16;

/// A run of a search.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    pub input: SearchInput<'a>,
    /// The kind of iteration.
    pub iteration: Iteration,
    /// Time at which the run started.
    pub start: Instant,
}

impl<'a> Run<'a> {
    /// A run starting now.
    pub fn new(input: SearchInput<'a>, iteration: Iteration) -> Self {
        Self { input, iteration: iteration.for_problem(input.problem), start: Instant::now() }
    }

    /// True for a tracking problem.
    pub fn tracks(&self) -> bool {
        matches!(self.input.problem.mode, Mode::Track { .. })
    }

    /// True if a continuation from the seed decides the result of tracking. Problems with goals have none: goals have
    /// no interpolated poses.
    pub fn has_continuation(&self) -> bool {
        self.tracks() && self.input.problem.goals.is_empty()
    }

    /// True if the deadline has passed or the search is interrupted.
    pub fn has_expired(&self) -> bool {
        self.has_spent(1)
    }

    /// True if the deadline divided by `divisor` has passed, or the search is interrupted.
    fn has_spent(&self, divisor: u32) -> bool {
        let Problem { deadline, interruption, .. } = self.input.problem;
        deadline.is_some_and(|deadline| self.start.elapsed() >= deadline / divisor)
            || interruption.is_some_and(|interruption| interruption())
    }
}

/// The attempts of one core.
pub struct AttemptSlice<'a> {
    /// Index of the slice. It makes the attempts `index`, `index + of`, `index + 2 * of` and so on.
    pub index: usize,
    /// Number of slices.
    pub of: usize,
    /// The lowest number of a successful attempt over all slices; updated only if the first solution is wanted.
    pub first_found: &'a AtomicUsize,
}

impl AttemptSlice<'_> {
    /// The reason not to start attempt `number`; `None` to start it.
    pub fn stop_reason(&self, run: &Run, number: usize) -> Option<Stop> {
        let Problem { accepts, cost, unreached, .. } = run.input.problem;
        if self.first_found.load(Ordering::Relaxed) < number {
            return Some(Stop::Converged);
        }
        // User callbacks may be slow.
        if number < ATTEMPTS_WITHOUT_CLOCK && accepts.is_none() && cost.is_none() {
            return None;
        }
        // The other half of the time is for the positions alone.
        if run.has_spent(if *unreached == Unreached::Position { 2 } else { 1 }) {
            return Some(Stop::Deadline);
        }
        // No attempt can succeed; the first ones lead to the minima among which the closest is chosen.
        (number >= ATTEMPTS_AT_UNREACHABLE).then(|| run.input.out_of_reach().map(|_| Stop::Attempts)).flatten()
    }
}

/// Attempts of one core and their results.
#[derive(Debug, Clone)]
pub struct Exploration {
    pub attempts: Attempts,
    svd: Svd,
    pub clearance: ClearanceCheck,
    /// The preferred solution.
    pub picked: Candidate,
    /// The failed attempt with the least squared error \[rad²\].
    pub closest: Candidate,
    /// Start of the attempts without limits \[rad or m\].
    unlimited_start: Vec<f64>,
}

impl Exploration {
    pub fn new(search: &Search) -> Self {
        Self {
            attempts: Attempts::new(search),
            svd: search.svd(),
            clearance: ClearanceCheck::new(search),
            picked: Candidate::none(search.variables()),
            closest: Candidate::none(search.variables()),
            unlimited_start: vec![0.0; search.variables()],
        }
    }

    /// Runs the attempts of `slice`. Writes the best solution into `picked`, and the best failed attempt into
    /// `closest`. Returns the effort.
    pub fn explore(&mut self, run: &Run, setup: &Setup, slice: &AttemptSlice) -> Spent {
        let Run { input, iteration, .. } = *run;
        let SearchInput { search, problem } = input;
        let (pick, attempts, random_seed, leaps) = match problem.mode {
            Mode::Search { pick, attempts, random_seed } => (pick, attempts.max(1), random_seed, true),
            Mode::Track { .. } => (Pick::First, 1, 0, false),
        };
        // Attempts at unreachable targets only serve the closest configuration.
        let attempts =
            if problem.unreached != Unreached::Stop || input.out_of_reach().is_none() { attempts } else { 0 };
        let Self { attempts: stage, svd, clearance, picked, closest, .. } = self;
        picked.reset(&setup.start);
        clearance.begin();
        if attempts > 1 {
            stage.rank(search, problem);
        }
        let refused = Cell::new(0);
        let until_deadline = problem.accepts.is_some() && problem.deadline.is_some();
        let stop_reason = |number: usize| {
            let counted = number - number.min(slice.of * refused.get());
            let enough = counted >= attempts && !(until_deadline && refused.get() > 0);
            slice.stop_reason(run, number).or_else(|| enough.then_some(Stop::Attempts))
        };
        let attempts = match problem.clearance {
            _ if until_deadline => usize::MAX,
            None if problem.accepts.is_none() => attempts,
            _ => attempts.saturating_mul(MAX_REFUSED_PER_ATTEMPT),
        };
        let plan = AttemptPlan {
            iteration,
            first: slice.index,
            stride: slice.of,
            leaps,
            stop_reason: &stop_reason,
            ..AttemptPlan::newton(search, setup, attempts, random_seed)
        };
        let spent = stage.run(&plan, closest, &mut |configurations, SuccessfulAttempt { lane, number, .. }| {
            let Some(cost) = clearance.appraise_lane(problem, setup, configurations, lane) else {
                refused.set(refused.get() + 1);
                return ControlFlow::Continue(());
            };
            let by_pick = problem.cost.is_none();
            let score = if by_pick { score(input, setup, configurations, lane, svd) } else { cost };
            if (score, number) < picked.rank() {
                (picked.score, picked.attempt) = (score, number);
                configurations.read(lane, &mut picked.positions);
            }
            if pick != Pick::First || !by_pick {
                return ControlFlow::Continue(());
            }
            slice.first_found.fetch_min(number, Ordering::Relaxed);
            // The lowest number counts over all slices, so that the result does not depend on their speed.
            if slice.of == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        Spent { attempts: spent.attempts - refused.get(), refused: refused.get(), ..spent }
    }

    /// True if joint limits prevented a better `solution`: enough attempts within the limits failed, some limits are
    /// active at its positions, and an attempt without limits meets the targets outside the limits.
    pub fn is_blocked_by_limits(&mut self, run: &Run, setup: &Setup, solution: &Solution) -> bool {
        let Mode::Search { attempts, .. } = run.input.problem.mode else { return false };
        let unexplained = solution.outcome == Outcome::Closest(Reason::NotConverged);
        if !unexplained || attempts < MIN_ATTEMPTS_TO_EXPLAIN || solution.saturated.is_empty() {
            return false;
        }
        self.meets_outside_limits(run, setup, UNLIMITED_ATTEMPTS) == Some(true)
    }

    /// True if the first solution of `attempts` attempts without limits is outside the limits; `None` without a
    /// solution. Solutions outside limits must be collision-free.
    pub fn meets_outside_limits(&mut self, run: &Run, setup: &Setup, attempts: usize) -> Option<bool> {
        let SearchInput { search, problem } = run.input;
        let Mode::Search { random_seed, .. } = problem.mode else { return None };
        self.unlimited_start.copy_from_slice(&self.closest.positions);
        let view = SetupView { bounds: setup.unbounded(), start: &self.unlimited_start, ..setup.view() };
        self.attempts.rank(search, problem);
        let plan = AttemptPlan {
            view,
            stop_reason: &|number| (number >= ATTEMPTS_WITHOUT_CLOCK && run.has_expired()).then_some(Stop::Deadline),
            ..AttemptPlan::newton(search, setup, attempts, random_seed)
        };
        let mut outside = None;
        self.attempts.run(&plan, &mut self.closest, &mut |configurations, SuccessfulAttempt { lane, .. }| {
            let is_outside = !is_within_limits(search, setup, configurations, lane);
            if is_outside && !self.clearance.is_lane_clear(problem, configurations, lane) {
                return ControlFlow::Continue(());
            }
            outside = Some(is_outside);
            ControlFlow::Break(())
        });
        outside
    }
}

/// Score of a lane by the pick, less being better.
#[inline]
fn score(input: SearchInput, setup: &Setup, configurations: &mut Configurations, lane: usize, svd: &mut Svd) -> f64 {
    let SearchInput { search, problem: Problem { targets, mode, .. } } = input;
    match mode {
        Mode::Search { pick: Pick::First, .. } | Mode::Track { .. } => 0.0,
        Mode::Search { pick: Pick::Nearest, .. } => largest_move(search, setup, configurations, lane),
        Mode::Search { pick: Pick::MostManipulable, .. } => {
            search.kernel.linearise(&setup.goals, configurations);
            svd.decompose(configurations, setup.goals.len(), lane);
            let counted = counted_axes(targets) + setup.goals.active_rows(configurations, lane);
            manipulability::value(svd, counted, 0.0)
        }
    }
}

/// Largest move of a variable from the seed to the folded position in a lane \[rad, or m over the length scale\].
fn largest_move(search: &Search, setup: &Setup, configurations: &Configurations, lane: usize) -> f64 {
    let moves = configurations.positions.iter().enumerate().map(|(i, position)| {
        let seed = setup.start[i] + setup.whole_turns[i];
        ((setup.folded(i, position.0[lane]) - seed) / search.units[i]).abs()
    });
    moves.fold(0.0, f64::max)
}

/// True if the configuration of a lane is within the joint limits, up to full revolutions.
fn is_within_limits(search: &Search, setup: &Setup, configurations: &Configurations, lane: usize) -> bool {
    let variables = search.chain.variables().iter().zip(&setup.domains).zip(&configurations.positions);
    variables.into_iter().all(|((variable, domain), position)| {
        let position = position.0[lane];
        domain.contains(if variable.prismatic { position } else { domain.turned_into(position, 0.0) })
    })
}
