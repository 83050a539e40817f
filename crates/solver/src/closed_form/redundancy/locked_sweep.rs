//! The sweep of a locked joint: the other six have a closed form at each of its positions.
//!
//! From the best candidates descents lead to the least largest move from the seed; for manipulability, steps to
//! either side are halved.

use std::f64::consts::TAU;

use super::descent::Descent;
use super::joint_ranges::{Seven, largest};
use super::locked_joint::LockedJoint;
use crate::closed_form::candidates::{Candidate, Candidates};
use crate::closed_form::choices::MAX_LIMIT_EXCESS;
use crate::search::SearchScratch;

/// Distance of two positions of the locked joint \[rad\].
const SWEEP_STEP: f64 = TAU / 12.0;
/// Most positions to either side of the seed.
const MAX_STEPS_PER_SIDE: u32 = 12;
/// Least number of positions to either side of the seed, where the joint has a range.
const MIN_STEPS_PER_SIDE: f64 = 4.0;
/// Halvings of the step to either side, for manipulability.
const HALVINGS: usize = 5;

/// A sweep of the locked joint for one problem.
pub(super) struct LockedSweep<'a> {
    pub locked: &'a LockedJoint,
    pub descent: &'a Descent<'a>,
}

impl LockedSweep<'_> {
    /// Searches for the smallest maximum joint move \[rad\], from the seed's position of the locked joint outwards, as
    /// long as a smaller one than that of `best` is possible. Replaces `best` by better configurations.
    pub fn least(&self, best: &mut Option<Candidate>, scratch: &mut SearchScratch) {
        let ranges = &self.descent.ranges;
        self.outwards(&mut |step, spacing| {
            if best.is_some_and(|best| step.abs() >= best.cost) {
                return;
            }
            let mut starts = Candidates::default();
            self.sample(step, spacing, &mut |moves| {
                let passed = ranges.passed(moves);
                if passed <= MAX_LIMIT_EXCESS {
                    starts.insert(largest(moves) + passed, *moves);
                }
            });
            for start in starts.as_slice() {
                self.descent.keep(&start.at, best, scratch);
            }
            self.descent.descend_from(&starts, best, scratch);
        });
    }

    /// The configurations of best manipulability, the best one first, as joint displacements from the seed \[rad\].
    /// Steps to either side are halved.
    pub fn most_manipulable(&self, scratch: &mut SearchScratch) -> Candidates {
        let (Descent { posed, ranges }, mut candidates) = (self.descent, Candidates::default());
        let mut sample = |step: f64, spacing: f64, candidates: &mut Candidates| {
            self.sample(step, spacing, &mut |moves| {
                let Some(inside) = ranges.allowed(moves) else { return };
                let positions = ranges.positions(&inside);
                if scratch.exploration.clearance.is_clear(posed.problem, &positions) {
                    let cost = posed.search.manipulability_cost(posed.problem.targets, &positions, scratch);
                    candidates.insert(cost, *moves);
                }
            });
        };
        self.outwards(&mut |step, spacing| sample(step, spacing, &mut candidates));
        let mut step = 0.5 * SWEEP_STEP;
        for _ in 0..HALVINGS {
            let Some(middle) = candidates.as_slice().first().map(|best| best.at[self.locked.joint]) else { break };
            for position in [middle - step, middle + step] {
                sample(position, step, &mut candidates);
            }
            step *= 0.5;
        }
        candidates
    }

    /// Calls `visit` with the moves of the joint from the seed outwards, and their spacing \[rad\].
    fn outwards(&self, visit: &mut dyn FnMut(f64, f64)) {
        let farthest = self.descent.ranges.farthest(self.locked.joint);
        let spacing = SWEEP_STEP.min(farthest / MIN_STEPS_PER_SIDE);
        visit(0.0, spacing);
        let offsets = (1..=MAX_STEPS_PER_SIDE).map(|number| f64::from(number) * spacing);
        for offset in offsets.take_while(|offset| *offset > 0.0 && *offset <= farthest) {
            visit(offset, spacing);
            visit(-offset, spacing);
        }
    }

    /// Calls `found` with the joint moves of the configurations at one move of the locked joint from the seed, or at
    /// its limit if that is nearer than `spacing`.
    fn sample(&self, step: f64, spacing: f64, found: &mut dyn FnMut(&Seven)) {
        let (Self { locked, descent }, ranges) = (self, &self.descent.ranges);
        let inside = ranges.clamp(locked.joint, step);
        if (inside - step).abs() >= spacing.max(f64::MIN_POSITIVE) {
            return;
        }
        let (pose, position) = (&descent.posed.problem.targets[0].pose, ranges.seed[locked.joint] + inside);
        locked.solutions(pose, &ranges.seed, position, &mut |configuration| found(&ranges.moves(configuration)));
    }
}
