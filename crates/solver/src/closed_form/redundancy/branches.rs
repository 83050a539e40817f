//! The configurations of an arm with a [spherical wrist](super::spherical_wrist) by the position of its outermost
//! joint, and their distances from the seed, eight at a time.
//!
//! The distance from shoulder to wrist gives the elbow, the wrist's height along the second axis the third
//! joint, and that the second: two branches each for elbow and third joint. The wrist makes up the remaining
//! rotation and can flip.

use std::f32::consts::PI;
use std::f64;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8};

use super::joint_ranges::JointRanges;
use super::lanes32::{Angle, Vector, angle, cosine_sine, cross, dot, orbit, rotated, single, splat, sum};
use super::spherical_wrist::{SphericalWristArm, WristGoal};
use urdf_ik_closed_form::{REDUNDANT_JOINTS, Turn};

/// Branches on each side of the elbow: two of the third joint, times two of the wrist.
pub(super) const BRANCHES: usize = 4;
/// Most curves of one goal.
pub(super) const MAX_CURVES: usize = 4;
/// Cost \[rad\] of a cosine that would have to exceed 1 by 1, so that branches that end between two samples
/// are minima still.
const EXCESS_COST: f32 = 2.0;
/// Maximum excess of a cosine.
const MAX_EXCESS: f32 = 10.0;

/// A closed curve of configurations over a parameter angle \[rad\] of one revolution.
#[derive(Debug, Clone, Copy)]
pub(super) struct Curve {
    window: Window,
    /// Side of the elbow (1 or -1). `None` if each half of the curve is on its own side.
    side: Option<f32>,
}

/// Positions of the outermost joint \[rad\].
#[derive(Debug, Clone, Copy)]
enum Window {
    Circle,
    /// Back and forth between two positions, by the sine of the parameter, so that joints do not speed up at the ends.
    Between {
        centre: f64,
        half: f64,
    },
}

/// An arm, its goal, and the ranges of its joints, all from the end that the arm is read from.
pub(super) struct BranchSampler<'a> {
    pub arm: &'a SphericalWristArm,
    pub goal: WristGoal,
    pub ranges: JointRanges,
}

/// Eight samples of the outermost joint, and the elbow there.
#[derive(Clone, Copy)]
pub(super) struct Samples<S: Simd> {
    /// From shoulder to wrist \[m\], in the frame that the outermost joint rotates.
    wrist: Vector<S>,
    first: f32x8<S>,
    turn: Angle<S>,
    elbow: Angle<S>,
    /// Larger one of the costs of both joints \[rad\], plus the penalty for missed reach.
    pub cost: f32x8<S>,
}

/// Positions \[rad\] and costs of one branch at eight samples.
pub(super) struct Branch<S: Simd> {
    pub positions: [f32x8<S>; REDUNDANT_JOINTS],
    pub cost: f32x8<S>,
}

impl Curve {
    /// True if half the circle contains all configurations, because each sample covers both sides of the third joint.
    pub fn is_half(&self) -> bool {
        self.side.is_some() && matches!(self.window, Window::Between { .. })
    }

    /// The curves of all configurations. They end where the elbow is stretched or folded, or if the elbow does not
    /// depend on the outermost joint, where the third joint is.
    pub fn all(arm: &SphericalWristArm, goal: &WristGoal) -> [Option<Self>; MAX_CURVES] {
        let elbow = |first: Turn| (goal.position.at(first).norm_squared() - arm.elbow.mean) / arm.elbow.amplitude;
        let [one, other] = Window::where_possible(elbow);
        if !matches!(one, Some(Window::Circle)) {
            return [one, other, None, None].map(|window| window.map(|window| Self { window, side: None }));
        }
        let mut curves = [None; MAX_CURVES];
        for (index, side) in [1.0, -1.0].into_iter().enumerate() {
            let windows = if arm.is_shoulder_spherical {
                Window::of_third_joint(arm, goal, elbow(Turn::ZERO), side)
            } else {
                [one, None]
            };
            for (at, window) in windows.into_iter().enumerate() {
                curves[2 * index + at] = window.map(|window| Self { window, side: Some(single(side)) });
            }
        }
        curves
    }
}

