//! Where the seven joints of a chain may go, and how far from the seed that is.

use std::f32;
use std::f64::consts::TAU;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8};

use super::single::single;
use crate::robot::{Chain, Domain};
use crate::solver::closed_form::axes::REDUNDANT;
use crate::solver::closed_form::choices::ROUNDING;
use crate::solver::problem::{Mode, Problem};

/// What a radian beyond a limit counts against one of the way there.
pub(super) const BEYOND: f64 = 8.0;
/// The same where a turn inside the limits is to be taken if there is any, and where the nearest is unless it is far outside.
pub(super) const STRICT: f64 = 1e3;
pub(super) const LITTLE: f64 = 1.0;

/// Where the joints may go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Inside the limits \[rad\].
    pub seed: [f64; REDUNDANT],
    /// How far each joint may go from there to either side \[rad\], without end where it has no limits.
    below: [f64; REDUNDANT],
    above: [f64; REDUNDANT],
}

impl Room {
    /// The limits, and in tracking the greatest steps as well; `None` for a chain of other than seven variables.
    pub fn new(chain: &Chain, problem: &Problem) -> Option<Self> {
        let seed = <[f64; REDUNDANT]>::try_from(problem.seed).ok()?;
        let mut room = Self { seed, below: [f64::NEG_INFINITY; REDUNDANT], above: [f64::INFINITY; REDUNDANT] };
        for (index, variable) in chain.variables().iter().enumerate() {
            let seed = variable.domain.clamp(seed[index]);
            room.seed[index] = seed;
            if let Domain::Interval { lower, upper } = variable.domain {
                (room.below[index], room.above[index]) = (lower - seed, upper - seed);
            }
            if let Mode::Track { max_step } = problem.mode {
                room.below[index] = room.below[index].max(-max_step[index]);
                room.above[index] = room.above[index].min(max_step[index]);
            }
        }
        Some(room)
    }

    /// The same of the chain from its tip to its base.
    pub fn reversed(&self) -> Self {
        let mut room = *self;
        room.seed.reverse();
        room.below.reverse();
        room.above.reverse();
        room
    }

    /// How far the joints at `positions` are from the seed, each at the turn that costs least, where a radian beyond a limit counts
    /// `beyond`.
    pub fn moves(&self, positions: &[f64; REDUNDANT], beyond: f64) -> [f64; REDUNDANT] {
        std::array::from_fn(|joint| self.step(joint, positions[joint], beyond).0)
    }

    /// The same of one joint, and what it costs.
    pub fn step(&self, joint: usize, position: f64, beyond: f64) -> (f64, f64) {
        let near = position - self.seed[joint];
        let near = near - (near / TAU).round_ties_even() * TAU;
        let far = near - TAU.copysign(near);
        let passed = |step: f64| (step - self.above[joint]).max(self.below[joint] - step).max(0.0);
        let [near, far] = [near, far].map(|step| (step, step.abs() + beyond * passed(step)));
        if far.1 < near.1 { far } else { near }
    }

    /// Where moves lead to \[rad\].
    pub fn positions(&self, moves: &[f64; REDUNDANT]) -> [f64; REDUNDANT] {
        std::array::from_fn(|joint| self.seed[joint] + moves[joint])
    }

    /// By how much moves pass limits at most \[rad\].
    pub fn passed(&self, moves: &[f64; REDUNDANT]) -> f64 {
        let passed = |joint: usize| (moves[joint] - self.above[joint]).max(self.below[joint] - moves[joint]);
        (0..REDUNDANT).map(passed).fold(0.0, f64::max)
    }

    /// The same moves without what passes a limit by rounding; `None` where one passes by more.
    pub fn allowed(&self, moves: &[f64; REDUNDANT]) -> Option<[f64; REDUNDANT]> {
        let mut allowed = *moves;
        for (step, (below, above)) in allowed.iter_mut().zip(self.below.into_iter().zip(self.above)) {
            if *step > above + ROUNDING || *step < below - ROUNDING {
                return None;
            }
            *step = step.max(below).min(above);
        }
        Some(allowed)
    }

    /// From where to where the joints may go along `motion`, which starts after `moves`: the first number is the greater where there
    /// is no such way.
    pub fn range(&self, moves: &[f64; REDUNDANT], motion: &[f64; REDUNDANT], farthest: f64) -> (f64, f64) {
        let mut range = (-farthest, farthest);
        for index in (0..REDUNDANT).filter(|index| motion[*index] != 0.0) {
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
        step.abs() + passed.max(f32x8::splat(step.simd, 0.0)) * single(BEYOND)
    }
}

/// The largest of the moves.
pub(super) fn largest(moves: &[f64; REDUNDANT]) -> f64 {
    moves.iter().fold(0.0, |largest, step| largest.max(step.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> Room {
        Room { seed: [1.0; REDUNDANT], below: [-0.5; REDUNDANT], above: [6.5; REDUNDANT] }
    }

    #[test]
    fn a_joint_takes_the_turn_inside_its_limits() {
        let (step, cost) = room().step(0, -0.5, STRICT);
        assert!((step - (TAU - 1.5)).abs() < 1e-12 && cost == step, "{step} {cost}");
        // Unless limits count little.
        assert_eq!(room().step(0, -0.5, LITTLE), (-1.5, 2.5));
        assert!((room().step(0, 1.0 + TAU + 0.1, STRICT).0 - 0.1).abs() < 1e-12);
    }

    #[test]
    fn what_passes_a_limit_by_rounding_is_taken_off() {
        let mut moves = [0.0; REDUNDANT];
        moves[2] = 6.5 + 1e-12;
        assert!(room().passed(&moves) > 0.0 && room().allowed(&moves).is_some_and(|moves| moves[2] == 6.5));
        moves[3] = -0.6;
        assert!(room().allowed(&moves).is_none() && (room().passed(&moves) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_range_along_a_motion_ends_at_the_first_limit() {
        let mut motion = [0.0; REDUNDANT];
        (motion[1], motion[4]) = (1.0, -0.5);
        assert_eq!(room().range(&[0.0; REDUNDANT], &motion, 0.9), (-0.5, 0.9));
        assert_eq!(room().range(&[0.0; REDUNDANT], &motion, 5.0), (-0.5, 1.0));
        let backwards = room().range(&[-1.0; REDUNDANT], &motion, 5.0);
        assert!(backwards.0 > backwards.1, "{backwards:?}");
    }
}
