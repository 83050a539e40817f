//! Residuals of four configurations with respect to a target.

use std::f64::consts::PI;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};
use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::frame::LaneFrame;
use super::lanes::{LANES, Lanes, Vector, add, cross, dot, scale, splat, subtract};
use super::links::{KernelLinks, KernelTip};
use crate::problem::Target;

/// Fraction of the tolerance within which the kernel counts a target as met. The rest allows for rounding in later
/// checks.
pub const TOLERANCE_FRACTION: f64 = 0.999;
/// 1 + trace of a rotation matrix (0 at an angle of π) below which the axis is computed from the quaternion.
const MIN_ONE_PLUS_TRACE: f64 = 1e-6;

/// Constrained axes of a target.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Counted {
    /// All six axes.
    Pose,
    /// The three axes of position.
    Position,
    /// Others: compared in the tip's frame, one configuration at a time.
    Partial,
}

/// A target, prepared for one solve. Lengths are in units of the length scale.
#[derive(Debug, Clone)]
pub struct PreparedTarget {
    /// Index of the tip.
    pub tip: usize,
    counted: Counted,
    pub target: Target,
    length_scale: f64,
    /// Square root of the target's weight.
    weight: f64,
    position: [f64; 3],
    /// Desired x, y and z axis of the frame of the tip's last joint.
    axes: [[f64; 3]; 3],
    /// The tip's orientation in the frame of its last joint.
    rotation: Rotation3<f64>,
    /// Largest squared position error and largest squared orientation error.
    position_bound: f64,
    orientation_bound: f64,
}

/// The residual of four configurations with respect to one target.
pub struct TargetResidual<S: Simd> {
    /// Residual \[rad\], linear part first, with lengths divided by the length scale. It is in the base link's frame if
    /// all six axes count, or exactly the three of position, and otherwise in the tip's frame.
    pub rows: [f64x4<S>; 6],
    /// Squared norm of the rows \[rad²\].
    pub squared_error: f64x4<S>,
    /// Bit mask: bit k is set if configuration k meets the target.
    pub met: u64,
    /// Reference point of the Jacobian on the tip link, in the base link's frame and in units of the length scale.
    pub point: Vector<S>,
}

impl PreparedTarget {
    pub fn new(target: &Target, links: &KernelLinks, length_scale: f64) -> Self {
        let KernelTip { rotation, .. } = links.ends[target.tip];
        let axes = target.pose.rotation.to_rotation_matrix() * rotation.inverse();
        let counted = match target.free_axes {
            [false, false, false, false, false, false] => Counted::Pose,
            [false, false, false, true, true, true] => Counted::Position,
            _ => Counted::Partial,
        };
        // The orientation error of a full pose is twice the sine of half the angle, which is monotonic up to π.
        let orientation = match TOLERANCE_FRACTION * target.tolerance.orientation {
            angle if counted != Counted::Pose => angle,
            angle if angle < PI => 2.0 * (0.5 * angle).sin(),
            _ => f64::INFINITY,
        };
        let position = TOLERANCE_FRACTION * target.tolerance.position / length_scale;
        Self {
            tip: target.tip,
            counted,
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

    /// The residual of a tip at position `tip` whose last joint has a frame with these x, y and z `axes`. Both are in
    /// the base link's frame; lengths are in units of the length scale.
    #[inline(always)]
    pub fn residual<S: Simd>(&self, axes: [Vector<S>; 3], tip: Vector<S>) -> TargetResidual<S> {
        let simd = tip[0].simd;
        let zero = f64x4::splat(simd, 0.0);
        if self.counted == Counted::Partial {
            return self.partial_residual(axes, tip);
        }
        let linear = subtract(splat(simd, self.position), tip);
        let squared_position = dot(linear, linear);
        let mut met = squared_position.simd_le(f64x4::splat(simd, self.position_bound)).to_bitmask();
        let (mut angular, mut squared_orientation) = ([zero; 3], zero);
        if self.counted == Counted::Pose {
            (angular, squared_orientation) = self.rotation_residual(axes);
            met &= squared_orientation.simd_le(f64x4::splat(simd, self.orientation_bound)).to_bitmask();
        }
        let weight = f64x4::splat(simd, self.weight);
        let (linear, angular) = (scale(linear, weight), scale(angular, weight));
        let rows = [linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]];
        let squared_error = (squared_position + squared_orientation) * (weight * weight);
        TargetResidual { rows, squared_error, met, point: tip }
    }

    /// Axis of the remaining rotation times twice the sine of half its angle, and the squared norm of this vector.
    ///
    /// To first order it is the rotation vector, without an arctangent.
    #[inline(always)]
    fn rotation_residual<S: Simd>(&self, axes: [Vector<S>; 3]) -> (Vector<S>, f64x4<S>) {
        let simd = axes[0][0].simd;
        let [x, y, z] = [splat(simd, self.axes[0]), splat(simd, self.axes[1]), splat(simd, self.axes[2])];
        let trace = dot(axes[0], x) + dot(axes[1], y) + dot(axes[2], z);
        // The sum is 2 sin θ times the axis, and 1 + trace is 4 cos²(θ/2).
        let sum = add(add(cross(axes[0], x), cross(axes[1], y)), cross(axes[2], z));
        let one_plus_trace = trace + 1.0;
        let factor = 1.0 / one_plus_trace.max(f64x4::splat(simd, MIN_ONE_PLUS_TRACE)).sqrt();
        let mut vector = scale(sum, factor);
        let near_half_turn = one_plus_trace.simd_lt(f64x4::splat(simd, MIN_ONE_PLUS_TRACE));
        if near_half_turn.any_true() {
            self.rotation_residual_near_half_turn(axes, near_half_turn.to_bitmask(), &mut vector);
        }
        (vector, dot(vector, vector))
    }

    /// Writes [`Self::rotation_residual`] of the configurations of `lanes`, at angles near π: there the sines lose
    /// the axis.
    #[cold]
    fn rotation_residual_near_half_turn<S: Simd>(&self, axes: [Vector<S>; 3], lanes: u64, vector: &mut Vector<S>) {
        let goal = Matrix3::from_fn(|row, column| self.axes[column][row]);
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let now = Matrix3::from_fn(|row, column| axes[column][row][lane]);
            let remaining = Rotation3::from_matrix_unchecked(goal * now.transpose());
            let remaining = UnitQuaternion::from_rotation_matrix(&remaining);
            // Of the two quaternions of a rotation, the one with a positive scalar part has the smaller angle.
            let sign = if remaining.w < 0.0 { -2.0 } else { 2.0 };
            for (row, entry) in vector.iter_mut().enumerate() {
                entry[lane] = sign * remaining.imag()[row];
            }
        }
    }

