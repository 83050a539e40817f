//! The ranges of the seven joints of a chain, and their moves from the seed.

use std::f32;
use std::f64::consts::{PI, TAU};

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8};

use super::lanes32::single;
use crate::Mode;
use crate::closed_form::choices::LIMIT_ROUNDING;
use crate::search::SearchInput;
use urdf_ik_closed_form::REDUNDANT_JOINTS;

/// Cost of a radian beyond a limit, relative to a radian inside.
const LIMIT_WEIGHT: f32 = 8.0;

/// One number for each joint.
pub(super) type Seven = [f64; REDUNDANT_JOINTS];

/// The ranges of the joints, as moves from the seed.
#[derive(Debug, Clone, Copy)]
pub(super) struct JointRanges {
    /// The seed \[rad\], clamped to the limits.
    pub seed: Seven,
    /// Least move of each joint \[rad\], −∞ without limits.
    below: Seven,
    /// Greatest move of each joint \[rad\], ∞ without limits.
    above: Seven,
}

impl JointRanges {
    /// The ranges within the limits, and when tracking also within the largest steps. `None` unless the chain has seven
    /// variables.
    pub fn new(posed: SearchInput) -> Option<Self> {
        let seed = Seven::try_from(posed.problem.seed).ok()?;
        let mut ranges = Self { seed, below: seed, above: seed };
        for index in 0..REDUNDANT_JOINTS {
            let domain = posed.domain(index);
            let seed = domain.clamp(seed[index]);
            ranges.seed[index] = seed;
            let [below, above] = domain.ends().map(|end| end - seed);
            let farthest = match posed.problem.mode {
                Mode::Track { max_step } => max_step[index],
                Mode::Search { .. } => f64::INFINITY,
            };
            (ranges.below[index], ranges.above[index]) = (below.max(-farthest), above.min(farthest));
        }
        Some(ranges)
    }

    /// Unlimited ranges around a seed of zeros.
    #[cfg(test)]
    pub fn unlimited() -> Self {
        let infinite = [f64::INFINITY; REDUNDANT_JOINTS];
        Self { seed: [0.0; REDUNDANT_JOINTS], below: infinite.map(|limit| -limit), above: infinite }
    }

    /// The ranges with the joints in the order from tip to base.
    pub fn reversed(&self) -> Self {
        let mut ranges = *self;
        ranges.seed.reverse();
        ranges.below.reverse();
        ranges.above.reverse();
        ranges
    }

    /// Displacements \[rad\] from the seed to `positions` \[rad\], each in the revolution of lowest cost.
    pub fn moves(&self, positions: &Seven) -> Seven {
        std::array::from_fn(|joint| {
            let angle = single(positions[joint]);
            let step = dispatch!(Level::baseline(), simd => self.step(joint, f32x8::splat(simd, angle)).0[0]);
            let exact = positions[joint] - self.seed[joint];
            exact + ((f64::from(step) - exact) / TAU).round() * TAU
        })
    }

    /// Positions \[rad\] after the displacements `moves` \[rad\] from the seed.
    pub fn positions(&self, moves: &Seven) -> Seven {
        std::array::from_fn(|joint| self.seed[joint] + moves[joint])
    }

    /// The larger of the distances \[rad\] from the seed to the two limits of a joint; π without limits.
    pub fn farthest(&self, joint: usize) -> f64 {
        let farthest = self.above[joint].max(-self.below[joint]);
        if farthest.is_finite() { farthest } else { PI }
    }

    /// The displacement \[rad\] within the joint's range that is nearest to `step` \[rad\].
    pub fn clamp(&self, joint: usize, step: f64) -> f64 {
        step.max(self.below[joint]).min(self.above[joint])
    }

    /// The largest limit excess \[rad\] of the displacements `moves` \[rad\]; 0 inside the limits.
    pub fn passed(&self, moves: &Seven) -> f64 {
        (0..REDUNDANT_JOINTS).map(|joint| self.excess(joint, moves[joint])).fold(0.0, f64::max)
    }

    /// The limit excess of the move of a joint, negative inside \[rad\].
    fn excess(&self, joint: usize, step: f64) -> f64 {
        (step - self.above[joint]).max(self.below[joint] - step)
    }

    /// The displacements `moves` \[rad\] without limit excesses due to rounding; `None` if an excess is larger.
    pub fn allowed(&self, moves: &Seven) -> Option<Seven> {
        (self.passed(moves) <= LIMIT_ROUNDING).then(|| std::array::from_fn(|joint| self.clamp(joint, moves[joint])))
    }

    /// Minimum and maximum of the factors t, at most `farthest` in magnitude, for which `moves` + t · `motion` \[rad\]
    /// stays within the limits. If there is no such t, the minimum exceeds the maximum.
    pub fn range(&self, moves: &Seven, motion: &Seven, farthest: f64) -> (f64, f64) {
        let mut range = (-farthest, farthest);
        for index in (0..REDUNDANT_JOINTS).filter(|index| motion[*index] != 0.0) {
            let per_rate = 1.0 / motion[index];
            let ends = ((self.below[index] - moves[index]) * per_rate, (self.above[index] - moves[index]) * per_rate);
            range = (range.0.max(ends.0.min(ends.1)), range.1.min(ends.0.max(ends.1)));
        }
        range
    }

    /// Displacement \[rad\] of one joint from the seed to `angle` \[rad\] in the revolution of lowest cost, and that
    /// cost \[rad\]: the magnitude of the displacement plus the weighted limit excess.
    #[inline(always)]
    pub fn step<S: Simd>(&self, joint: usize, angle: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
        let near = angle - single(self.seed[joint]);
        let near = near - (near * (1.0 / f32::consts::TAU)).round_ties_even() * f32::consts::TAU;
        let far = near - f32x8::splat(angle.simd, f32::consts::TAU).copysign(near);
        let costs = (self.cost(joint, near), self.cost(joint, far));
        (costs.0.simd_lt(costs.1).select(near, far), costs.0.min(costs.1))
    }

    #[inline(always)]
    fn cost<S: Simd>(&self, joint: usize, step: f32x8<S>) -> f32x8<S> {
        let passed = (step - single(self.above[joint])).max(single(self.below[joint]) - step);
        step.abs() + passed.max(f32x8::splat(step.simd, 0.0)) * LIMIT_WEIGHT
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
        let step = |position: f64| joint_ranges().moves(&[position; REDUNDANT_JOINTS])[0];
        assert!((step(-0.5) - (TAU - 1.5)).abs() < 1e-12, "{}", step(-0.5));
        assert!((step(1.0 + TAU + 0.1) - 0.1).abs() < 1e-12);
        // Unless the excess of the nearer revolution costs less than the longer move.
        assert!((step(0.4) + 0.6).abs() < 1e-12, "{}", step(0.4));
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
