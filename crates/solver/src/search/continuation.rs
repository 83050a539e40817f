//! Tracking by numerical continuation: a tracked configuration is connected to the seed by a joint motion whose tips follow the
//! interpolated poses, along a straight line and about a constant axis.
//!
//! The direct Newton solution stands where the straight joint motion to it follows the interpolation. Otherwise the interpolation is
//! solved pose by pose, in pieces that are halved where the joint motion leaves it (Taylor 1979, as for paths). This decides the branch
//! and the turn of each joint. Where a limit or a singularity ends the interpolation, the error descends from there in short steps.

use super::clearance::ClearanceCheck;
use super::closest::{Budget, ClosestDescent};
use super::explore::{Exploration, Run};
use super::interpolation::{Interpolation, Piece, is_short};
use super::position_only::PositionOnly;
use super::prepared_search::{Posed, Search};
use super::setup::Setup;
use crate::kernel::Task;
use crate::{Bounds, Outcome, Reason, Solution};

/// Longest piece of an interpolation \[rad, or m over the length scale\].
const LONGEST_PIECE: f64 = 0.3;
/// Shortest piece \[rad, or m over the length scale\]. Where shorter ones are needed, the interpolation ends.
const SHORTEST_PIECE: f64 = 1e-5;
/// Pieces at most, those that are halved included. A pass by a singularity at 0.01 of the common singular value takes some 60.
const MAX_PIECES: usize = 400;
/// Radius of a descent \[rad, or m over the length scale\] in which the error leads to no other branch.
const RADIUS: f64 = 0.1;
/// Descents of this radius at most, and the iterations of each.
const DESCENTS: usize = 40;
const ITERATIONS: usize = 8;
/// Descents end where the joints move by less \[rad, or m over the length scale\].
const MIN_MOVE: f64 = 1e-6;

/// Continuation of one problem, in memory that is kept.
#[derive(Debug, Clone)]
pub struct Continuation {
    interpolation: Interpolation,
    descent: ClosestDescent,
    /// The last configuration on the interpolation, less whole turns \[rad or m\].
    positions: Vec<f64>,
    /// Another configuration, the same way.
    end: Vec<f64>,
    trial: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// The share of the interpolation that was followed; `None` where it was not needed.
    followed: Option<f64>,
}

impl Continuation {
    pub fn new(search: &Search) -> Self {
        let positions = || vec![0.0; search.variables()];
        Self {
            interpolation: Interpolation::new(search),
            descent: ClosestDescent::new(search),
            positions: positions(),
            end: positions(),
            trial: positions(),
            lower: positions(),
            upper: positions(),
            followed: None,
        }
    }

    /// Whether a joint motion that follows the interpolation leads from the start of the setup to `positions`, which meet the
    /// targets; less whole turns.
    pub fn reaches(&mut self, run: &Run, setup: &Setup, positions: &[f64]) -> bool {
        let search = run.posed.search;
        self.followed = None;
        if is_short(search, &setup.start, positions) {
            return true;
        }
        self.interpolation.aim(search, &setup.start, run.posed.problem.targets);
        let whole = Piece { from: &setup.start, to: positions, shares: [0.0, 1.0] };
        self.interpolation.is_followed(search, setup.bounds(), &whole)
            || self.follow(run, setup) && self.ends_at(run, setup, positions)
    }

    /// Whether the end of the interpolation, which was reached, leads to `positions` by a straight joint motion that leaves the tips where
    /// they are.
    fn ends_at(&mut self, run: &Run, setup: &Setup, positions: &[f64]) -> bool {
        let self_motion = Piece { from: &self.positions, to: positions, shares: [1.0, 1.0] };
        self.interpolation.is_followed(run.posed.search, setup.bounds(), &self_motion)
    }

    /// Replaces what the attempt from the seed has found by a configuration that is connected to the seed, where there is one. An unmet
    /// target is tried again, unless it is certainly out of reach or farther than the step bounds allow. Gives the Newton steps it took.
    pub fn connect(&mut self, run: &Run, setup: &Setup, exploration: &mut Exploration) -> usize {
        let Posed { search, problem } = run.posed;
        let Exploration { picked, closest, clearance, .. } = exploration;
        let (was_met, before) = (picked.is_some(), self.interpolation.steps);
        if was_met {
            if self.reaches(run, setup, &picked.positions) {
                return self.interpolation.steps - before;
            }
        } else {
            self.followed = None;
            if setup.is_at_step_bound(&closest.positions) || run.posed.out_of_reach().is_some() {
                return 0;
            }
            self.interpolation.aim(search, &setup.start, problem.targets);
            self.follow(run, setup);
        }
        let is_met = self.followed == Some(1.0);
        self.trial.copy_from_slice(&self.positions);
        setup.fold(problem, &mut self.trial);
        picked.reset(&self.positions);
        if is_met && clearance.appraise(problem, &self.trial).is_some() {
            picked.attempt = 0;
        } else if is_met || was_met {
            closest.positions.copy_from_slice(&self.positions);
        }
        self.interpolation.steps - before
    }

    /// Follows the interpolation from the start of the setup; tells whether to its end.
    fn follow(&mut self, run: &Run, setup: &Setup) -> bool {
        self.positions.copy_from_slice(&setup.start);
        let share = self.go_on(run, setup.bounds(), 0.0);
        self.followed = Some(share);
        share >= 1.0
    }

