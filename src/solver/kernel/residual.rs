//! A target as the kernel compares postures with it.

use std::f64::consts::PI;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};
use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::frame::Frame;
use super::lanes::{LANES, Lanes, Vector, add, cross, dot, scale, splat, subtract};
use super::links::{End, Links};
use crate::solver::problem::Target;

/// Fraction of the tolerance that must be met, so that what rounding does afterwards cannot take it back.
const MARGIN: f64 = 0.999;
/// Below this value of 1 + the trace of the remaining rotation (0 at half a turn), its axis is computed with care.
const HALF_TURN: f64 = 1e-6;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// All six axes count.
    Pose,
    /// The three axes of position.
    Position,
    /// Any others: compared in the tip's frame, posture by posture.
    Partial,
}

/// A target, prepared for one solve. Lengths are in units of the length scale.
#[derive(Debug, Clone)]
pub struct Goal {
    /// Index of the tip.
    pub tip: usize,
    kind: Kind,
    target: Target,
    length_scale: f64,
    /// Square root of the target's weight.
    weight: f64,
    position: [f64; 3],
    /// x, y and z axis that the frame of the tip's last joint shall have.
    axes: [[f64; 3]; 3],
    /// The tip's orientation in that frame.
    rotation: Rotation3<f64>,
    /// Squares of what the position and the orientation may be off.
    position_bound: f64,
    orientation_bound: f64,
}

/// What separates four postures from a target.
pub struct Difference<S: Simd> {
    /// Rows of the task \[rad\], linear part first.
    pub rows: [f64x4<S>; 6],
    /// Their squared norm.
    pub squared_error: f64x4<S>,
    /// Bit by bit, whether the target is met.
    pub met: u64,
    /// The point of the tip link whose motion counts.
    pub point: Vector<S>,
}

impl Goal {
    pub fn new(target: &Target, links: &Links, length_scale: f64) -> Self {
        let End { rotation, .. } = links.ends[target.tip];
        let axes = target.pose.rotation.to_rotation_matrix() * rotation.inverse();
        let kind = match target.free_axes {
            [false, false, false, false, false, false] => Kind::Pose,
            [false, false, false, true, true, true] => Kind::Position,
            _ => Kind::Partial,
        };
        // A whole pose is compared by twice the sine of half the angle, which is never above that of half a turn.
        let orientation = match MARGIN * target.tolerance.orientation {
            angle if kind != Kind::Pose => angle,
            angle if angle < PI => 2.0 * (0.5 * angle).sin(),
            _ => f64::INFINITY,
        };
        let position = MARGIN * target.tolerance.position / length_scale;
        Self {
            tip: target.tip,
            kind,
            target: *target,
            length_scale,
            weight: target.weight.sqrt(),
            position: (target.pose.translation.vector / length_scale).into(),
            axes: [0, 1, 2].map(|i| axes.matrix().column(i).into()),
            rotation,
            position_bound: position * position,
            orientation_bound: orientation * orientation,
        }
    }

