//! Tracking by numerical continuation: a tracked configuration is connected to the seed by a joint motion whose tips
//! follow the interpolated poses, along a straight line and about a constant axis.
//!
//! The direct Newton solution is accepted if the straight joint motion to it follows the interpolation. Otherwise the
//! interpolation is solved pose by pose, in pieces that are halved where the joint motion deviates from it (Taylor
//! 1979, as for paths). This decides the branch and the revolution of each joint. If a limit or a singularity ends
//! the interpolation, the error descends from there in short steps.
//!
//! Most solutions need no continuation: a short joint motion, or one that deviates little from the interpolation at
//! three points and keeps the sign of the determinant of a square Jacobian, is accepted unchanged. Otherwise some
//! hundred Newton steps follow. A solution of a closed form passes the same test.

use super::clearance::ClearanceCheck;
use super::closest::{Budget, ClosestDescent};
use super::explore::{Exploration, Run};
use super::interpolation::{Interpolation, StraightMotion, is_short};
use super::position_only::PositionOnly;
use super::prepared_search::{Search, SearchInput};
use super::setup::Setup;
use crate::kernel::Task;
use crate::{Bounds, Outcome, Reason, Solution};

/// Longest piece of an interpolation \[rad, or m over the length scale\].
const LONGEST_PIECE: f64 = 0.3;
/// Shortest piece \[rad, or m over the length scale\]. If shorter ones are needed, the interpolation ends.
const SHORTEST_PIECE: f64 = 1e-5;
/// Largest number of pieces, including halved ones. Passing a singularity at 0.01 of the usual singular
/// value takes some 60.
const MAX_PIECES: usize = 400;
/// Radius of a descent within which the error leads to no other branch \[rad, or m over the length scale\].
const DESCENT_RADIUS: f64 = 0.1;
/// Largest number of such descents, and of the iterations of each.
const MAX_DESCENTS: usize = 40;
const DESCENT_ITERATIONS: usize = 8;
/// Descents end when no joint moves farther \[rad, or m over the length scale\].
const MIN_MOVE: f64 = 1e-6;

/// Continuation of one problem, with its working memory.
#[derive(Debug, Clone)]
pub struct Continuation {
    interpolation: Interpolation,
    descent: ClosestDescent,
    /// The last configuration on the interpolation, without full revolutions \[rad or m\].
    positions: Vec<f64>,
    /// Another configuration, without full revolutions \[rad or m\].
    end: Vec<f64>,
    trial: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Fraction of the interpolation that was followed; `None` if it was not needed.
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

    /// True if a joint motion along the interpolation connects the start of the setup to `positions` \[rad or m\],
    /// without full revolutions. They must meet the targets.
    pub fn reaches(&mut self, run: &Run, setup: &Setup, positions: &[f64]) -> bool {
        let search = run.input.search;
        self.followed = None;
        if is_short(search, &setup.start, positions) {
            return true;
        }
        self.interpolation.aim(search, &setup.start, run.input.problem.targets);
        self.leads_to(run, setup, positions)
    }

    /// True if the start of the setup is connected to `positions`: by a straight motion, or by the interpolation and a
    /// straight self-motion at its end.
    fn leads_to(&mut self, run: &Run, setup: &Setup, positions: &[f64]) -> bool {
        let (search, bounds) = (run.input.search, setup.bounds());
        let whole = StraightMotion { from: &setup.start, to: positions, fractions: [0.0, 1.0] };
        self.interpolation.is_followed(search, bounds, &whole)
            || self.follow(run, setup) && {
                let self_motion = StraightMotion { from: &self.positions, to: positions, fractions: [1.0, 1.0] };
                self.interpolation.is_followed(search, bounds, &self_motion)
            }
    }

    /// Replaces the result of the attempt from the seed, in `exploration`, by a configuration connected to the seed, if
    /// there is one. Tries unmet targets again, unless they are provably out of reach or beyond the step bounds.
    /// Returns the number of Newton steps.
    pub fn connect(&mut self, run: &Run, setup: &Setup, exploration: &mut Exploration) -> usize {
        let SearchInput { search, problem } = run.input;
        let Exploration { picked, closest, clearance, .. } = exploration;
        let (was_met, before) = (picked.is_some(), self.interpolation.steps);
        if was_met {
            if self.reaches(run, setup, &picked.positions) {
                return self.interpolation.steps - before;
            }
        } else {
            self.followed = None;
            if setup.is_at_step_bound(&closest.positions) || run.input.out_of_reach().is_some() {
                return 0;
            }
            self.interpolation.aim(search, &setup.start, problem.targets);
            self.follow(run, setup);
        }
        let is_met = self.followed == Some(1.0);
        picked.reset(&self.positions);
        let read = |positions: &mut [f64]| positions.copy_from_slice(&self.positions);
        if is_met && clearance.appraise_folded(problem, setup, read).is_some() {
            picked.attempt = 0;
        } else if is_met || was_met {
            closest.positions.copy_from_slice(&self.positions);
        }
        self.interpolation.steps - before
    }

    /// Follows the interpolation from the start of the setup; true if its end is reached.
    fn follow(&mut self, run: &Run, setup: &Setup) -> bool {
        self.positions.copy_from_slice(&setup.start);
        let fraction = self.advance(run, setup.bounds(), 0.0);
        self.followed = Some(fraction);
        fraction >= 1.0
    }

