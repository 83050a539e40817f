//! Where the seven joints of a chain may go, and how far from the seed that is.

use std::f32;
use std::f64::consts::TAU;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8};

use super::single::single;
use crate::Mode;
use crate::closed_form::choices::LIMIT_ROUNDING;
use crate::search::Posed;
use urdf_ik_closed_form::REDUNDANT_JOINTS;
use urdf_ik_robot::{Domain, without_whole_turns};

/// The cost of a radian beyond a limit, over that of a radian inside.
pub(super) const LIMIT_WEIGHT: f64 = 8.0;
/// The cost of a radian beyond a limit where the turn must be inside the limits if any is.
pub(super) const STRICT_LIMIT_WEIGHT: f64 = 1e3;
/// The cost of a radian beyond a limit where the turn may be the nearest unless that is far outside.
pub(super) const LOOSE_LIMIT_WEIGHT: f64 = 1.0;

/// One number for each joint.
pub(super) type Seven = [f64; REDUNDANT_JOINTS];

/// The ranges of the joints, as moves from the seed.
#[derive(Debug, Clone, Copy)]
pub(super) struct JointRanges {
    /// The seed, brought inside the limits \[rad\].
    pub seed: Seven,
    /// How far each joint may go from there to either side \[rad\], without end where it has no limits.
    below: Seven,
    above: Seven,
}

impl JointRanges {
    /// The limits, and in tracking the greatest steps as well; `None` for a chain of other than seven variables.
    pub fn new(posed: Posed) -> Option<Self> {
        let seed = Seven::try_from(posed.problem.seed).ok()?;
        let mut ranges =
            Self { seed, below: [f64::NEG_INFINITY; REDUNDANT_JOINTS], above: [f64::INFINITY; REDUNDANT_JOINTS] };
        for index in 0..REDUNDANT_JOINTS {
            let domain = posed.domain(index);
            let seed = domain.clamp(seed[index]);
            ranges.seed[index] = seed;
            if let Domain::Interval { lower, upper } = domain {
                (ranges.below[index], ranges.above[index]) = (lower - seed, upper - seed);
            }
            if let Mode::Track { max_step } = posed.problem.mode {
                ranges.below[index] = ranges.below[index].max(-max_step[index]);
                ranges.above[index] = ranges.above[index].min(max_step[index]);
            }
        }
        Some(ranges)
    }

    /// The ranges of the chain from its tip to its base.
    pub fn reversed(&self) -> Self {
        let mut ranges = *self;
        ranges.seed.reverse();
        ranges.below.reverse();
        ranges.above.reverse();
        ranges
    }

    /// How far the joints at `positions` are from the seed, each at the turn that costs least, where a radian beyond a limit counts
    /// `beyond`.
    pub fn moves(&self, positions: &Seven, beyond: f64) -> Seven {
        std::array::from_fn(|joint| self.step(joint, positions[joint], beyond).0)
    }

    /// How far one joint at `position` is from the seed, at the turn that costs least, and what it costs.
    pub fn step(&self, joint: usize, position: f64, beyond: f64) -> (f64, f64) {
        let near = without_whole_turns(position - self.seed[joint]);
        let far = near - TAU.copysign(near);
        let passed = |step: f64| (step - self.above[joint]).max(self.below[joint] - step).max(0.0);
        let [near, far] = [near, far].map(|step| (step, step.abs() + beyond * passed(step)));
        // Where both are half a turn away, `far` is the one without a whole turn.
        if far.1 <= near.1 { far } else { near }
    }

    /// Where moves lead to \[rad\].
    pub fn positions(&self, moves: &Seven) -> Seven {
        std::array::from_fn(|joint| self.seed[joint] + moves[joint])
    }

    /// By how much moves pass limits at most \[rad\].
    pub fn passed(&self, moves: &Seven) -> f64 {
        let passed = |joint: usize| (moves[joint] - self.above[joint]).max(self.below[joint] - moves[joint]);
        (0..REDUNDANT_JOINTS).map(passed).fold(0.0, f64::max)
    }