impl Window {
    /// The windows where the third joint is possible, with the cosine of the elbow and its side.
    fn of_third_joint(arm: &SphericalWristArm, goal: &WristGoal, cosine: f64, side: f64) -> [Option<Self>; 2] {
        let cos = cosine.clamp(-1.0, 1.0);
        let bend = Turn { cos, sin: side * (1.0 - cos * cos).sqrt() };
        let reach = arm.elbow.reach.at(arm.elbow.straight.and(bend));
        let [_, second, third] = &arm.axes;
        let height = second.dot(third) * third.dot(&reach);
        let size = (second.dot(&reach) - height).hypot(second.cross(third).dot(&reach)).max(f64::MIN_POSITIVE);
        Self::where_possible(|first| (second.dot(&goal.position.at(first)) - height) / size)
    }

    /// The windows where the cosine of a joint, a constant plus a cosine of the outermost joint, is possible.
    fn where_possible(cosine: impl Fn(Turn) -> f64) -> [Option<Self>; 2] {
        let (right, left, up) = (cosine(Turn::ZERO), cosine(Turn::HALF), cosine(Turn { cos: 0.0, sin: 1.0 }));
        let (mean, cos) = (0.5 * (right + left), 0.5 * (right - left));
        let (amplitude, centre) = (cos.hypot(up - mean).max(f64::MIN_POSITIVE), (up - mean).atan2(cos));
        let (least, greatest) = ((-1.0 - mean) / amplitude, (1.0 - mean) / amplitude);
        let (far, near) = (least.clamp(-1.0, 1.0).acos(), greatest.clamp(-1.0, 1.0).acos());
        let between = |centre: f64, half: f64| Some(Self::Between { centre, half });
        match (least <= -1.0, greatest >= 1.0) {
            (true, true) => [Some(Self::Circle), None],
            (false, true) => [between(centre, far), None],
            (true, false) => [between(centre + f64::consts::PI, f64::consts::PI - near), None],
            (false, false) => {
                let (middle, half) = (0.5 * (far + near), 0.5 * (far - near));
                [between(centre + middle, half), between(centre - middle, half)]
            }
        }
    }
}