    /// Continues along the interpolation from the fraction `from`, and returns the fraction reached.
    fn advance(&mut self, run: &Run, bounds: Bounds, from: f64) -> f64 {
        let Self { interpolation, positions, trial, .. } = self;
        let search = run.input.search;
        let [longest, shortest] = [LONGEST_PIECE, SHORTEST_PIECE].map(|piece| piece / interpolation.length);
        let (mut at, mut length) = (from, longest);
        for _ in 0..MAX_PIECES {
            if at >= 1.0 || run.has_expired() {
                break;
            }
            let next = (at + length).min(1.0);
            trial.copy_from_slice(positions);
            let is_followed = interpolation.solve(search, bounds, next, trial)
                && interpolation.is_followed(
                    search,
                    bounds,
                    &StraightMotion { from: positions, to: trial, fractions: [at, next] },
                );
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

    /// Replaces `found` by the end of the interpolation to its position targets, unless it is connected to the seed.
    /// Returns true if these targets are met and the clearance is respected.
    pub fn connect_position(
        &mut self,
        run: &Run,
        setup: &Setup,
        found: &mut PositionOnly,
        clearance: &mut ClearanceCheck,
    ) -> bool {
        let PositionOnly { targets, best, .. } = found;
        if self.is_connected_to(run, setup, &best.positions) {
            return true;
        }
        self.interpolation.aim(run.input.search, &setup.start, targets);
        let is_met = self.follow(run, setup);
        self.followed = None;
        best.positions.copy_from_slice(&self.positions);
        let read = |positions: &mut [f64]| positions.copy_from_slice(&self.positions);
        is_met && clearance.appraise_folded(run.input.problem, setup, read).is_some()
    }

    /// True if a joint motion along the interpolation to the poses of `positions` (without full
    /// revolutions) leads there.
    fn is_connected_to(&mut self, run: &Run, setup: &Setup, positions: &[f64]) -> bool {
        let SearchInput { search, problem } = run.input;
        if is_short(search, &setup.start, positions) {
            return true;
        }
        self.interpolation.aim_at_poses(search, [&setup.start, positions], problem.targets);
        let followed = self.followed;
        self.end.copy_from_slice(&self.positions);
        let is_connected = self.leads_to(run, setup, positions);
        self.followed = followed;
        self.positions.copy_from_slice(&self.end);
        is_connected
    }

    /// Replaces `closest` \[rad or m\], without full revolutions, by the local minimum of the error near the end of
    /// the interpolation, unless the continuation reaches `closest`.
    pub fn settle_closest(&mut self, run: &Run, setup: &Setup, closest: &mut [f64]) {
        let SearchInput { search, problem } = run.input;
        if self.is_connected_to(run, setup, closest) {
            return;
        }
        if self.followed.is_none() {
            self.interpolation.aim(search, &setup.start, problem.targets);
            self.follow(run, setup);
        }
        let mut settled = std::mem::take(&mut self.end);
        settled.copy_from_slice(&self.positions);
        if self.followed == Some(1.0) || self.descend(run, setup, &mut settled) {
            // A target met off the interpolation is not tracked.
            settled.copy_from_slice(&self.positions);
        }
        if !is_short(search, &settled, closest) {
            closest.copy_from_slice(&settled);
        }
        self.end = settled;
    }

    /// Leads `positions` to a local minimum of the error by descents of a small radius; true if the
    /// targets are met there.
    fn descend(&mut self, run: &Run, setup: &Setup, positions: &mut [f64]) -> bool {
        let Self { descent, trial, lower, upper, .. } = self;
        let (search, bounds) = (run.input.search, setup.bounds());
        for _ in 0..MAX_DESCENTS {
            for (i, position) in positions.iter().enumerate() {
                let radius = DESCENT_RADIUS * search.units[i];
                lower[i] = bounds.lower[i].max(position - radius);
                upper[i] = bounds.upper[i].min(position + radius);
            }
            trial.copy_from_slice(positions);
            let task = Task { goals: &setup.goals, bounds: Bounds { lower, upper } };
            let budget = Budget { iterations: DESCENT_ITERATIONS, run: Some(run) };
            let met = descent.descend(&search.kernel, task, positions, budget).met;
            let moves = positions.iter().zip(&*trial).enumerate();
            let moved = moves.map(|(i, (to, from))| (to - from).abs() / search.units[i]).fold(0.0, f64::max);
            if met || moved < MIN_MOVE || run.has_expired() {
                return met;
            }
        }
        false
    }

    /// True if joint limits ended the interpolation and nothing else explains the unmet targets: some limits are
    /// active, and the interpolation continues without limits.
    pub fn is_blocked_by_limits(&mut self, run: &Run, setup: &Setup, solution: &Solution) -> bool {
        let unexplained = solution.outcome == Outcome::Closest(Reason::NotConverged);
        let Some(fraction) = self.followed.filter(|_| unexplained && !solution.saturated.is_empty()) else {
            return false;
        };
        self.interpolation.aim(run.input.search, &setup.start, run.input.problem.targets);
        fraction < 1.0 && self.advance(run, setup.unbounded(), fraction) > fraction
    }
}