    /// What separates a tip at `tip`, whose last joint's frame has the axes `axes`, from the target.
    #[inline(always)]
    pub fn difference<S: Simd>(&self, axes: [Vector<S>; 3], tip: Vector<S>) -> Difference<S> {
        let simd = tip[0].simd;
        let zero = f64x4::splat(simd, 0.0);
        if self.kind == Kind::Partial {
            return self.partial(axes, tip);
        }
        let linear = subtract(splat(simd, self.position), tip);
        let squared_position = dot(linear, linear);
        let mut met = squared_position.simd_le(f64x4::splat(simd, self.position_bound)).to_bitmask();
        let (mut angular, mut squared_orientation) = ([zero; 3], zero);
        if self.kind == Kind::Pose {
            (angular, squared_orientation) = self.turn(axes);
            met &= squared_orientation.simd_le(f64x4::splat(simd, self.orientation_bound)).to_bitmask();
        }
        let weight = f64x4::splat(simd, self.weight);
        let (linear, angular) = (scale(linear, weight), scale(angular, weight));
        let rows = [linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]];
        let squared_error = (squared_position + squared_orientation) * (weight * weight);
        Difference { rows, squared_error, met, point: tip }
    }

    /// The axis of the rotation that is left, times twice the sine of half its angle, and the square of that.
    ///
    /// To first order it is the rotation vector; unlike that it needs no arctangent.
    #[inline(always)]
    fn turn<S: Simd>(&self, axes: [Vector<S>; 3]) -> (Vector<S>, f64x4<S>) {
        let simd = axes[0][0].simd;
        let [x, y, z] = [splat(simd, self.axes[0]), splat(simd, self.axes[1]), splat(simd, self.axes[2])];
        let trace = dot(axes[0], x) + dot(axes[1], y) + dot(axes[2], z);
        // The sum is 2 sin θ times the axis, and 1 + trace is 4 cos²(θ/2).
        let sum = add(add(cross(axes[0], x), cross(axes[1], y)), cross(axes[2], z));
        let margin = trace + 1.0;
        let factor = 1.0 / margin.max(f64x4::splat(simd, HALF_TURN)).sqrt();
        let mut vector = scale(sum, factor);
        let half_turn = margin.simd_lt(f64x4::splat(simd, HALF_TURN));
        if half_turn.any_true() {
            self.turn_with_care(axes, half_turn.to_bitmask(), &mut vector);
        }
        (vector, dot(vector, vector))
    }

    /// The same for the postures in `lanes`, which are almost half a turn away, where sines tell too little.
    #[cold]
    fn turn_with_care<S: Simd>(&self, axes: [Vector<S>; 3], lanes: u64, vector: &mut Vector<S>) {
        let goal = Matrix3::from_fn(|row, column| self.axes[column][row]);
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let now = Matrix3::from_fn(|row, column| axes[column][row][lane]);
            let left = Rotation3::from_matrix_unchecked(goal * now.transpose());
            let left = UnitQuaternion::from_rotation_matrix(&left);
            // Of the two quaternions of a rotation, the one with positive scalar part turns the short way.
            let sign = if left.w < 0.0 { -2.0 } else { 2.0 };
            for (row, entry) in vector.iter_mut().enumerate() {
                entry[lane] = sign * left.imag()[row];
            }
        }
    }

    /// [`Goal::difference`] where only some axes of the tip's frame count.
    fn partial<S: Simd>(&self, axes: [Vector<S>; 3], tip: Vector<S>) -> Difference<S> {
        let simd = tip[0].simd;
        let (mut rows, mut squared_error, mut met) = ([[0.0; LANES]; 6], [0.0; LANES], 0);
        for lane in 0..LANES {
            let position = Vector3::from_fn(|row, _| tip[row][lane]) * self.length_scale;
            let rotation = Rotation3::from_matrix_unchecked(self.tip_rotation(&axes, lane));
            let pose = Isometry3::from_parts(position.into(), UnitQuaternion::from_rotation_matrix(&rotation));
            let (linear, angular) = self.target.difference(&pose);
            let scaled = linear / self.length_scale;
            let inside =
                scaled.norm_squared() <= self.position_bound && angular.norm_squared() <= self.orientation_bound;
            met |= u64::from(inside) << lane;
            for row in 0..3 {
                rows[row][lane] = self.weight * scaled[row];
                rows[row + 3][lane] = self.weight * angular[row];
            }
            squared_error[lane] = rows.iter().map(|row| row[lane] * row[lane]).sum();
        }
        // Where a position axis of the turning tip frame is free, the others see the target swing past: the derivative is that of
        // the point of the tip link which stands at the target.
        let goal = splat(simd, self.position);
        Difference {
            rows: rows.map(|row| f64x4::load_array(simd, row)),
            squared_error: f64x4::load_array(simd, squared_error),
            met,
            point: if self.target.full_position() { tip } else { goal },
        }
    }

    /// Where the frame of the tip's last joint shall be, `frame` being where it is and `end` the tip in it: axes that do not count stay as
    /// they are.
    #[inline(always)]
    pub fn wished<S: Simd>(&self, frame: &Frame<S>, end: &End) -> Frame<S> {
        let simd = frame.x[0].simd;
        let mut wished = *frame;
        if self.kind == Kind::Partial {
            return self.wished_in_part(frame, end);
        }
        if self.kind == Kind::Pose {
            wished.x = splat(simd, self.axes[0]);
            wished.y = splat(simd, self.axes[1]);
            wished.z = splat(simd, self.axes[2]);
        }
        let tip = wished.point(&end.position);
        wished.origin = add(wished.origin, subtract(splat(simd, self.position), tip));
        wished
    }

    /// The same where only some axes of the tip's frame count.
    fn wished_in_part<S: Simd>(&self, frame: &Frame<S>, end: &End) -> Frame<S> {
        let tip = frame.point(&end.position);
        let rows = self.partial(frame.axes(), tip).rows;
        let mut wished = *frame;
        for lane in 0..LANES {
            let part = |from: usize| Vector3::from_fn(|row, _| rows[from + row][lane] / self.weight);
            let now = self.tip_rotation(&frame.axes(), lane);
            let turned = now * Rotation3::new(part(3)).matrix() * self.rotation.matrix().transpose();
            let at = Vector3::from_fn(|row, _| tip[row][lane]) + now * part(0) - turned * Vector3::from(end.position);
            for row in 0..3 {
                wished.x[row][lane] = turned[(row, 0)];
                wished.y[row][lane] = turned[(row, 1)];
                wished.z[row][lane] = turned[(row, 2)];
                wished.origin[row][lane] = at[row];
            }
        }
        wished
    }

    /// The tip's orientation in one posture.
    fn tip_rotation<S: Simd>(&self, axes: &[Vector<S>; 3], lane: usize) -> Matrix3<f64> {
        Matrix3::from_fn(|row, column| axes[column][row][lane]) * self.rotation.matrix()
    }

    /// What the target's squared error counts.
    #[inline(always)]
    pub fn target_weight(&self) -> f64 {
        self.target.weight
    }

    /// Whether any axis of orientation counts.
    #[inline(always)]
    pub fn has_orientation(&self) -> bool {
        self.target.free_axes[3..] != [true; 3]
    }

    /// Whether columns need [`Goal::finish`].
    #[inline(always)]
    pub fn needs_finish(&self) -> bool {
        self.kind != Kind::Pose || self.weight != 1.0
    }

    /// Brings columns into the frame of the rows, without those axes that do not count, and weighs them.
    #[inline(always)]
    pub fn finish<S: Simd>(&self, axes: [Vector<S>; 3], columns: &mut [[Lanes; 6]]) {
        let simd = axes[0][0].simd;
        let mut tip = axes;
        for (column, axis) in tip.iter_mut().enumerate() {
            let [x, y, z] = splat(simd, self.rotation.matrix().column(column).into());
            *axis = add(add(scale(axes[0], x), scale(axes[1], y)), scale(axes[2], z));
        }
        for column in columns {
            for part in [0, 3] {
                let mut twist = [column[part].load(simd), column[part + 1].load(simd), column[part + 2].load(simd)];
                if self.kind == Kind::Partial {
                    twist = [dot(tip[0], twist), dot(tip[1], twist), dot(tip[2], twist)];
                }
                for row in 0..3 {
                    let factor = if self.target.free_axes[part + row] { 0.0 } else { self.weight };
                    column[part + row].store(twist[row] * factor);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