    /// Goes on along the interpolation from this share of it; gives the share that is reached.
    fn go_on(&mut self, run: &Run, bounds: Bounds, from: f64) -> f64 {
        let Self { interpolation, positions, trial, .. } = self;
        let search = run.posed.search;
        let [longest, shortest] = [LONGEST_PIECE, SHORTEST_PIECE].map(|piece| piece / interpolation.length());
        let (mut at, mut length) = (from, longest);
        for _ in 0..MAX_PIECES {
            if at >= 1.0 || run.has_expired() {
                break;
            }
            let next = (at + length).min(1.0);
            trial.copy_from_slice(positions);
            let is_followed = interpolation.solve(search, bounds, next, trial)
                && interpolation.is_followed(search, bounds, &Piece { from: positions, to: trial, shares: [at, next] });
            if is_followed {
                positions.copy_from_slice(trial);
                (at, length) = (next, (2.0 * length).min(longest));
            } else {
                length = 0.5 * (next - at);
                if length < shortest {
                    break;
                }
            }
        }
        at
    }

    /// Replaces what meets the positions alone, unless it is connected to the seed, by the end of the interpolation of these positions; tells
    /// whether they are met, and where clearance allows it.
    pub fn hold(&mut self, run: &Run, setup: &Setup, found: &mut PositionOnly, clearance: &mut ClearanceCheck) -> bool {
        let PositionOnly { targets, best, .. } = found;
        if self.leads_to(run, setup, &best.positions) {
            return true;
        }
        self.interpolation.aim(run.posed.search, &setup.start, targets);
        let is_met = self.follow(run, setup);
        self.followed = None;
        best.positions.copy_from_slice(&self.positions);
        self.trial.copy_from_slice(&self.positions);
        setup.fold(run.posed.problem, &mut self.trial);
        is_met && clearance.appraise(run.posed.problem, &self.trial).is_some()
    }

    /// Whether a joint motion that follows the interpolation to the poses of `positions`, less whole turns, leads there.
    fn leads_to(&mut self, run: &Run, setup: &Setup, positions: &[f64]) -> bool {
        let Posed { search, problem } = run.posed;
        if is_short(search, &setup.start, positions) {
            return true;
        }
        self.interpolation.aim_at_poses(search, [&setup.start, positions], problem.targets);
        let whole = Piece { from: &setup.start, to: positions, shares: [0.0, 1.0] };
        if self.interpolation.is_followed(search, setup.bounds(), &whole) {
            return true;
        }
        let followed = self.followed;
        self.end.copy_from_slice(&self.positions);
        let leads = self.follow(run, setup) && self.ends_at(run, setup, positions);
        self.followed = followed;
        self.positions.copy_from_slice(&self.end);
        leads
    }

    /// Replaces `closest`, less whole turns, by the local minimum of the error to which short steps lead from the end of the
    /// interpolation, unless these or another interpolation lead to `closest`.
    pub fn settle(&mut self, run: &Run, setup: &Setup, closest: &mut [f64]) {
        let Posed { search, problem } = run.posed;
        if self.leads_to(run, setup, closest) {
            return;
        }
        if self.followed.is_none() {
            self.interpolation.aim(search, &setup.start, problem.targets);
            self.follow(run, setup);
        }
        let mut settled = std::mem::take(&mut self.end);
        settled.copy_from_slice(&self.positions);
        if self.followed == Some(1.0) || self.descend(run, setup, &mut settled) {
            // A target that is met beside the interpolation is not tracked.
            settled.copy_from_slice(&self.positions);
        }
        if !is_short(search, &settled, closest) {
            closest.copy_from_slice(&settled);
        }
        self.end = settled;
    }

    /// Leads `positions` to a local minimum of the error in descents of a small radius; tells whether the targets are met there.
    fn descend(&mut self, run: &Run, setup: &Setup, positions: &mut [f64]) -> bool {
        let Self { descent, trial, lower, upper, .. } = self;
        let (search, bounds) = (run.posed.search, setup.bounds());
        for _ in 0..DESCENTS {
            for (i, position) in positions.iter().enumerate() {
                let radius = RADIUS * search.unit(i);
                lower[i] = bounds.lower[i].max(position - radius);
                upper[i] = bounds.upper[i].min(position + radius);
            }
            trial.copy_from_slice(positions);
            let task = Task { goals: &setup.goals, bounds: Bounds { lower, upper } };
            let budget = Budget { iterations: ITERATIONS, expired: &|| run.has_expired() };
            let met = descent.descend(&search.kernel, task, positions, budget).met;
            let moves = positions.iter().zip(&*trial).enumerate();
            let moved = moves.map(|(i, (to, from))| (to - from).abs() / search.unit(i)).fold(0.0, f64::max);
            if met || moved < MIN_MOVE || run.has_expired() {
                return met;
            }
        }
        false
    }

    /// Whether joint limits end the interpolation before the targets of an answer that has no other explanation: some of them push
    /// back there, and without limits it goes on. Overwrites the setup.
    pub fn limits_are_in_the_way(&mut self, run: &Run, setup: &mut Setup, solution: &Solution) -> bool {
        let unexplained = solution.outcome == Outcome::Closest(Reason::NotConverged);
        let Some(share) = self.followed.filter(|_| unexplained && !solution.saturated.is_empty()) else { return false };
        self.interpolation.aim(run.posed.search, &setup.start, run.posed.problem.targets);
        setup.unbound();
        share < 1.0 && self.go_on(run, setup.bounds(), share) > share
    }
}
