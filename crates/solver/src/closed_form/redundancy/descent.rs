//! The descent on the self-motion of seven joints to the smallest largest move from the seed.
//!
//! Each step adds a Newton step to the target and a move along the tangent of the self-motion, to where the largest
//! move is smallest. Both are linear approximations; the length of a step is reduced where earlier steps refuted
//! them. Where two joints share the largest move, that converges as Newton's method does; where one joint alone has
//! it and turns back, by the secant of its rate.

use super::joint_ranges::{JointRanges, Seven, largest};
use crate::closed_form::candidates::{Candidate, Candidates};
use crate::search::{SearchInput, SearchScratch};
use urdf_ik_closed_form::REDUNDANT_JOINTS;

/// Most steps from one start.
const MAX_STEPS: usize = 20;
/// Largest move of a joint in one step \[rad\].
const MAX_JOINT_STEP: f64 = 0.5;
/// Starts that are farther from the target are dropped \[rad, and m over the length scale\].
const MAX_START_ERROR: f64 = 0.3;
/// A shorter step \[rad\] is the last: it misses the target by no more than its square.
const LAST_STEP: f64 = 5e-6;
/// After a shorter Newton step \[rad\] the largest move is known, and one more such step meets the target.
const ON_TARGET_BELOW: f64 = 3e-4;
/// Most by which a descent leads to a smaller move than its start promises \[rad\].
const PROMISE_ERROR: f64 = 0.02;
/// A smaller gain of the largest move \[rad\] waits until Newton steps are below [`ON_TARGET_BELOW`].
const MIN_EARLY_GAIN: f64 = 0.01;
/// A smaller rate of the largest move along the self-motion counts as none.
const MIN_RATE: f64 = 3e-5;
/// A smaller gain of the largest move \[rad\] is worth no step.
const MIN_GAIN: f64 = 1e-7;
/// The error of a predicted largest move, over the square of the step \[1/rad\].
const PREDICTION_ERROR: f64 = 0.5;
/// A longer Newton step \[rad\] is not taken: damped steps go first.
const MAX_NEWTON_STEP: f64 = 0.3;
/// The tolerance of these damped steps \[m and rad\].
const DAMPED_TOLERANCE: f64 = 1e-6;
/// The least and the greatest share of a step without progress that the next step may have.
const SHORTENING: (f64, f64) = (0.1, 0.9);

/// A descent on the self-motion to the target of a problem.
pub(super) struct Descent<'a> {
    pub posed: SearchInput<'a>,
    pub ranges: JointRanges,
}

/// The configuration after a Newton step, and the self-motion there.
#[derive(Clone, Copy)]
struct Point {
    moves: Seven,
    motion: Seven,
    /// Length of the Newton step \[rad\].
    newton: f64,
    /// The largest move and the largest limit excess \[rad\].
    largest: f64,
    passed: f64,
    /// The joint that moves most, and the rate at which its move grows.
    top: usize,
    rate: f64,
}

impl<'a> Descent<'a> {
    /// A descent for a problem with one target. Sets this target in the self-motions of `scratch`.
    pub fn new(posed: SearchInput<'a>, ranges: JointRanges, scratch: &mut SearchScratch) -> Self {
        scratch.self_motions.set_target(posed.search, &posed.problem.targets[0]);
        Self { posed, ranges }
    }

    /// Descends from the candidates `starts`, the lowest cost \[rad\] first, as long as one may lead to a smaller move
    /// than `best`. Replaces `best` by better configurations.
    pub fn descend_from(&self, starts: &Candidates, best: &mut Option<Candidate>, scratch: &mut SearchScratch) {
        for start in starts.as_slice() {
            if best.is_some_and(|best| start.cost > best.cost + PROMISE_ERROR) {
                break;
            }
            self.descend(&start.at, best, scratch);
        }
    }

