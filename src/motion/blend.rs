//! A rounded corner between two lines.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::line::Line;
use crate::spatial;

/// Number of intervals of the parameter, at whose ends the length is known.
const INTERVALS: u16 = 32;

/// A quadratic Bézier curve by de Casteljau's construction, of positions and of orientations (Shoemake 1985). The corner is its middle
/// control pose. It begins and ends with the velocities of the two lines, so that the velocity is continuous. Its poses are given by
/// length.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Blend {
    positions: [Vector3<f64>; 3],
    /// Orientation at the start.
    rotation: UnitQuaternion<f64>,
    /// Rotation vectors from the start to the corner and from there to the end.
    turns: [Vector3<f64>; 2],
    /// Length, and its rate of change with the parameter, at the ends of the intervals.
    lengths: Vec<(f64, f64)>,
}

impl Blend {
    /// From `start` metres along the first line, which is `radius` before its end, to `radius` metres along the second line.
    pub(super) fn new([first, second]: [&Line; 2], start: f64, radius: f64, metres_per_radian: f64) -> Self {
        let (from, corner, to) = (first.at(start), second.at(0.0), second.at(radius));
        let rate = |u: f64| {
            let mix = |a: &Vector3<f64>, b: &Vector3<f64>| (a * (1.0 - u) + b * u).norm();
            let shift = mix(&first.shift, &second.shift);
            2.0 * radius * shift.max(mix(&first.turn, &second.turn) * metres_per_radian)
        };
        let step = 1.0 / f64::from(INTERVALS);
        let mut lengths = vec![(0.0, rate(0.0))];
        let mut length = 0.0;
        for interval in 0..INTERVALS {
            let u = f64::from(interval) * step;
            // Simpson's rule.
            length += step / 6.0 * (rate(u) + 4.0 * rate(u + 0.5 * step) + rate(u + step));
            lengths.push((length, rate(u + step)));
        }
        Self {
            positions: [from, corner, to].map(|pose| pose.translation.vector),
            rotation: from.rotation,
            turns: [first.turn * radius, second.turn * radius],
            lengths,
        }
    }

    /// Length of the curve \[m\].
    pub(super) fn length(&self) -> f64 {
        self.lengths.last().map_or(0.0, |last| last.0)
    }

    /// The pose after `length` metres.
    pub(super) fn at(&self, length: f64) -> Isometry3<f64> {
        let u = self.parameter(length);
        let [from, corner, to] = &self.positions;
        let position = from.lerp(corner, u).lerp(&corner.lerp(to, u), u);
        let [first, second] = &self.turns;
        let part = |turn: &Vector3<f64>, fraction: f64| UnitQuaternion::from_scaled_axis(turn * fraction);
        let before = self.rotation * part(first, u);
        // From there to the point on the second line, over the corner.
        let across = part(first, 1.0 - u) * part(second, u);
        let rotation = before * part(&spatial::rotation_vector(&across), u);
        Isometry3::from_parts(Translation3::from(position), rotation)
    }

    /// The parameter in \[0, 1\] at a length: cubic between the ends of an interval.
    fn parameter(&self, length: f64) -> f64 {
        let after = self.lengths.partition_point(|(end, _)| *end <= length).clamp(1, self.lengths.len() - 1);
        let [(start, rate_before), (end, rate_after)] = [self.lengths[after - 1], self.lengths[after]];
        let (span, step) = (end - start, 1.0 / f64::from(INTERVALS));
        let x = ((length - start) / span).clamp(0.0, 1.0);
        let (before, behind) = (span / rate_before, span / rate_after);
        let within = x * x * (3.0 - 2.0 * x) * step + x * (1.0 - x) * ((1.0 - x) * before - x * behind);
        #[expect(clippy::cast_precision_loss, reason = "no more than the intervals")]
        let intervals_before = (after - 1) as f64;
        intervals_before * step + within
    }
}
