//! A whole solve, from a problem to its solution.

use std::sync::atomic::AtomicUsize;

use super::attempts::Spent;
use super::avoidance::Avoidance;
use super::clearance::ClearanceCheck;
use super::closest::{Budget, ClosestDescent, ITERATIONS};
use super::continuation::Continuation;
use super::explore::{Exploration, Run, Share};
use super::flow::Flow;
use super::known_solutions::Known;
use super::position_only::{PositionOnly, Stages};
use super::prepared_search::{Posed, Search};
use super::self_motion::SelfMotions;
use super::setup::Setup;
use super::verdict::Verdict;
use crate::kernel::{Lanes, Svd};
use crate::{Outcome, Problem, Reason, Solution, Stop, Target, Tolerance, Unreached, counted_axes};

/// The stages of a search, each with what it works in. Only a whole solve sees all of them.
#[derive(Debug, Clone)]
pub struct SearchScratch {
    pub(super) setup: Setup,
    pub(super) exploration: Exploration,
    pub(super) flow: Flow,
    closest: ClosestDescent,
    position_only: PositionOnly,
    continuation: Continuation,
    pub(super) verdict: Verdict,
    pub self_motions: SelfMotions,
    pub(super) known: Known,
    avoidance: Avoidance,
}

impl SearchScratch {
    /// What tells whether configurations keep clear.
    pub fn clearance(&mut self) -> &mut ClearanceCheck {
        &mut self.exploration.clearance
    }
}

impl Search {
    /// Scratch for this search, to keep and reuse.
    pub fn scratch(&self) -> SearchScratch {
        SearchScratch {
            setup: Setup::new(self),
            exploration: Exploration::new(self),
            flow: Flow::new(self),
            closest: ClosestDescent::new(self),
            position_only: PositionOnly::new(self),
            continuation: Continuation::new(self),
            verdict: Verdict::new(self),
            self_motions: SelfMotions::new(self),
            known: Known::new(self),
            avoidance: Avoidance::default(),
        }
    }

    /// Makes `solution`, tracked without regard to collisions, keep clear, and appraises it.
    pub fn keep_clear(&self, problem: &Problem, scratch: &mut SearchScratch, solution: &mut Solution) {
        let SearchScratch { setup, exploration, verdict, avoidance, .. } = scratch;
        avoidance.keep_clear(Posed { search: self, problem }, setup, verdict, solution);
        exploration.clearance.judge(problem, solution);
    }

    /// The decomposition of the Jacobian at `positions`, over the axes of `targets` that count.
    pub fn decomposed<'a>(&self, targets: &[Target], positions: &[f64], scratch: &'a mut SearchScratch) -> &'a mut Svd {
        let SearchScratch { setup, verdict, .. } = scratch;
        self.kernel.set_goals(targets, &mut setup.goals);
        verdict.decompose(self, &setup.goals, positions)
    }

    /// What the configuration `positions` costs where it is to have the greatest manipulability for `targets`.
    pub fn manipulability_cost(&self, targets: &[Target], positions: &[f64], scratch: &mut SearchScratch) -> f64 {
        -self.decomposed(targets, positions, scratch).log_manipulability(counted_axes(targets))
    }

    /// Makes `positions` the answer and measures it; tells whether it meets the targets.
    pub fn hand_out(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut SearchScratch,
        solution: &mut Solution,
    ) -> bool {
        scratch.verdict.measure(self, targets, positions, solution)
    }

    /// Leads `positions` by damped Newton steps, without regard to limits, to where the tip misses `target` by no more than
    /// `tolerance` \[m and rad\], or as near as it comes.
    pub fn polish(&self, target: &Target, tolerance: f64, positions: &mut [f64], scratch: &mut SearchScratch) {
        let SearchScratch { setup, closest, .. } = scratch;
        let tolerance = Tolerance { position: tolerance, orientation: tolerance };
        setup.unbound();
        self.kernel.set_goals(&[Target { tolerance, ..*target }], &mut setup.goals);
        closest.descend(&self.kernel, setup.task(), positions, Budget::of(ITERATIONS));
    }

    /// See [`Solver::iterate`](crate::Solver::iterate).
    pub fn iterate(&self, problem: &Problem, scratch: &mut SearchScratch, times: usize) {
        let SearchScratch { setup, exploration, .. } = scratch;
        let configurations = &mut exploration.attempts.configurations;
        setup.set(Posed { search: self, problem });
        configurations.write_all(&setup.start);
        for _ in 0..times {
            self.kernel.measure(&setup.goals, configurations);
            self.kernel.damped_step(setup.task(), configurations, &Lanes::splat(0.1), &Lanes::splat(1e-3));
        }
    }
}

