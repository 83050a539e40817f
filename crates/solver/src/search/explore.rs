//! Makes the attempts of one core until the deadline, and keeps the solution that `pick` prefers.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::attempts::{Arrival, AttemptScratch, Plan, Spent};
use super::candidate::Candidate;
use super::clearance::ClearanceScratch;
use super::iteration::{Iteration, SEARCH_DAMPING, TRACK_DAMPING};
use super::prepared_search::Search;
use super::setup::Setup;
use crate::kernel::configurations::Configurations;
use crate::kernel::svd::Svd;
use crate::problem::{Mode, Pick, Problem, Target, counted_axes};
use crate::solution::Stop;

/// Attempts that are made in any case. They take some ten microseconds: to look at the clock before would let one interruption by
/// the operating system spoil a search that has hardly begun.
const ATTEMPTS_WITHOUT_CLOCK: usize = 16;

/// Attempts that are made though the target is certainly out of reach.
const ATTEMPTS_OUT_OF_REACH: usize = 48;

/// Attempts that meet the targets but may not be handed out do not count, as long as there are no more than this times the attempts.
const WITH_REFUSED: usize = 16;

/// The part of the attempts that one core makes.
pub struct Share<'a> {
    /// It makes every `of`th attempt, from number `index` on.
    pub index: usize,
    pub of: usize,
    /// The lowest number of an attempt that has succeeded, of all shares; only where the first solution is wanted.
    pub first_found: &'a AtomicUsize,
    pub start: Instant,
}

/// Where one core explores, and what it finds.
#[derive(Debug, Clone)]
pub struct Exploration {
    pub attempts: AttemptScratch,
    svd: Svd,
    pub clearance: ClearanceScratch,
    /// Of the configurations that meet the targets, the one that the pick prefers.
    pub picked: Candidate,
    /// Of those that were given up, the one with the least squared error.
    pub closest: Candidate,
}

impl Exploration {
    pub fn new(search: &Search) -> Self {
        let variables = search.variables();
        Self {
            attempts: AttemptScratch::new(search),
            svd: Svd::new(search.chain.tips().len(), variables),
            clearance: ClearanceScratch::new(search),
            picked: Candidate::none(variables),
            closest: Candidate::none(variables),
        }
    }
}

impl Search {
    /// Makes the attempts of `share`. Leaves the best of those that meet the targets in `exploration.picked`, and the best of those
    /// that do not in `exploration.closest`.
    pub fn explore(
        &self,
        iteration: Iteration,
        problem: &Problem,
        setup: &Setup,
        exploration: &mut Exploration,
        share: &Share,
    ) -> Spent {
        let (pick, attempts, random_seed, damping) = match problem.mode {
            Mode::Search { pick, attempts, random_seed } => (pick, attempts.max(1), random_seed, SEARCH_DAMPING),
            Mode::Track { .. } => (Pick::First, 1, 0, TRACK_DAMPING),
        };
        // Attempts at what is out of reach only lead to the closest configuration.
        let attempts = if problem.closest || self.out_of_reach(problem).is_none() { attempts } else { 0 };
        let Exploration { attempts: scratch, svd, clearance, picked, closest } = exploration;
        picked.reset(&setup.start);
        clearance.begin();
        if attempts > 1 {
            self.rank(problem.targets, scratch);
        }
        let leaps = matches!(problem.mode, Mode::Search { .. });
        let refused = Cell::new(0);
        let until_deadline = problem.accepts.is_some() && problem.deadline.is_some();
        let over = |number: usize| {
            let counted = number - number.min(share.of * refused.get());
            let enough = counted >= attempts && !(until_deadline && refused.get() > 0);
            self.over(problem, share, number).or_else(|| enough.then_some(Stop::Attempts))
        };
        let attempts = match problem.clearance {
            _ if until_deadline => usize::MAX,
            None if problem.accepts.is_none() => attempts,
            _ => attempts.saturating_mul(WITH_REFUSED),
        };
        let (first, stride) = (share.index, share.of);
        let plan = Plan { attempts, first, stride, iteration, random_seed, damping, leaps, over: &over };
        self.attempts(&plan, setup, scratch, closest, &mut |configurations, Arrival { lane, number, .. }| {
            let Some(cost) = self.appraise_lane(problem, setup, (configurations, lane), clearance) else {
                refused.set(refused.get() + 1);
                return ControlFlow::Continue(());
            };
            let by_pick = problem.cost.is_none();
            let task = (problem.targets, setup);
            let score = if by_pick { self.score(pick, task, (configurations, lane), svd) } else { cost };
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

    /// How the pick judges the configuration of a lane, less being better.
    #[inline]
    fn score(
        &self,
        pick: Pick,
        (targets, setup): (&[Target], &Setup),
        (configurations, lane): (&mut Configurations, usize),
        svd: &mut Svd,
    ) -> f64 {
        match pick {
            Pick::First => 0.0,
            Pick::Nearest => self.largest_move(setup, configurations, lane),
            Pick::MostManipulable => -self.log_manipulability_of(targets, setup, configurations, svd, lane),
        }
    }

    /// Whether there is reason not to begin attempt `number`.
    pub fn over(&self, problem: &Problem, share: &Share, number: usize) -> Option<Stop> {
        if share.first_found.load(Ordering::Relaxed) < number {
            return Some(Stop::Converged);
        }
        // Who is asked may take long.
        if number < ATTEMPTS_WITHOUT_CLOCK && problem.accepts.is_none() && problem.cost.is_none() {
            return None;
        }
        if problem.deadline.is_some_and(|deadline| share.start.elapsed() >= deadline) {
            return Some(Stop::Deadline);
        }
        // No attempt can succeed where the target is out of reach; the first lead to the minima of which the least is the closest.
        (number >= ATTEMPTS_OUT_OF_REACH).then(|| self.out_of_reach(problem).map(|_| Stop::Attempts)).flatten()
    }

    /// The largest move of any variable from the seed to where the configuration of a lane comes to rest \[rad, or m over the length
    /// scale\].
    fn largest_move(&self, setup: &Setup, configurations: &Configurations, lane: usize) -> f64 {
        let moves = configurations.positions.iter().enumerate().map(|(i, position)| {
            let seed = setup.start[i] + setup.whole_turns[i];
            ((self.folded(i, position.0[lane], setup) - seed) / self.unit(i)).abs()
        });
        moves.fold(0.0, f64::max)
    }

    /// The logarithm of the manipulability of a lane.
    fn log_manipulability_of(
        &self,
        targets: &[Target],
        setup: &Setup,
        configurations: &mut Configurations,
        svd: &mut Svd,
        lane: usize,
    ) -> f64 {
        self.kernel.linearise(&setup.goals, configurations);
        svd.decompose(configurations, targets.len(), lane);
        svd.log_manipulability(counted_axes(targets))
    }
}