impl BranchSampler<'_> {
    /// Samples the curve at eight parameters \[rad\].
    #[inline(always)]
    pub fn samples<S: Simd>(&self, curve: &Curve, parameter: f32x8<S>) -> Samples<S> {
        let (simd, elbow) = (parameter.simd, &self.arm.elbow);
        let one = f32x8::splat(simd, 1.0);
        let [cos, sin] = cosine_sine(parameter);
        let first = match curve.window {
            Window::Circle => parameter,
            Window::Between { centre, half } => sin * single(half) + single(centre),
        };
        let side = match curve.side {
            Some(side) => one * side,
            None => one.copysign(cos),
        };
        let turn = cosine_sine(first);
        let wrist = orbit(&self.goal.position, turn);
        let (straight, missing) = unit((dot(wrist, wrist) - single(elbow.mean)) * single(1.0 / elbow.amplitude));
        let middle = [one * single(elbow.straight.cos), one * single(elbow.straight.sin)];
        let elbow = sum(middle, [straight[0], straight[1] * side]);
        let cost = self.ranges.cost(0, first).max(self.ranges.cost(3, angle(elbow))) + missing;
        Samples { wrist, first, turn, elbow, cost }
    }

    /// The branches at the samples.
    #[inline(always)]
    pub fn branches<S: Simd>(&self, samples: &Samples<S>) -> [Branch<S>; BRANCHES] {
        let Samples { wrist, elbow, cost, .. } = *samples;
        let (simd, arm) = (cost.simd, self.arm);
        let [second, third] = [splat(simd, arm.shoulder_axes[0]), splat(simd, arm.shoulder_axes[1])];
        let reach = orbit(&arm.elbow.reach, elbow);
        let height = dot(second, third) * dot(third, reach);
        let side = [dot(second, reach) - height, dot(cross(second, third), reach)];
        let size = (side[0] * side[0] + side[1] * side[1]).sqrt().max(f32x8::splat(simd, f32::MIN_POSITIVE));
        let middle = [side[0] / size, side[1] / size];
        let (straight, missing) = unit((dot(second, wrist) - height) / size);
        let (cost, back) = (cost + missing, [straight[0], -straight[1]]);
        let [one, one_flipped] = self.wrist_branches(samples, sum(middle, straight), reach, cost);
        let [other, other_flipped] = self.wrist_branches(samples, sum(middle, back), reach, cost);
        [one, one_flipped, other, other_flipped]
    }

    /// The two branches with a known third joint.
    #[inline(always)]
    fn wrist_branches<S: Simd>(
        &self,
        samples: &Samples<S>,
        three: Angle<S>,
        reach: Vector<S>,
        cost: f32x8<S>,
    ) -> [Branch<S>; 2] {
        let (simd, Self { arm, goal, ranges }) = (cost.simd, self);
        let [second, third] = [splat(simd, arm.shoulder_axes[0]), splat(simd, arm.shoulder_axes[1])];
        let lifted = rotated(third, reach, three);
        let two = [
            dot(lifted, samples.wrist) - dot(second, lifted) * dot(second, samples.wrist),
            dot(second, cross(lifted, samples.wrist)),
        ];
        let scale = 1.0 / (two[0] * two[0] + two[1] * two[1]).sqrt().max(f32x8::splat(simd, f32::MIN_POSITIVE));
        let two = [two[0] * scale, two[1] * scale];
        // In the frame of the upper arm: c, and the wrist's base. In the frame that the outermost joint rotates:
        // a, and the flange.
        let c = orbit(&goal.flange[0], samples.turn);
        let c = rotated(third, rotated(second, c, [two[0], -two[1]]), [three[0], -three[1]]);
        let base = &arm.wrist.base;
        let a = orbit(&base[0], samples.elbow);
        let lifted = rotated(second, rotated(third, a, three), two);
        let (side, up) = (dot(orbit(&base[1], samples.elbow), c), dot(orbit(&base[2], samples.elbow), c));
        let five = angle([up, side]);
        let six = angle([dot(a, c), (up * up + side * side).sqrt()]);
        let before = dot(lifted, orbit(&goal.flange[1], samples.turn));
        let seven = angle([-dot(lifted, orbit(&goal.flange[2], samples.turn)), before]);
        let (two, three, four) = (angle(two), angle(three), angle(samples.elbow));
        let cost = cost.max(ranges.cost(1, two)).max(ranges.cost(2, three));
        let offset = single(arm.wrist.offset);
        let positions = [samples.first, two, three, four, five, six - offset, seven];
        let flipped = [samples.first, two, three, four, five + PI, -six - offset, seven + PI];
        [
            Branch { cost: self.with_wrist(cost, &positions), positions },
            Branch { cost: self.with_wrist(cost, &flipped), positions: flipped },
        ]
    }

    /// The cost with that of the wrist's joints.
    #[inline(always)]
    fn with_wrist<S: Simd>(&self, cost: f32x8<S>, positions: &[f32x8<S>; REDUNDANT_JOINTS]) -> f32x8<S> {
        let ranges = &self.ranges;
        let cost = cost.max(ranges.cost(4, positions[4])).max(ranges.cost(5, positions[5]));
        cost.max(ranges.cost(6, positions[6]))
    }
}

/// The angle (cosine, sine) with this cosine, or with the nearest one, and the cost of the difference \[rad\].
#[inline(always)]
fn unit<S: Simd>(cosine: f32x8<S>) -> (Angle<S>, f32x8<S>) {
    let one = f32x8::splat(cosine.simd, 1.0);
    let missing = (cosine.abs() - 1.0).max(one - 1.0).min(one * MAX_EXCESS) * EXCESS_COST;
    let cosine = cosine.min(one).max(-one);
    ([cosine, (1.0 - cosine * cosine).sqrt()], missing)
}