    /// Moves without what passes a limit by rounding; `None` where one passes by more.
    pub fn allowed(&self, moves: &Seven) -> Option<Seven> {
        let mut allowed = *moves;
        for (step, (below, above)) in allowed.iter_mut().zip(self.below.into_iter().zip(self.above)) {
            if *step > above + LIMIT_ROUNDING || *step < below - LIMIT_ROUNDING {
                return None;
            }
            *step = step.max(below).min(above);
        }
        Some(allowed)
    }

    /// How far back and forth the joints may go along `motion`, which starts after `moves`. Where no step is inside the limits, the
    /// first number is the greater.
    pub fn range(&self, moves: &Seven, motion: &Seven, farthest: f64) -> (f64, f64) {
        let mut range = (-farthest, farthest);
        for index in (0..REDUNDANT_JOINTS).filter(|index| motion[*index] != 0.0) {
            let per_rate = 1.0 / motion[index];
            let ends = ((self.below[index] - moves[index]) * per_rate, (self.above[index] - moves[index]) * per_rate);
            range = (range.0.max(ends.0.min(ends.1)), range.1.min(ends.0.max(ends.1)));
        }
        range
    }

    /// What it costs to bring one joint to an angle \[rad\]: its move, and more where that passes a limit, at the turn where this is
    /// least.
    #[inline(always)]
    pub fn cost<S: Simd>(&self, joint: usize, angle: f32x8<S>) -> f32x8<S> {
        let near = angle - single(self.seed[joint]);
        let near = near - (near * (1.0 / f32::consts::TAU)).round_ties_even() * f32::consts::TAU;
        let far = near - f32x8::splat(angle.simd, f32::consts::TAU).copysign(near);
        self.with_passed(joint, near).min(self.with_passed(joint, far))
    }

    #[inline(always)]
    fn with_passed<S: Simd>(&self, joint: usize, step: f32x8<S>) -> f32x8<S> {
        let passed = (step - single(self.above[joint])).max(single(self.below[joint]) - step);
        step.abs() + passed.max(f32x8::splat(step.simd, 0.0)) * single(LIMIT_WEIGHT)
    }
}

/// The largest of the moves.
pub(super) fn largest(moves: &Seven) -> f64 {
    moves.iter().fold(0.0, |largest, step| largest.max(step.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint_ranges() -> JointRanges {
        JointRanges { seed: [1.0; REDUNDANT_JOINTS], below: [-0.5; REDUNDANT_JOINTS], above: [6.5; REDUNDANT_JOINTS] }
    }

    #[test]
    fn a_joint_takes_the_turn_inside_its_limits() {
        let (step, cost) = joint_ranges().step(0, -0.5, STRICT_LIMIT_WEIGHT);
        assert!((step - (TAU - 1.5)).abs() < 1e-12 && cost == step, "{step} {cost}");
        // Unless limits count little.
        assert_eq!(joint_ranges().step(0, -0.5, LOOSE_LIMIT_WEIGHT), (-1.5, 2.5));
        assert!((joint_ranges().step(0, 1.0 + TAU + 0.1, STRICT_LIMIT_WEIGHT).0 - 0.1).abs() < 1e-12);
    }

    #[test]
    fn what_passes_a_limit_by_rounding_is_taken_off() {
        let mut moves = [0.0; REDUNDANT_JOINTS];
        moves[2] = 6.5 + 1e-12;
        assert!(
            joint_ranges().passed(&moves) > 0.0 && joint_ranges().allowed(&moves).is_some_and(|moves| moves[2] == 6.5)
        );
        moves[3] = -0.6;
        assert!(joint_ranges().allowed(&moves).is_none() && (joint_ranges().passed(&moves) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_range_along_a_motion_ends_at_the_first_limit() {
        let mut motion = [0.0; REDUNDANT_JOINTS];
        (motion[1], motion[4]) = (1.0, -0.5);
        assert_eq!(joint_ranges().range(&[0.0; REDUNDANT_JOINTS], &motion, 0.9), (-0.5, 0.9));
        assert_eq!(joint_ranges().range(&[0.0; REDUNDANT_JOINTS], &motion, 5.0), (-0.5, 1.0));
        let backwards = joint_ranges().range(&[-1.0; REDUNDANT_JOINTS], &motion, 5.0);
        assert!(backwards.0 > backwards.1, "{backwards:?}");
    }
}