    /// Descends from `start`, the joint displacements from the seed \[rad\], as long as the cost \[rad\] may fall below
    /// that of `best`. Replaces `best` by better configurations.
    pub fn descend(&self, start: &Seven, best: &mut Option<Candidate>, scratch: &mut SearchScratch) {
        let mut here: Option<Point> = None;
        let (mut moves, mut went, mut radius) = (*start, 0.0_f64, MAX_JOINT_STEP);
        // The start and the length of the last step of self-motion.
        let mut last: Option<(Point, f64)> = None;
        for _ in 0..MAX_STEPS {
            let next = self.point(&moves, here.is_none(), scratch);
            if let Some(next) = next.filter(|next| next.newton < ON_TARGET_BELOW) {
                self.keep(&next.moves, best, scratch);
            }
            let Some((from, farthest)) = continue_from(here, next, went, radius) else { return };
            radius = farthest;
            let (mut along, least) = self.step_along(&from, radius);
            let length = from.newton + along.abs();
            let rough = PREDICTION_ERROR * length * length + 2.0 * from.newton * from.newton;
            if best.is_some_and(|best| least > best.cost - MIN_GAIN + rough) {
                return;
            }
            if from.newton >= ON_TARGET_BELOW && from.passed == 0.0 && from.largest - least < MIN_EARLY_GAIN {
                along = 0.0;
            } else if let Some((_, went)) = last.filter(|(before, went)| went * along * before.along(&from) < 0.0) {
                along = along.clamp(-0.5 * went.abs(), 0.5 * went.abs());
            }
            if along != 0.0 {
                last = Some((from, along));
            }
            moves = add(&from.moves, along, &from.motion);
            if length < LAST_STEP {
                return self.keep(&moves, best, scratch);
            }
            (here, went) = (Some(from), along);
        }
    }

    /// The point after a Newton step, the `first` time after damped steps if necessary; `None` if the step fails.
    fn point(&self, moves: &Seven, first: bool, scratch: &mut SearchScratch) -> Option<Point> {
        let (SearchInput { search, problem }, mut positions) = (self.posed, self.ranges.positions(moves));
        let mut found = scratch.self_motions.at(search, &positions);
        if first && !found.is_some_and(|found| largest(&found.step) < MAX_NEWTON_STEP) {
            search.polish(&problem.targets[0], DAMPED_TOLERANCE, &mut positions, scratch);
            found = scratch.self_motions.at(search, &positions);
        }
        let found = found.filter(|found| found.error < MAX_START_ERROR && largest(&found.step) < MAX_NEWTON_STEP)?;
        let moves: Seven = std::array::from_fn(|i| positions[i] - self.ranges.seed[i] + found.step[i]);
        let top =
            (0..REDUNDANT_JOINTS).fold(0, |top, joint| if moves[joint].abs() > moves[top].abs() { joint } else { top });
        Some(Point {
            moves,
            motion: found.motion,
            newton: largest(&found.step),
            largest: moves[top].abs(),
            passed: self.ranges.passed(&moves),
            top,
            rate: found.motion[top] * moves[top].signum(),
        })
    }

    /// The step along the self-motion from a point, and the largest move after it.
    fn step_along(&self, from: &Point, radius: f64) -> (f64, f64) {
        let Point { moves, motion, .. } = from;
        let (low, high) = self.ranges.range(moves, motion, radius);
        if low > high {
            // To the least limit excess.
            let middle = (0.5 * (low + high)).clamp(-radius, radius);
            return (middle, largest(&add(moves, middle, motion)));
        }
        let into = 0.0_f64.clamp(low, high);
        let (further, least) = minimax_along(&add(moves, into, motion), motion, (low - into, high - into));
        (into + further, least)
    }

    /// Replaces `best` by the configuration with the displacements `moves` \[rad\] from the seed, if it is better,
    /// inside the limits and clear of collisions.
    pub fn keep(&self, moves: &Seven, best: &mut Option<Candidate>, scratch: &mut SearchScratch) {
        let Some(moves) = self.ranges.allowed(moves) else { return };
        let cost = largest(&moves);
        if best.is_none_or(|best| cost < best.cost)
            && scratch.exploration.clearance.is_clear(self.posed.problem, &self.ranges.positions(&moves))
        {
            *best = Some(Candidate { cost, at: moves });
        }
    }
}

/// The point to continue from (the next, or the one before if that is no better), and the longest step.
fn continue_from(here: Option<Point>, next: Option<Point>, went: f64, radius: f64) -> Option<(Point, f64)> {
    let Some(before) = here else { return Some((next?, radius)) };
    let reversal = next.filter(|_| went != 0.0).and_then(|next| before.reversal(&next));
    if let Some(next) = next.filter(|next| went == 0.0 || before.leads_to(next)) {
        let rest = reversal.map_or(2.0 * radius, |share| (1.0 - share) * went.abs());
        return Some((next, rest.min(MAX_JOINT_STEP)));
    }
    let share = reversal.unwrap_or(0.5).clamp(SHORTENING.0, SHORTENING.1);
    (went != 0.0).then_some((before, share * went.abs()))
}