impl Run<'_> {
    /// Whether `positions`, which meet the targets of a tracked problem, are connected to its seed: see [`Continuation`].
    pub fn is_connected(&self, scratch: &mut SearchScratch, positions: &[f64]) -> bool {
        let SearchScratch { setup, exploration, continuation, .. } = scratch;
        setup.set(self.posed);
        let solved = &mut exploration.picked.positions;
        let turns = positions.iter().zip(&setup.whole_turns);
        solved.iter_mut().zip(turns).for_each(|(solved, (position, turns))| *solved = position - turns);
        continuation.reaches(self, setup, solved)
    }

    /// Solves a problem that has been checked.
    pub fn solve(&self, scratch: &mut SearchScratch, solution: &mut Solution) {
        let first_found = AtomicUsize::new(usize::MAX);
        let share = Share { index: 0, of: 1, first_found: &first_found };
        let SearchScratch { setup, exploration, continuation, .. } = scratch;
        setup.set(self.posed);
        let mut spent = exploration.explore(self, setup, &share);
        if self.tracks() {
            spent.iterations += continuation.connect(self, setup, exploration);
        }
        self.conclude(scratch, solution, spent);
    }

    /// Makes the solution out of what was explored.
    pub(super) fn conclude(&self, scratch: &mut SearchScratch, solution: &mut Solution, mut spent: Spent) {
        let Posed { search, problem } = self.posed;
        let is_picked = scratch.exploration.picked.is_some();
        let is_at_position = !is_picked && self.look_nearby(scratch, &mut spent);
        let SearchScratch { setup, exploration, flow, position_only, continuation, verdict, avoidance, .. } = scratch;
        let Exploration { picked, closest, clearance, .. } = exploration;
        let candidate = match (is_picked, is_at_position) {
            (true, _) => {
                if problem.cost.is_none() {
                    flow.optimise(self.posed, setup, &mut picked.positions, clearance);
                }
                picked
            }
            (false, true) => &mut position_only.best,
            (false, false) => closest,
        };
        setup.fold(problem, &mut candidate.positions);
        verdict.judge(self.posed, setup, &candidate.positions, solution);
        if is_at_position {
            solution.accept_position(problem.targets);
        }
        let is_clear = is_picked || is_at_position || clearance.is_clear(problem, &solution.positions);
        let explains = is_clear && !clearance.has_refused && problem.unreached != Unreached::Stop;
        let limits_are_in_the_way = explains
            && spent.stop == Stop::Attempts
            && if self.tracks() {
                continuation.limits_are_in_the_way(self, setup, solution)
            } else {
                exploration.limits_are_in_the_way(self.posed, setup, solution)
            };
        if limits_are_in_the_way {
            solution.outcome = Outcome::Closest(Reason::JointLimits);
        }
        if !is_clear {
            avoidance.approach(self.posed, setup, verdict, solution);
        }
        if !is_picked && !is_at_position {
            exploration.clearance.judge(problem, solution);
        }
        solution.stop = if solution.is_solved() { Stop::Converged } else { spent.stop };
        solution.smallest_singular_value = self.tracks().then(|| {
            let decomposed = verdict.decompose(search, &setup.goals, &solution.positions);
            decomposed.smallest_singular_value(counted_axes(problem.targets))
        });
        (solution.iterations, solution.attempts) = (spent.iterations, spent.attempts);
        solution.elapsed = self.start.elapsed();
    }

    /// Leads to what the problem asks for where no attempt met the targets. Returns whether the positions are met.
    fn look_nearby(&self, scratch: &mut SearchScratch, spent: &mut Spent) -> bool {
        let unreached = self.posed.problem.unreached;
        if unreached == Unreached::Stop || !self.iteration.refines() {
            return false;
        }
        let SearchScratch { setup, exploration, closest: descent, position_only, continuation, .. } = scratch;
        let Exploration { closest, attempts, clearance, .. } = exploration;
        spent.iterations += descent.refine(self, setup, closest, &mut attempts.given_up);
        let stages = Stages { setup, descent, attempts, clearance, closest };
        let is_at_position = unreached == Unreached::Position
            && position_only.find(self, stages, spent)
            && (!self.tracks() || continuation.hold(self, setup, position_only, clearance));
        if self.has_expired() {
            spent.stop = Stop::Deadline;
        }
        if self.tracks() && !is_at_position {
            continuation.settle(self, setup, &mut closest.positions);
        }
        is_at_position
    }
}
