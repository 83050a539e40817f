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

/// Branches of the third joint on each side of the elbow.
pub(super) const SHOULDERS: usize = 2;
/// Branches of the wrist for each of these.
pub(super) const WRISTS: usize = 2;
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
    /// The larger of the costs of both joints \[rad\], plus the penalty for missed reach.
    pub cost: f32x8<S>,
}

/// The second and the third joint at eight samples, on one branch.
#[derive(Clone, Copy)]
pub(super) struct Shoulder<S: Simd> {
    two: Angle<S>,
    three: Angle<S>,
    /// The largest of the costs of the first four joints \[rad\], plus the penalties for missed reach.
    pub cost: f32x8<S>,
}

/// Positions \[rad\] and costs of one branch at eight samples.
pub(super) struct Branch<S: Simd> {
    pub positions: [f32x8<S>; REDUNDANT_JOINTS],
    pub cost: f32x8<S>,
}

impl Curve {
    /// True if half a revolution of the parameter contains all configurations, because each sample covers both sides of
    /// the third joint.
    pub fn is_half(&self) -> bool {
        self.side.is_some() && matches!(self.window, Window::Between { .. })
    }

    /// The curves of all configurations. They end where the elbow is stretched or folded. If the elbow does not depend
    /// on the outermost joint, they end where the two branches of the third joint meet.
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
    /// Samples the curve at eight values of its parameter \[rad\].
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
        let cost = self.cost(0, first).max(self.cost(3, angle(elbow))) + missing;
        Samples { wrist, first, turn, elbow, cost }
    }

    /// The two branches of the third joint at the samples.
    #[inline(always)]
    pub fn shoulders<S: Simd>(&self, samples: &Samples<S>) -> [Shoulder<S>; SHOULDERS] {
        let Samples { wrist, elbow, cost, .. } = *samples;
        let [second, third] = self.shoulder_axes(cost.simd);
        let reach = orbit(&self.arm.elbow.reach, elbow);
        let height = dot(second, third) * dot(third, reach);
        let (middle, size) = direction([dot(second, reach) - height, dot(cross(second, third), reach)]);
        let (straight, missing) = unit((dot(second, wrist) - height) / size);
        let mut shoulders = [Shoulder { two: middle, three: middle, cost: cost + missing }; SHOULDERS];
        for (shoulder, side) in shoulders.iter_mut().zip([1.0, -1.0]) {
            shoulder.three = sum(middle, [straight[0], straight[1] * side]);
            let lifted = rotated(third, reach, shoulder.three);
            let along = dot(lifted, wrist) - dot(second, lifted) * dot(second, wrist);
            (shoulder.two, _) = direction([along, dot(second, cross(lifted, wrist))]);
            let moved = self.cost(1, angle(shoulder.two)).max(self.cost(2, angle(shoulder.three)));
            shoulder.cost = shoulder.cost.max(moved);
        }
        shoulders
    }

    /// The two branches of the wrist at the samples, on a branch of the other joints.
    #[inline(always)]
    pub fn wrists<S: Simd>(&self, samples: &Samples<S>, shoulder: &Shoulder<S>) -> [Branch<S>; WRISTS] {
        let Self { arm, goal, .. } = self;
        let Shoulder { two, three, cost } = *shoulder;
        let [second, third] = self.shoulder_axes(cost.simd);
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
        let (offset, four) = (single(arm.wrist.offset), angle(samples.elbow));
        let shoulder = [samples.first, angle(two), angle(three), four];
        [
            self.branch(cost, shoulder, [five, six - offset, seven]),
            self.branch(cost, shoulder, [five + PI, -six - offset, seven + PI]),
        ]
    }

    /// A branch with the cost of all joints, from that of the first four.
    #[inline(always)]
    fn branch<S: Simd>(&self, cost: f32x8<S>, shoulder: [f32x8<S>; 4], [five, six, seven]: Vector<S>) -> Branch<S> {
        let [one, two, three, four] = shoulder;
        let cost = cost.max(self.cost(4, five)).max(self.cost(5, six)).max(self.cost(6, seven));
        Branch { cost, positions: [one, two, three, four, five, six, seven] }
    }

    /// Cost of a joint at an angle \[rad\].
    #[inline(always)]
    fn cost<S: Simd>(&self, joint: usize, angle: f32x8<S>) -> f32x8<S> {
        self.ranges.step(joint, angle).1
    }

    /// The axes of the second and the third joint.
    #[inline(always)]
    fn shoulder_axes<S: Simd>(&self, simd: S) -> [Vector<S>; 2] {
        [splat(simd, self.arm.shoulder_axes[0]), splat(simd, self.arm.shoulder_axes[1])]
    }
}

/// The angle of a vector (cosine, sine) of any length, and its length.
#[inline(always)]
fn direction<S: Simd>([x, y]: Angle<S>) -> (Angle<S>, f32x8<S>) {
    let length = (x * x + y * y).sqrt().max(f32x8::splat(x.simd, f32::MIN_POSITIVE));
    ([x / length, y / length], length)
}

/// The angle (cosine, sine) with this cosine, or with the nearest one, and the cost of the difference \[rad\].
#[inline(always)]
fn unit<S: Simd>(cosine: f32x8<S>) -> (Angle<S>, f32x8<S>) {
    let one = f32x8::splat(cosine.simd, 1.0);
    let missing = (cosine.abs() - 1.0).max(one - 1.0).min(one * MAX_EXCESS) * EXCESS_COST;
    let cosine = cosine.min(one).max(-one);
    ([cosine, (1.0 - cosine * cosine).sqrt()], missing)
}