impl Point {
    /// True if the next point is better: less limit excess, or inside and no farther from the seed.
    fn leads_to(&self, next: &Self) -> bool {
        // The remaining effect of Newton steps.
        let rest = 2.0 * (self.newton * self.newton + next.newton * next.newton) + LAST_STEP * LAST_STEP;
        next.passed <= self.passed.max(MAX_JOINT_STEP * MAX_JOINT_STEP)
            && (next.passed < self.passed - rest || next.largest <= self.largest + rest)
    }

    /// The dot product of both self-motions.
    fn along(&self, other: &Self) -> f64 {
        self.motion.iter().zip(&other.motion).map(|(a, b)| a * b).sum()
    }

    /// The share of the step to the next point after which the largest move is expected to reverse, if one joint
    /// has it throughout.
    fn reversal(&self, next: &Self) -> Option<f64> {
        let rate = next.rate * self.along(next).signum();
        (self.top == next.top && self.rate * rate < 0.0).then(|| self.rate / (self.rate - rate))
    }
}

fn add(a: &Seven, factor: f64, b: &Seven) -> Seven {
    std::array::from_fn(|i| a[i] + factor * b[i])
}

/// The t between `range.0` ≤ 0 and `range.1` ≥ 0 with the smallest maximum of |`moves[i] + t · motion[i]`|, and that
/// maximum. Of several such t, the one nearest to 0.
fn minimax_along<const N: usize>(moves: &[f64; N], motion: &[f64; N], range: (f64, f64)) -> (f64, f64) {
    // The largest is convex in t: only one of both directions can lead down.
    let forwards = down(moves, motion, range.1);
    let backwards = down(moves, &motion.map(|rate| -rate), -range.0);
    if backwards.1 < forwards.1 { (-backwards.0, backwards.1) } else { forwards }
}

/// [`minimax_along`] for t from 0 to `end`: down along the highest line, until a rising one crosses it.
fn down<const N: usize>(moves: &[f64; N], motion: &[f64; N], end: f64) -> (f64, f64) {
    // Each magnitude is the greater of two lines: height at 0 and slope.
    let lines = || moves.iter().zip(motion).flat_map(|(a, b)| [(*a, *b), (-a, -b)]);
    let steeper = |a: (f64, f64), b: (f64, f64)| if b.0 > a.0 || (b.0 == a.0 && b.1 > a.1) { b } else { a };
    let mut top = lines().fold((f64::NEG_INFINITY, 0.0), steeper);
    let mut at = 0.0;
    while top.1 < -MIN_RATE {
        let crossings = lines().filter(|line| line.1 > top.1).map(|line| ((top.0 - line.0) / (line.1 - top.1), line));
        // The line's own mirror image crosses it where its move vanishes, so that there is always one.
        let first = |a: (f64, (f64, f64)), b: (f64, (f64, f64))| {
            if b.0 < a.0 || (b.0 == a.0 && b.1.1 > a.1.1) { b } else { a }
        };
        let (crossing, next) = crossings.fold((f64::INFINITY, top), first);
        if crossing >= end {
            return (end, top.0 + top.1 * end);
        }
        (at, top) = (crossing, next);
    }
    (at, top.0 + top.1 * at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn largest_at(moves: &[f64; 3], motion: &[f64; 3], t: f64) -> f64 {
        moves.iter().zip(motion).map(|(a, b)| (a + t * b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn nowhere_is_the_largest_move_smaller() {
        let entries = [-1.3, -0.4, 0.0, 0.7, 1.1];
        for index in 0..5_usize.pow(6) {
            let entry = |place: u32| entries[index / 5_usize.pow(place) % 5];
            let (moves, motion) = ([entry(0), entry(1), entry(2)], [entry(3), entry(4), entry(5)]);
            let (t, least) = minimax_along(&moves, &motion, (-0.8, 1.5));
            assert!((-0.8..=1.5).contains(&t) && (largest_at(&moves, &motion, t) - least).abs() < 1e-12);
            for step in 0..=23 {
                let other = largest_at(&moves, &motion, -0.8 + 0.1 * f64::from(step));
                assert!(other >= least - 1e-12, "{moves:?} {motion:?} {t} {least} {other}");
            }
            // Nothing is gained: it stays.
            assert!(largest_at(&moves, &motion, 0.0) > least || t == 0.0, "{moves:?} {motion:?} {t}");
        }
    }
}
