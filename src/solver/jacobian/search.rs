//! A whole solve: attempts, the choice among what they find, and the verdict.

use std::f64::consts::TAU;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::attempts::{Arrival, Plan, Spent};
use super::null_space::counted;
use super::{Jacobian, JacobianScratch, Steps};
use crate::robot::Domain;
use crate::solver::fabrik;
use crate::solver::goal::Goal;
use crate::solver::lanes::Lanes;
use crate::solver::problem::{Mode, Pick, Problem, Target};
use crate::solver::solution::{Outcome, Solution, Stop};

/// Attempts that are made in any case. They take some ten microseconds: to look at the clock before would let one interruption by
/// the operating system spoil a search that has hardly begun.
const FIRST: usize = 16;
/// Adaptive damping over the squared error \[rad²\]: of the fractions 1, 0.3, 0.1 and 0.03 a search takes the fewest iterations with
/// the third. It bounds a step near a singularity to half the error over the root of the damping, 1.6 rad; tracking, which must not
/// leap, keeps to half a radian.
pub(super) const SEARCH_DAMPING: f64 = 0.1;
const TRACK_DAMPING: f64 = 1.0;

/// The part of the attempts that one core makes.
pub(super) struct Share<'a> {
    /// It makes every `of`th attempt, from number `index` on.
    pub index: usize,
    pub of: usize,
    /// The lowest number of an attempt that has succeeded, of all shares; only where the first solution is wanted.
    pub first_found: &'a AtomicUsize,
    pub start: Instant,
}

/// What a share of the attempts has found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// What the pick makes of the best posture, less being better, and the number of its attempt; infinite where there is none.
    pub score: f64,
    pub number: usize,
    pub spent: Spent,
}

impl Found {
    pub(super) fn any(&self) -> bool {
        self.number < usize::MAX
    }
}

impl Jacobian {
    /// Solves a problem that has been checked.
    pub(in crate::solver) fn solve(&self, problem: &Problem, scratch: &mut JacobianScratch, solution: &mut Solution) {
        let start = Instant::now();
        let first_found = AtomicUsize::new(usize::MAX);
        let share = Share { index: 0, of: 1, first_found: &first_found, start };
        let found = self.explore(problem, scratch, &share);
        self.conclude(problem, scratch, solution, found, start);
    }

