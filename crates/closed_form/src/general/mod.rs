//! The general 6R arm: six revolute joints whose axes need nothing in common. It has up to 16 solutions.
//!
//! The loop that the arm and the goal make gives [equations] in three of the turns; two of these are eliminated by a [resultant], whose
//! determinant is a [sum of harmonics](harmonics) of the third. Where that vanishes, the other turns follow, and [Newton steps](newton)
//! make them exact. Nothing is assumed of the axes: they may meet, or be parallel, in pairs or more.

mod back_substitution;
mod elimination;
mod equations;
mod harmonics;
mod newton;
mod resultant;

use std::f64::consts::{PI, TAU};

use nalgebra::{Isometry3, Vector3};

use super::{ArmSolutions, Axes, JOINTS, Line, SAME_SOLUTION, Turn, same};
use equations::Side;
use resultant::Resultant;
use urdf_ik_mathematics::pseudorandom::fraction;

/// Configurations that the self-check of an arm tries.
const TRIAL_CONFIGURATIONS: usize = 16;
/// How many of them the closed form must find again from their poses.
const MIN_TRIALS_PASSED: usize = 12;

/// An arm of six revolute joints, read from either end: first from that where its solutions share fewer turns.
#[derive(Debug, Clone)]
pub struct General6R {
    ends: [End; 2],
}

/// An arm that is read from one end, lengths over its own.
#[derive(Debug, Clone)]
struct End {
    reversed: bool,
    /// At zero positions.
    axes: [Line; JOINTS],
    side: Side,
    /// The arm's length \[m\], where it is measured from, and the tip at zero positions.
    length: f64,
    origin: Vector3<f64>,
    tip: Isometry3<f64>,
}

impl General6R {
    /// The arm with these axes. `None` where it fails its self-check: some of the axes always do what others do.
    pub fn new(axes: &Axes, length: f64) -> Option<Self> {
        let mut ends = [false, true].map(|reversed| End::new(axes, length, reversed));
        let [one, other] = [ends[0].self_check(), ends[1].self_check()];
        if other > one {
            ends.reverse();
        }
        (one.0.max(other.0) >= MIN_TRIALS_PASSED).then_some(Self { ends })
    }

    /// Every configuration in which the tip has `pose` (base link's frame). What is free comes near `seed` \[rad\].
    pub fn solutions(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> ArmSolutions {
        let mut solutions = ArmSolutions::none();
        for end in &self.ends {
            let seen = end.add(&end.motion(pose), Some(seed), &mut solutions);
            // Solutions come and go in pairs: where one is without its twin, none is found, or some may have drowned in rounding, the
            // other end may see more.
            let count = solutions.as_slice().len();
            if solutions.continuous().contains(&true) || seen && count > 0 && count.is_multiple_of(2) {
                break;
            }
        }
        solutions
    }
}

impl End {
    fn new(axes: &Axes, length: f64, reversed: bool) -> Self {
        let axes = if reversed { axes.reversed() } else { *axes };
        let origin = axes.lines.iter().map(|line| line.point).sum::<Vector3<f64>>() / 6.0;
        let lines = axes.lines.map(|line| Line { point: (line.point - origin) / length, ..line });
        Self { reversed, axes: lines, side: Side::new(&lines), length, origin, tip: axes.tip }
    }

    /// How many sample configurations are found again from their poses, and how far apart solutions are that share a turn: the
    /// logarithm of a pivot.
    fn self_check(&self) -> (usize, f64) {
        let (mut found, mut apart) = (0, 0.0);
        for number in 0..TRIAL_CONFIGURATIONS {
            let positions = std::array::from_fn(|joint| TAU * fraction(number, joint) - PI);
            let (_, motion) = newton::moved(&self.axes, &positions);
            let known = self.ordered(&positions);
            let mut solutions = ArmSolutions::none();
            self.add(&motion, None, &mut solutions);
            found += usize::from(
                solutions.as_slice().iter().any(|configuration| same(configuration, &known, SAME_SOLUTION)),
            );
            apart += self.resultant(&motion).apart(Turn::new(positions[2]));
        }
        (found, apart)
    }

    /// The motion of the last link from where it is at zero positions that brings the tip to `pose`.
    fn motion(&self, pose: &Isometry3<f64>) -> Isometry3<f64> {
        let pose = if self.reversed { pose.inverse() } else { *pose };
        let motion = pose * self.tip.inverse();
        let step = (motion.rotation * self.origin + motion.translation.vector - self.origin) / self.length;
        Isometry3::from_parts(step.into(), motion.rotation)
    }

    fn resultant(&self, motion: &Isometry3<f64>) -> Resultant {
        Resultant::new(&self.side.equations(&self.axes, motion))
    }

    /// Adds every configuration in which the last link has moved by `motion`; tells whether all can be seen.
    fn add(&self, motion: &Isometry3<f64>, seed: Option<&[f64; JOINTS]>, solutions: &mut ArmSolutions) -> bool {
        let resultant = self.resultant(motion);
        let mut start = |angle: f64| {
            let third = Turn::new(angle);
            resultant.others(third, &mut |fourth, fifth| {
                self.go_on(
                    back_substitution::configuration(&self.axes, motion, [third, fourth, fifth]),
                    motion,
                    solutions,
                );
            });
        };
        let seed = seed.map(|seed| self.ordered(seed));
        if let Some(seed) = seed
            && resultant.vanishes(Turn::new(seed[2]))
        {
            // Of a continuum, what is next to the seed comes first.
            start(seed[2]);
        }
        let seen = resultant.determinant().zeros(&mut start);
        if let Some(seed) = seed {
            self.go_on(seed, motion, solutions);
        }
        seen
    }

    /// Newton steps from a configuration that is near the goal; keeps where they lead to.
    fn go_on(&self, mut positions: [f64; JOINTS], motion: &Isometry3<f64>, solutions: &mut ArmSolutions) {
        if !newton::arrive(&self.axes, motion, &mut positions) {
            return;
        }
        let found = self.ordered(&positions.map(|position| Turn::new(position).angle()));
        if solutions.as_slice().iter().any(|known| same(known, &found, SAME_SOLUTION)) {
            return;
        }
        let free = newton::free(&self.axes, motion, &positions);
        if !(free && solutions.continuous().contains(&true)) {
            solutions.push(found, free);
        }
    }

    /// What belongs to each joint, from the chain's order to that of the axes or back.
    fn ordered(&self, all: &[f64; JOINTS]) -> [f64; JOINTS] {
        std::array::from_fn(|i| all[if self.reversed { JOINTS - 1 - i } else { i }])
    }
}
