//! A nominal motion s(x) along a smooth part of a path, with x from 0 to 1: the parameterisation in which the fastest
//! motion is computed.
//!
//! It is at rest at both ends and has a constant rate in between, with the ramps that the limits allow there. So
//! the rate of x in the fastest motion has no singularity at the ends, and is constant where the speed is.

use super::joint_curve::CurvePart;
use super::timing::SpeedProblem;

/// Maximum interval of x.
const MAX_INTERVAL: f64 = 1.0 / 64.0;
/// Maximum interval, as a fraction of the distance from the nearer end.
const INTERVAL_TO_END_RATIO: f64 = 0.1;
/// Minimum number of intervals in a ramp.
const MIN_RAMP_INTERVALS: f64 = 12.0;
/// Length of a ramp as a fraction of the length in which the path can reach its speed. Beyond it the nominal rate is
/// constant, and so is the squared rate z of a constant speed.
const RAMP_FRACTION: f64 = 0.5;
/// Minimum length of a ramp, as a fraction of the path length.
const MIN_RAMP_FRACTION: f64 = 1e-6;

/// The path length by x, with its derivatives: a ramp up, a constant rate, and a ramp down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NominalMotion {
    start: f64,
    end: f64,
    /// Derivative of the path length by x between the ramps \[m\].
    rate: f64,
    /// Lengths of the ramps in x, at the start and at the end.
    ramps: [f64; 2],
}

impl NominalMotion {
    /// A nominal motion of a part of a curve, with ramps that fit the limits at its ends.
    pub(super) fn new(problem: &SpeedProblem) -> Self {
        let SpeedProblem { timing, curve, part, .. } = problem;
        let limits = problem.path.limits;
        let ramps = [part.start(), part.end()].map(|length| {
            let [_, rates, ..] = curve.derivatives(part, part.basis.interval(length), length);
            let least = |limits: &[f64], most: f64| {
                rates.iter().zip(limits).fold(most, |least, (rate, limit)| least.min(limit / rate.abs()))
            };
            let speed = least(&limits.velocities, timing.speed);
            let acceleration = least(&limits.accelerations, timing.acceleration);
            let jerk = least(&limits.jerks, f64::INFINITY);
            // The length of a ramp with these limits: with constant jerk alone, or with constant acceleration in the
            // middle.
            let time = if speed * jerk > acceleration * acceleration {
                speed / acceleration + acceleration / jerk
            } else {
                2.0 * (speed / jerk).sqrt()
            };
            RAMP_FRACTION * 0.5 * speed * time
        });
        Self::between(part.start(), part.end(), ramps)
    }

    /// From `start` to `end` with ramps of the given lengths \[m\], shortened if the path is too short.
    fn between(start: f64, end: f64, ramps: [f64; 2]) -> Self {
        let length = end - start;
        let ramps = ramps.map(|ramp| ramp.max(MIN_RAMP_FRACTION * length));
        let both = ramps[0] + ramps[1];
        let ramps = ramps.map(|ramp| ramp * (length / both).min(1.0));
        let rate = length + ramps[0] + ramps[1];
        Self { start, end, rate, ramps: ramps.map(|ramp| 2.0 * ramp / rate) }
    }

    /// The path length and its first three derivatives.
    pub(super) fn at(&self, x: f64) -> [f64; 4] {
        self.on_interval_of(x, x)
    }

    /// The path length and its first three derivatives at `x`, by the polynomial of the interval that contains
    /// `inside`: at the end of an interval the third derivative is not continuous.
    pub(super) fn on_interval_of(&self, inside: f64, x: f64) -> [f64; 4] {
        let [up, down] = self.ramps;
        if inside < up {
            let [length, rate, change, bend] = self.on_ramp(x, up);
            [self.start + length, rate, change, bend]
        } else if 1.0 - inside < down {
            let [length, rate, change, bend] = self.on_ramp(1.0 - x, down);
            [self.end - length, rate, -change, bend]
        } else {
            [self.start + self.rate * (x - 0.5 * up), self.rate, 0.0, 0.0]
        }
    }

    fn on_ramp(&self, x: f64, ramp: f64) -> [f64; 4] {
        let part = x / ramp;
        [
            self.rate * ramp * part.powi(3) * (1.0 - 0.5 * part),
            self.rate * part * part * (3.0 - 2.0 * part),
            self.rate / ramp * 6.0 * part * (1.0 - part),
            self.rate / (ramp * ramp) * 6.0 * (1.0 - 2.0 * part),
        ]
    }

    /// The x at a path length.
    fn inverse(&self, length: f64) -> f64 {
        let (mut below, mut above) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = 0.5 * (below + above);
            if self.at(middle)[0] < length { below = middle } else { above = middle }
        }
        0.5 * (below + above)
    }

    /// Intervals of x on which curve and nominal motion are polynomials: short where the speed changes most.
    pub(super) fn intervals(&self, part: &CurvePart) -> Vec<f64> {
        let [up, down] = self.ramps;
        let inner = &part.basis.ends()[1..part.basis.ends().len() - 1];
        let mut breaks: Vec<f64> = inner.iter().map(|length| self.inverse(*length)).collect();
        breaks.extend([up, 1.0 - down, 1.0]);
        breaks.sort_by(f64::total_cmp);
        let mut ends = vec![0.0];
        for end in breaks {
            let mut here = ends[ends.len() - 1];
            let step = |x: f64| {
                let least = if x < 0.5 { up } else { down } / MIN_RAMP_INTERVALS;
                (INTERVAL_TO_END_RATIO * x.min(1.0 - x)).max(least).min(MAX_INTERVAL)
            };
            // The remainder is divided evenly, so that no very short interval remains.
            while end - here > 2.0 * step(here) {
                here += step(here);
                ends.push(here);
            }
            if end - here > step(here) {
                ends.push(0.5 * (here + end));
            }
            if end - here > 1e-3 * step(here) {
                ends.push(end);
            }
        }
        let last = ends.len() - 1;
        ends[last] = 1.0;
        ends
    }
}