    /// Makes the attempts of `share` and leaves the best of what they find in `scratch.picked`, or where they find nothing, the best
    /// of what is left of them in `scratch.best`.
    pub(super) fn explore(&self, problem: &Problem, scratch: &mut JacobianScratch, share: &Share) -> Found {
        self.set_up(problem, scratch);
        let (pick, attempts, random_seed, damping) = match problem.mode {
            Mode::Search { pick, attempts, random_seed } => (pick, attempts.max(1), random_seed, SEARCH_DAMPING),
            Mode::Track { .. } => (Pick::First, 1, 0, TRACK_DAMPING),
        };
        if attempts > 1 {
            self.table.rank(self.level, problem.targets, &mut scratch.ranking);
        }
        let over = |number: usize| self.over(problem, share, number);
        let plan = Plan { attempts, first: share.index, stride: share.of, random_seed, damping, over: &over };
        let mut best = (f64::INFINITY, usize::MAX);
        let spent = self.attempts(&plan, scratch, &mut |scratch, Arrival { lane, number, .. }| {
            let score = (self.score(pick, problem.targets, scratch, lane), number);
            if score < best {
                best = score;
                scratch.batch.read(lane, &mut scratch.picked);
            }
            if pick != Pick::First {
                return ControlFlow::Continue(());
            }
            share.first_found.fetch_min(number, Ordering::Relaxed);
            // Among several shares the lowest number counts, so that the answer does not depend on which was quicker.
            if share.of == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        Found { score: best.0, number: best.1, spent }
    }

    /// Whether there is reason not to begin attempt `number`.
    pub(super) fn over(&self, problem: &Problem, share: &Share, number: usize) -> Option<Stop> {
        if share.first_found.load(Ordering::Relaxed) < number {
            return Some(Stop::Converged);
        }
        if number < FIRST {
            return None;
        }
        if problem.deadline.is_some_and(|deadline| share.start.elapsed() >= deadline) {
            return Some(Stop::Deadline);
        }
        // No attempt can succeed where the target is out of reach; the first keep a stretched seed from staying where it is.
        self.out_of_reach(problem).map(|_| Stop::Attempts)
    }

    /// Makes the solution out of what was found.
    pub(super) fn conclude(
        &self,
        problem: &Problem,
        scratch: &mut JacobianScratch,
        solution: &mut Solution,
        mut found: Found,
        start: Instant,
    ) {
        if found.any() {
            scratch.best.copy_from_slice(&scratch.picked);
            self.settle(problem.targets, &problem.preference, scratch);
        } else if !matches!(self.steps, Steps::Reaching(fabrik::Options { polish: false, .. })) {
            let expired = || problem.deadline.is_some_and(|deadline| start.elapsed() >= deadline);
            found.spent.iterations += self.refine(scratch, &expired);
            if expired() {
                found.spent.stop = Stop::Deadline;
            }
        }
        self.fold(problem, scratch);
        self.judge(problem, scratch, solution);
        solution.stop = match solution.outcome {
            Outcome::Solved => Stop::Converged,
            Outcome::Closest(_) => found.spent.stop,
        };
        solution.smallest_singular_value = match problem.mode {
            Mode::Track { .. } => Some(self.singular_value_at(problem.targets, &solution.positions, scratch)),
            Mode::Search { .. } => None,
        };
        solution.iterations = found.spent.iterations;
        solution.attempts = found.spent.attempts;
        solution.elapsed = start.elapsed();
    }

    /// Takes `times` iterations from the seed of `problem`, whatever comes of them: forward kinematics, Jacobian and damped step, of
    /// four postures at once. For measurements of what one of them costs.
    #[doc(hidden)]
    pub fn iterate(&self, problem: &Problem, scratch: &mut JacobianScratch, times: usize) {
        self.set_up(problem, scratch);
        scratch.batch.write_all(&scratch.start);
        for _ in 0..times {
            self.measure(scratch);
            self.damped_step(scratch, &Lanes::splat(0.1), &Lanes::splat(1e-3));
        }
    }

    /// What `pick` makes of the posture of a lane: less is better.
    fn score(&self, pick: Pick, targets: &[Target], scratch: &mut JacobianScratch, lane: usize) -> f64 {
        match pick {
            Pick::First => 0.0,
            Pick::Nearest => self.largest_move(scratch, lane),
            Pick::MostManipulable => {
                self.linearise(scratch);
                scratch.take_in(lane);
                -scratch.linear.log_manipulability(counted(targets))
            }
        }
    }

    /// The largest move of any variable from the seed to where the posture of a lane comes to rest \[rad, or m over the length
    /// scale\].
    fn largest_move(&self, scratch: &JacobianScratch, lane: usize) -> f64 {
        let moves = scratch.batch.positions.iter().enumerate().map(|(i, position)| {
            let seed = scratch.start[i] + scratch.whole_turns[i];
            ((self.folded(i, position.0[lane], scratch) - seed) / self.unit(i)).abs()
        });
        moves.fold(0.0, f64::max)
    }

    /// Bounds, starting point and goals.
    pub(super) fn set_up(&self, problem: &Problem, scratch: &mut JacobianScratch) {
        self.set_bounds(problem, scratch);
        self.set_goals(problem.targets, scratch);
    }

    pub(super) fn set_goals(&self, targets: &[Target], scratch: &mut JacobianScratch) {
        // Weights count against each other alone: the heaviest is one, which keeps the damping in proportion.
        let heaviest = targets.iter().map(|target| target.weight).fold(0.0, f64::max);
        scratch.goals.clear();
        scratch.goals.extend(targets.iter().map(|target| {
            let target = Target { weight: target.weight / heaviest, ..*target };
            Goal::new(&target, &self.links, self.length_scale)
        }));
    }

    /// Bounds for the variables while solving, and where they start.
    ///
    /// Whole turns of the seed are taken off, since angles of many turns lose digits. A search takes variables that turn for circles and
    /// folds them into their limits at the end. Tracking does not: a fold would be a jump of a whole turn.
    fn set_bounds(&self, problem: &Problem, scratch: &mut JacobianScratch) {
        for (i, variable) in self.chain.variables().iter().enumerate() {
            let circle = (f64::NEG_INFINITY, f64::INFINITY);
            let limits = match variable.domain {
                Domain::Interval { lower, upper } => (lower, upper),
                Domain::Circle => circle,
            };
            let seed = variable.domain.clamp(problem.seed[i]);
            let turns = if self.turns[i] { (seed / TAU).round() * TAU } else { 0.0 };
            let (lower, upper) = match problem.mode {
                Mode::Search { .. } if self.turns[i] => circle,
                Mode::Search { .. } => limits,
                Mode::Track { max_step } => (limits.0.max(seed - max_step[i]), limits.1.min(seed + max_step[i])),
            };
            (scratch.lower[i], scratch.upper[i]) = (lower - turns, upper - turns);
            scratch.start[i] = seed - turns;
            scratch.whole_turns[i] = turns;
        }
    }
}