    /// [`PreparedTarget::residual`] for some axes of the tip's frame.
    fn partial_residual<S: Simd>(&self, axes: [Vector<S>; 3], tip: Vector<S>) -> TargetResidual<S> {
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
        // With a free position axis, the rotation of the tip frame moves the target in that frame. The Jacobian is
        // then that of the point of the tip link that coincides with the target.
        let goal = splat(simd, self.position);
        TargetResidual {
            rows: rows.map(|row| f64x4::load_array(simd, row)),
            squared_error: f64x4::load_array(simd, squared_error),
            met,
            point: if self.target.full_position() { tip } else { goal },
        }
    }

    /// Converts the orientation rows of a full pose in place to rotation vectors \[rad\], whose norms are angles even
    /// far from the target, and updates the squared error \[rad²\]. This is the error reported in a solution.
    pub fn take_angles(&self, rows: &mut [Lanes; 6], squared_error: &mut Lanes) {
        if self.counted != Counted::Pose {
            return;
        }
        for lane in 0..LANES {
            let square: f64 = rows[3..].iter().map(|row| row.0[lane] * row.0[lane]).sum();
            let half = (0.5 * square.sqrt() / self.weight).min(1.0);
            // Below this the arcsine is the identity up to rounding.
            let factor = if half < 1e-8 { 1.0 } else { half.asin() / half };
            rows[3..].iter_mut().for_each(|row| row.0[lane] *= factor);
            squared_error.0[lane] += (factor * factor - 1.0) * square;
        }
    }

    /// The desired frame of the tip's last joint in the base link's frame, from its current `frame` and the tip `end`
    /// on it. Free axes are unchanged.
    #[inline(always)]
    pub fn desired_frame<S: Simd>(&self, frame: &LaneFrame<S>, end: &KernelTip) -> LaneFrame<S> {
        let simd = frame.x[0].simd;
        let mut desired = *frame;
        if self.counted == Counted::Partial {
            return self.partial_desired_frame(frame, end);
        }
        if self.counted == Counted::Pose {
            desired.x = splat(simd, self.axes[0]);
            desired.y = splat(simd, self.axes[1]);
            desired.z = splat(simd, self.axes[2]);
        }
        let tip = desired.point(&end.position);
        desired.origin = add(desired.origin, subtract(splat(simd, self.position), tip));
        desired
    }

    /// [`Self::desired_frame`] for some axes of the tip's frame.
    fn partial_desired_frame<S: Simd>(&self, frame: &LaneFrame<S>, end: &KernelTip) -> LaneFrame<S> {
        let tip = frame.point(&end.position);
        let rows = self.partial_residual(frame.axes(), tip).rows;
        let mut desired = *frame;
        for lane in 0..LANES {
            let part = |from: usize| Vector3::from_fn(|row, _| rows[from + row][lane] / self.weight);
            let now = self.tip_rotation(&frame.axes(), lane);
            let turned = now * Rotation3::new(part(3)).matrix() * self.rotation.matrix().transpose();
            let at = Vector3::from_fn(|row, _| tip[row][lane]) + now * part(0) - turned * Vector3::from(end.position);
            for row in 0..3 {
                desired.x[row][lane] = turned[(row, 0)];
                desired.y[row][lane] = turned[(row, 1)];
                desired.z[row][lane] = turned[(row, 2)];
                desired.origin[row][lane] = at[row];
            }
        }
        desired
    }

    /// Orientation of the tip in one configuration.
    fn tip_rotation<S: Simd>(&self, axes: &[Vector<S>; 3], lane: usize) -> Matrix3<f64> {
        Matrix3::from_fn(|row, column| axes[column][row][lane]) * self.rotation.matrix()
    }

    /// True if the columns need [`PreparedTarget::finish_columns`].
    #[inline(always)]
    pub fn needs_finish(&self) -> bool {
        self.counted != Counted::Pose || self.weight != 1.0
    }

    /// Transforms Jacobian columns in place to the frame of the rows, zeroes the free axes, and multiplies by the root
    /// of the weight. `axes` are the x, y and z axis of the last joint's frame.
    #[inline(always)]
    pub fn finish_columns<S: Simd>(&self, axes: [Vector<S>; 3], columns: &mut [[Lanes; 6]]) {
        let simd = axes[0][0].simd;
        let mut tip = axes;
        for (column, axis) in tip.iter_mut().enumerate() {
            let [x, y, z] = splat(simd, self.rotation.matrix().column(column).into());
            *axis = add(add(scale(axes[0], x), scale(axes[1], y)), scale(axes[2], z));
        }
        for column in columns {
            for part in [0, 3] {
                let mut twist = [column[part].load(simd), column[part + 1].load(simd), column[part + 2].load(simd)];
                if self.counted == Counted::Partial {
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
