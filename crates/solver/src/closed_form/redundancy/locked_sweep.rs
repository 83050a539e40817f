//! The sweep of a locked joint: the other six have a closed form at each of its positions.
//!
//! From the best candidates descents lead to the least largest move from the seed; for manipulability, steps to
//! either side are halved.

use std::f64::consts::TAU;

use super::candidates::{Candidate, Candidates};
use super::descent::Descent;
use super::joint_ranges::{STRICT_LIMIT_WEIGHT, largest};
use super::locked_joint::LockedJoint;
use crate::closed_form::choices::MAX_LIMIT_EXCESS;
use crate::search::SearchScratch;

/// Distance of two positions of the locked joint \[rad\].
const SWEEP_STEP: f64 = TAU / 12.0;
/// Most positions to either side of the seed.
const MAX_STEPS_PER_SIDE: u32 = 12;
/// Least number of positions to either side of the seed, where the joint has a range.
const MIN_STEPS_PER_SIDE: f64 = 4.0;
/// Most candidates that a descent starts from.
const MAX_DESCENTS: usize = 4;
/// Halvings of the step to either side, for manipulability.
const HALVINGS: usize = 5;

/// A sweep of the locked joint for one problem.
pub(super) struct LockedSweep<'a> {
    pub locked: &'a LockedJoint,
    pub descent: &'a Descent<'a>,
    /// True if the cost is the negative logarithm of the manipulability instead of the largest displacement.
    pub by_manipulability: bool,
}

impl LockedSweep<'_> {
    /// The best candidates, some of them outside the limits, from the seed's position outwards while better ones are
    /// possible.
    pub fn best(&self, scratch: &mut SearchScratch) -> Candidates {
        let (mut candidates, mut best) = (Candidates::none(), None);
        let farthest = self.descent.ranges.farthest(self.locked.joint);
        let step = SWEEP_STEP.min(farthest / MIN_STEPS_PER_SIDE);
        for number in 0..=MAX_STEPS_PER_SIDE {
            let offset = f64::from(number) * step;
            let hopeless = best.is_some_and(|best: Candidate| !self.by_manipulability && offset >= best.cost);
            if hopeless || offset > farthest || (number > 0 && step == 0.0) {
                break;
            }
            for side in if number == 0 { &[1.0][..] } else { &[1.0, -1.0] } {
                self.sample(side * offset, step, &mut candidates, &mut best, scratch);
            }
            if let Some(start) = candidates.as_slice().first()
                && number == 0
                && !self.by_manipulability
            {
                // The smaller the largest move is, the sooner the sweep ends.
                self.descent.descend(&start.at, &mut best, scratch);
            }
        }
        if self.by_manipulability {
            self.halve(&mut candidates, scratch);
        } else {
            let starts = candidates.as_slice().iter().take(MAX_DESCENTS);
            starts.for_each(|start| self.descent.descend(&start.at, &mut best, scratch));
        }
        if let Some(best) = best {
            candidates.insert(best.cost, best.at);
        }
        candidates
    }

    /// Adds the configurations at one position of the locked joint, by its move from the seed, or at its limit if
    /// that is nearer than a step.
    fn sample(
        &self,
        step: f64,
        spacing: f64,
        candidates: &mut Candidates,
        best: &mut Option<Candidate>,
        scratch: &mut SearchScratch,
    ) {
        let (Self { locked, descent, .. }, ranges) = (self, &self.descent.ranges);
        let problem = descent.posed.problem;
        let inside = ranges.clamp(locked.joint, step);
        if (inside - step).abs() >= spacing.max(f64::MIN_POSITIVE) {
            return;
        }
        let position = ranges.seed[locked.joint] + inside;
        locked.solutions(&problem.targets[0].pose, &ranges.seed, position, &mut |configuration| {
            let moves = ranges.moves(configuration, STRICT_LIMIT_WEIGHT);
            let (passed, allowed) = (ranges.passed(&moves), ranges.allowed(&moves));
            let positions = ranges.positions(&allowed.unwrap_or(moves));
            if allowed.is_some() && !scratch.exploration.clearance.is_clear(problem, &positions) {
                return;
            }
            if self.by_manipulability && allowed.is_some() {
                let cost = descent.posed.search.manipulability_cost(problem.targets, &positions, scratch);
                candidates.insert(cost, moves);
            } else if !self.by_manipulability && passed <= MAX_LIMIT_EXCESS {
                let cost = largest(&moves) + passed;
                candidates.insert(cost, moves);
                if let Some(moves) = allowed
                    && best.is_none_or(|best| cost < best.cost)
                {
                    *best = Some(Candidate { cost, at: moves });
                }
            }
        });
    }

    /// Steps to either side of the best candidate, shorter and shorter.
    fn halve(&self, candidates: &mut Candidates, scratch: &mut SearchScratch) {
        let mut step = 0.5 * SWEEP_STEP;
        for _ in 0..HALVINGS {
            let Some(middle) = candidates.as_slice().first().map(|best| best.at[self.locked.joint]) else { return };
            for position in [middle - step, middle + step] {
                self.sample(position, step, candidates, &mut None, scratch);
            }
            step *= 0.5;
        }
    }
}
