//! Makes the attempts of one core until the deadline, and keeps the solution that `pick` prefers; finds out whether joint limits are why
//! there is none.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::attempts::{Arrival, Attempts, Spent};
use super::candidate::Candidate;
use super::clearance::ClearanceCheck;
use super::plan::{Iteration, Plan};
use super::prepared_search::{Posed, Search};
use super::setup::Setup;
use crate::kernel::{Configurations, Svd};
use crate::{JacobianStep, Mode, Outcome, Pick, Problem, Reason, Solution, Stop, Unreached, counted_axes};

/// Attempts that are made in any case. They take some ten microseconds: to look at the clock before would let one interruption by
/// the operating system spoil a search that has hardly begun.
const ATTEMPTS_WITHOUT_CLOCK: usize = 16;

/// Attempts that are made though the target is certainly out of reach.
const ATTEMPTS_OUT_OF_REACH: usize = 48;

/// Attempts that meet the targets but may not be handed out do not count, as long as there are no more than this times the attempts.
const WITH_REFUSED: usize = 16;

/// Joint limits are said to be in the way only after so many attempts: with fewer, a solution within them may well have been missed.
const ENOUGH_ATTEMPTS: usize = 100;
/// Attempts without limits, the first from the closest configuration. Most targets in reach are met by the first few.
const UNLIMITED_ATTEMPTS: usize = 16;

/// A run of a search.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    pub posed: Posed<'a>,
    /// What each iteration is.
    pub iteration: Iteration,
    /// When it began.
    pub start: Instant,
}

impl<'a> Run<'a> {
    /// A run that begins now.
    pub fn new(posed: Posed<'a>, iteration: Iteration) -> Self {
        Self { posed, iteration, start: Instant::now() }
    }

    /// Whether the problem is to be tracked.
    pub fn tracks(&self) -> bool {
        matches!(self.posed.problem.mode, Mode::Track { .. })
    }

    /// Whether the deadline of the problem has passed, or the search is interrupted.
    pub fn has_expired(&self) -> bool {
        self.has_spent(1)
    }

    /// Whether the time for attempts has passed: half of all, where the other half may have to find the positions alone.
    fn has_spent_attempts(&self) -> bool {
        self.has_spent(if self.posed.problem.unreached == Unreached::Position { 2 } else { 1 })
    }

    /// Whether the time until the deadline has passed, divided by that number, or the search is interrupted.
    fn has_spent(&self, divisor: u32) -> bool {
        let Problem { deadline, interruption, .. } = self.posed.problem;
        deadline.is_some_and(|deadline| self.start.elapsed() >= deadline / divisor)
            || interruption.is_some_and(|interruption| interruption())
    }
}

/// The part of the attempts that one core makes.
pub struct Share<'a> {
    /// The core makes every `of`th attempt, from number `index` on.
    pub index: usize,
    pub of: usize,
    /// The lowest number of an attempt that has succeeded, of all shares; only where the first solution is wanted.
    pub first_found: &'a AtomicUsize,
}

impl Share<'_> {
    /// Whether there is reason not to begin attempt `number`.
    pub fn over(&self, run: &Run, number: usize) -> Option<Stop> {
        let Problem { accepts, cost, .. } = run.posed.problem;
        if self.first_found.load(Ordering::Relaxed) < number {
            return Some(Stop::Converged);
        }
        // Who is asked may take long.
        if number < ATTEMPTS_WITHOUT_CLOCK && accepts.is_none() && cost.is_none() {
            return None;
        }
        if run.has_spent_attempts() {
            return Some(Stop::Deadline);
        }
        // No attempt can succeed where the target is out of reach; the first lead to the minima of which the least is the closest.
        (number >= ATTEMPTS_OUT_OF_REACH).then(|| run.posed.out_of_reach().map(|_| Stop::Attempts)).flatten()
    }
}

/// What one core explores, and what it finds.
#[derive(Debug, Clone)]
pub struct Exploration {
    pub attempts: Attempts,
    svd: Svd,
    pub clearance: ClearanceCheck,
    /// Of the configurations that meet the targets, the one that the pick prefers.
    pub picked: Candidate,
    /// Of those that were given up, the one with the least squared error.
    pub closest: Candidate,
}

impl Exploration {
    pub fn new(search: &Search) -> Self {
        Self {
            attempts: Attempts::new(search),
            svd: search.svd(),
            clearance: ClearanceCheck::new(search),
            picked: Candidate::none(search.variables()),
            closest: Candidate::none(search.variables()),
        }
    }

