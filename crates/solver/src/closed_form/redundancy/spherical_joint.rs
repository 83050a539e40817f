//! Three axes through one point, as those of a shoulder or of a wrist: two ways to make up a rotation.

use std::f32::consts::PI;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8};
use nalgebra::{Matrix3, Vector3};

use super::joint_ranges::JointRanges;
use super::single::{angle, single};
use urdf_ik_closed_form::{Linear, Turn};
use urdf_ik_robot::without_whole_turns;

/// Where the sine of the angle between the first and the last of three axes is smaller, only their sum of turns is determined.
const MIN_SINE: f64 = 1e-9;

/// Three axes through one point, the middle one at right angles to the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct SphericalJoint {
    /// The first of the three joints, counted from 0.
    first: usize,
    /// Unit vectors at zero positions.
    pub axes: [Vector3<f64>; 3],
    /// The vector product of the second axis with the first, and with the third.
    pub across: [Vector3<f64>; 2],
    /// The angle from the first axis to the third about the second \[rad\].
    offset: f64,
}

/// Entries of the matrix R that three joints must make up, by the arm angle, with their axes a, b, c, and b × a and b × c.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries {
    /// a · Rc, b · Rc and (b × a) · Rc.
    pub end: [Linear; 3],
    /// a · Rb and a · R(b × c).
    pub start: [Linear; 2],
}

impl SphericalJoint {
    /// The axes, the second as it is, the others at right angles to it.
    pub fn new(joint: usize, [first, second, third]: [Vector3<f64>; 3]) -> Self {
        let square = |axis: Vector3<f64>| (axis - second * second.dot(&axis)).normalize();
        let (first, third) = (square(first), square(third));
        let across = [second.cross(&first), second.cross(&third)];
        let offset = across[0].dot(&third).atan2(first.dot(&third));
        Self { first: joint, axes: [first, second, third], across, offset }
    }

    /// The entries of a rotation R, given x · Ry of any two vectors.
    pub fn entries(&self, entry: impl Fn(&Vector3<f64>, &Vector3<f64>) -> Linear) -> Entries {
        let [a, b, c] = &self.axes;
        let [before, after] = &self.across;
        Entries { end: [entry(a, c), entry(b, c), entry(before, c)], start: [entry(a, b), entry(a, after)] }
    }

    /// The positions of the joints \[rad\] whose turns make up `rotation`, the one or the `other` way. Where first and last axis have
    /// come to lie on one line, both go equally far from `near`.
    pub fn positions(&self, rotation: &Matrix3<f64>, over: bool, near: [f64; 2]) -> [f64; 3] {
        let [a, b, c] = &self.axes;
        let end = rotation * c;
        let sign = if over { -1.0 } else { 1.0 };
        let (cos, sin) = (sign * self.across[0].dot(&end), sign * b.dot(&end));
        if cos * cos + sin * sin > MIN_SINE * MIN_SINE {
            return self.after(Turn::towards(cos, sin), rotation);
        }
        let [_, _, last] = self.after(Turn::new(near[0]), rotation);
        let rest = without_whole_turns(last - near[1]);
        self.after(Turn::new(near[0] + (0.5 * rest).copysign(rest * a.dot(&end))), rotation)
    }

    /// The positions where the turn of the first joint is known.
    fn after(&self, first: Turn, rotation: &Matrix3<f64>) -> [f64; 3] {
        let [a, b, c] = &self.axes;
        let back = |v: &Vector3<f64>| first.back().about(a, &(rotation * v));
        let end = back(c);
        // From where the third axis lies at zero, in the plane that the second turns it in.
        let second = Turn::towards(c.dot(&end), self.across[1].dot(&end));
        let middle = second.back().about(b, &back(b));
        [first.angle(), second.angle(), Turn::towards(b.dot(&middle), c.cross(b).dot(&middle)).angle()]
    }

    /// What it costs to bring the joints to where they make up a rotation, the one way round and the other, given [`Entries::end`] and
    /// [`Entries::start`].
    #[inline(always)]
    pub fn costs<S: Simd>(&self, ranges: &JointRanges, end: [f32x8<S>; 3], start: [f32x8<S>; 2]) -> [f32x8<S>; 2] {
        let ([along, side, up], [before, after]) = (end, start);
        let (first, offset) = (self.first, single(self.offset));
        let one = angle(up, side);
        let two = angle(along, (up * up + side * side).sqrt());
        let three = angle(-after, before);
        let ends = ranges.cost(first, one).max(ranges.cost(first + 2, three));
        let over = ranges.cost(first, one + PI).max(ranges.cost(first + 2, three + PI));
        [ends.max(ranges.cost(first + 1, two - offset)), over.max(ranges.cost(first + 1, -two - offset))]
    }
}
