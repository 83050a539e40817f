//! The general 6R arm: six revolute joints without conditions on their axes. It has up to 16 solutions.
//!
//! Loop closure gives [equations] in three of the joint angles. A [resultant] eliminates two of them; its determinant
//! is a [sum of harmonics](harmonics) of the third. At its zeros the other angles follow, and [Newton steps](newton)
//! refine them. Axes may also intersect or be parallel.
//!
//! The determinant is smooth where branches of the arm join, so folds need no special care. Its zeros are isolated with
//! bounds instead of sampling.

mod back_substitution;
mod elimination;
mod equations;
mod harmonics;
mod newton;
mod resultant;

use std::f64::consts::{PI, TAU};

use nalgebra::{Isometry3, Vector3};

use super::{ArmSolutions, Axes, JOINTS, Line, SAME_SOLUTION, Turn, same};
use equations::ThreeJointSide;
use resultant::Resultant;
use urdf_ik_mathematics::pseudorandom::fraction;

/// Sample configurations of the self-check of an arm.
const TRIAL_CONFIGURATIONS: usize = 16;
/// Samples that the closed form must recover from their poses.
const MIN_TRIALS_PASSED: usize = 12;

/// An arm of six revolute joints, analysed from both ends: first from the end at which its solutions share fewer
/// joint angles.
#[derive(Debug, Clone)]
pub struct General6R {
    ends: [ArmDirection; 2],
}

/// An arm read from one end, with lengths relative to its own.
#[derive(Debug, Clone)]
struct ArmDirection {
    reversed: bool,
    /// At zero positions.
    axes: [Line; JOINTS],
    side: ThreeJointSide,
    /// Length of the arm \[m\], reference point, and tip at zero positions.
    length: f64,
    origin: Vector3<f64>,
    tip: Isometry3<f64>,
}

impl General6R {
    /// The general arm with these axes and a `length` \[m\]. `None` if it fails its self-check because some axes are
    /// always redundant.
    pub fn new(axes: &Axes, length: f64) -> Option<Self> {
        let mut ends = [false, true].map(|reversed| ArmDirection::new(axes, length, reversed));
        let [one, other] = [ends[0].self_check(), ends[1].self_check()];
        if other > one {
            ends.reverse();
        }
        (one.0.max(other.0) >= MIN_TRIALS_PASSED).then_some(Self { ends })
    }

    /// All joint positions for which the tip is at `pose`, in the base link's frame (translation \[m\]). Undetermined
    /// joints are near `seed` \[rad\], one entry per joint from base to tip.
    pub fn solutions(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> ArmSolutions {
        let mut solutions = ArmSolutions::default();
        for end in &self.ends {
            let seen = end.add(&end.motion(pose), Some(seed), &mut solutions);
            // Real solutions occur in pairs. If their number is odd or zero, or rounding may hide some, the other
            // end may find more.
            let count = solutions.as_slice().len();
            if solutions.continuous().contains(&true) || seen && count > 0 && count.is_multiple_of(2) {
                break;
            }
        }
        solutions
    }
}

impl ArmDirection {
    fn new(axes: &Axes, length: f64, reversed: bool) -> Self {
        let axes = if reversed { axes.reversed() } else { *axes };
        let origin = axes.lines.iter().map(|line| line.point).sum::<Vector3<f64>>() / 6.0;
        let lines = axes.lines.map(|line| Line { point: (line.point - origin) / length, ..line });
        Self { reversed, axes: lines, side: ThreeJointSide::new(&lines), length, origin, tip: axes.tip }
    }

    /// Number of recovered sample configurations, and the separation of solutions with a common joint angle: the
    /// logarithm of a pivot.
    fn self_check(&self) -> (usize, f64) {
        let (mut found, mut apart) = (0, 0.0);
        for number in 0..TRIAL_CONFIGURATIONS {
            let positions = std::array::from_fn(|joint| TAU * fraction(number, joint) - PI);
            let (_, motion) = newton::moved(&self.axes, &positions);
            let known = self.ordered(&positions);
            let mut solutions = ArmSolutions::default();
            self.add(&motion, None, &mut solutions);
            let is_found = solutions.as_slice().iter().any(|positions| same(positions, &known, SAME_SOLUTION));
            found += usize::from(is_found);
            apart += self.resultant(&motion).apart(Turn::new(positions[2]));
        }
        (found, apart)
    }

    /// Motion of the last link, from zero positions, that brings the tip to `pose`.
    fn motion(&self, pose: &Isometry3<f64>) -> Isometry3<f64> {
        let pose = if self.reversed { pose.inverse() } else { *pose };
        let motion = pose * self.tip.inverse();
        let step = (motion.rotation * self.origin + motion.translation.vector - self.origin) / self.length;
        Isometry3::from_parts(step.into(), motion.rotation)
    }

    fn resultant(&self, motion: &Isometry3<f64>) -> Resultant {
        Resultant::new(&self.side.equations(&self.axes, motion))
    }

    /// Adds all configurations in which the last link has moved by `motion`. Returns false if rounding may hide some.
    fn add(&self, motion: &Isometry3<f64>, seed: Option<&[f64; JOINTS]>, solutions: &mut ArmSolutions) -> bool {
        let resultant = self.resultant(motion);
        let mut start = |angle: f64| {
            let third = Turn::new(angle);
            resultant.others(third, &mut |fourth, fifth| {
                let found = back_substitution::configuration(&self.axes, motion, [third, fourth, fifth]);
                self.go_on(found, motion, solutions);
            });
        };
        let seed = seed.map(|seed| self.ordered(seed));
        if let Some(seed) = seed
            && resultant.vanishes(Turn::new(seed[2]))
        {
            // Of a continuum, the configuration near the seed comes first.
            start(seed[2]);
        }
        let seen = resultant.determinant().zeros(&mut start);
        if let Some(seed) = seed {
            self.go_on(seed, motion, solutions);
        }
        seen
    }

    /// Takes Newton steps from a configuration near the goal, and adds the result to `solutions`.
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

    /// Converts joint values between the chain's order and that of the axes.
    fn ordered(&self, all: &[f64; JOINTS]) -> [f64; JOINTS] {
        std::array::from_fn(|i| all[if self.reversed { JOINTS - 1 - i } else { i }])
    }
}