    /// Makes the attempts of `share`. Leaves the best of those that meet the targets in `picked`, and the best of those that do not in
    /// `closest`.
    pub fn explore(&mut self, run: &Run, setup: &Setup, share: &Share) -> Spent {
        let Run { posed, iteration, .. } = *run;
        let Posed { search, problem } = posed;
        let (pick, attempts, random_seed, leaps) = match problem.mode {
            Mode::Search { pick, attempts, random_seed } => (pick, attempts.max(1), random_seed, true),
            Mode::Track { .. } => (Pick::First, 1, 0, false),
        };
        // Attempts at what is out of reach only lead to the closest configuration.
        let attempts =
            if problem.unreached != Unreached::Stop || posed.out_of_reach().is_none() { attempts } else { 0 };
        let Self { attempts: stage, svd, clearance, picked, closest } = self;
        picked.reset(&setup.start);
        clearance.begin();
        if attempts > 1 {
            stage.rank(search, problem.targets);
        }
        let refused = Cell::new(0);
        let until_deadline = problem.accepts.is_some() && problem.deadline.is_some();
        let over = |number: usize| {
            let counted = number - number.min(share.of * refused.get());
            let enough = counted >= attempts && !(until_deadline && refused.get() > 0);
            share.over(run, number).or_else(|| enough.then_some(Stop::Attempts))
        };
        let attempts = match problem.clearance {
            _ if until_deadline => usize::MAX,
            None if problem.accepts.is_none() => attempts,
            _ => attempts.saturating_mul(WITH_REFUSED),
        };
        let (first, stride) = (share.index, share.of);
        let plan = Plan { search, setup, iteration, attempts, first, stride, random_seed, leaps, over: &over };
        stage.run(&plan, closest, &mut |configurations, Arrival { lane, number, .. }| {
            let Some(cost) = clearance.appraise_lane(problem, setup, configurations, lane) else {
                refused.set(refused.get() + 1);
                return ControlFlow::Continue(());
            };
            let by_pick = problem.cost.is_none();
            let score = if by_pick { score(posed, setup, configurations, lane, svd) } else { cost };
            if (score, number) < picked.rank() {
                (picked.score, picked.attempt) = (score, number);
                configurations.read(lane, &mut picked.positions);
            }
            if pick != Pick::First || !by_pick {
                return ControlFlow::Continue(());
            }
            share.first_found.fetch_min(number, Ordering::Relaxed);
            // Among several shares the lowest number counts, so that the answer does not depend on which was quicker.
            if share.of == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    /// Whether joint limits are why the search for `problem` found no more than `solution`: enough attempts within them failed, some
    /// of them push back at its positions, and a target that no attempt met within them is met where there are none. Overwrites the
    /// setup.
    pub fn limits_are_in_the_way(&mut self, posed: Posed, setup: &mut Setup, solution: &Solution) -> bool {
        let Posed { search, problem } = posed;
        let Mode::Search { attempts, random_seed, .. } = problem.mode else { return false };
        let unexplained = solution.outcome == Outcome::Closest(Reason::NotConverged);
        if !unexplained || attempts < ENOUGH_ATTEMPTS || solution.saturated.is_empty() {
            return false;
        }
        setup.unbound();
        setup.start.copy_from_slice(&self.closest.positions);
        self.attempts.rank(search, problem.targets);
        let (setup, iteration) = (&*setup, Iteration::Jacobian(JacobianStep::default()));
        let (attempts, over) = (UNLIMITED_ATTEMPTS, &|_| None);
        let plan = Plan { search, setup, iteration, attempts, first: 0, stride: 1, random_seed, leaps: true, over };
        let mut blocked = false;
        self.attempts.run(&plan, &mut self.closest, &mut |configurations, Arrival { lane, .. }| {
            blocked = !is_within_limits(search, setup, configurations, lane);
            ControlFlow::Break(())
        });
        blocked
    }
}

/// How the pick judges the configuration of a lane, less being better.
#[inline]
fn score(posed: Posed, setup: &Setup, configurations: &mut Configurations, lane: usize, svd: &mut Svd) -> f64 {
    let Posed { search, problem: Problem { targets, mode, .. } } = posed;
    match mode {
        Mode::Search { pick: Pick::First, .. } | Mode::Track { .. } => 0.0,
        Mode::Search { pick: Pick::Nearest, .. } => largest_move(search, setup, configurations, lane),
        Mode::Search { pick: Pick::MostManipulable, .. } => {
            search.kernel.linearise(&setup.goals, configurations);
            svd.decompose(configurations, targets.len(), lane);
            -svd.log_manipulability(counted_axes(targets))
        }
    }
}

/// The largest move of any variable from the seed to where the configuration of a lane comes to rest \[rad, or m over the length
/// scale\].
fn largest_move(search: &Search, setup: &Setup, configurations: &Configurations, lane: usize) -> f64 {
    let moves = configurations.positions.iter().enumerate().map(|(i, position)| {
        let seed = setup.start[i] + setup.whole_turns[i];
        ((setup.folded(i, position.0[lane]) - seed) / search.unit(i)).abs()
    });
    moves.fold(0.0, f64::max)
}

/// Whether the configuration of a lane, or one that whole turns make of it, lies within the joint limits.
fn is_within_limits(search: &Search, setup: &Setup, configurations: &Configurations, lane: usize) -> bool {
    let variables = search.chain.variables().iter().zip(&setup.domains).zip(&configurations.positions);
    variables.into_iter().all(|((variable, domain), position)| {
        let position = position.0[lane];
        domain.contains(if variable.prismatic { position } else { domain.turned_into(position, 0.0) })
    })
}
