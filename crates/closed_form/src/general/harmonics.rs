//! Zeros of a periodic function of one joint angle.

use std::f64::consts::{PI, TAU};

use crate::Turn;

/// Highest harmonic.
const DEGREE: usize = 12;
/// Samples that determine such a function.
const VALUES: usize = 2 * DEGREE + 1;
/// Order of the Taylor polynomial about the middle of an interval, plus one.
const ORDERS: u8 = 8;
/// Intervals that are searched for zeros.
const INTERVALS: u8 = 40;
/// Largest number of bisections of an interval.
const MAX_HALVINGS: u8 = 14;
/// Start of the first interval \[rad\]; off the right angles, where zeros are frequent.
const FIRST_ANGLE: f64 = 0.123_456;
/// Largest imaginary part \[rad\] of a pair of complex zeros that counts as one zero at the extremum between them:
/// rounding splits a double zero by its square root, and further if others are near.
const MAX_IMAGINARY_PART: f64 = 0.03;
/// Relative error of the values.
const VALUE_ROUNDING: f64 = 5e-14;
/// Bisections after which an interval with values below their error counts as a multiple zero.
const MAX_HALVINGS_IN_NOISE: u8 = 5;
/// Largest number of steps towards a zero or an extremum.
const MAX_ROUNDS: usize = 50;
/// Step length \[rad\] below which these stop.
const LAST_STEP: f64 = 1e-10;
/// Newton steps towards a multiple zero.
const MULTIPLE_ZERO_STEPS: usize = 4;
/// Zeros within this distance \[rad\] are the same.
const SAME_ZERO: f64 = 1e-7;

/// A trigonometric polynomial.
#[derive(Debug, Clone)]
pub(super) struct Harmonics {
    mean: f64,
    cos: [f64; DEGREE],
    sin: [f64; DEGREE],
    /// Bound on the first derivative beyond [`ORDERS`].
    steepest: f64,
    /// Rounding error of its values.
    noise: f64,
}

impl Harmonics {
    /// The trigonometric polynomial that interpolates `function`.
    pub fn of(function: impl Fn(Turn) -> f64) -> Self {
        let mut angle = 0.0;
        let step = TAU / f64::from(u8::try_from(VALUES).unwrap_or(u8::MAX));
        let turns: [Turn; VALUES] = std::array::from_fn(|_| {
            angle += step;
            Turn::new(angle - step)
        });
        let values = turns.map(function);
        let mean = values.iter().sum::<f64>() * step / TAU;
        let mut harmonics = Self { mean, cos: [0.0; DEGREE], sin: [0.0; DEGREE], steepest: 0.0, noise: mean.abs() };
        let mut power = 0.0;
        for multiple in 1..=DEGREE {
            let (mut cos, mut sin) = (0.0, 0.0);
            for (index, value) in values.iter().enumerate() {
                let turn = turns[multiple * index % VALUES];
                (cos, sin) = (cos + value * turn.cos, sin + value * turn.sin);
            }
            (cos, sin) = (cos * 2.0 * step / TAU, sin * 2.0 * step / TAU);
            (harmonics.cos[multiple - 1], harmonics.sin[multiple - 1]) = (cos, sin);
            power += 1.0;
            harmonics.steepest += cos.hypot(sin) * f64::powi(power, ORDERS.into());
            harmonics.noise += cos.hypot(sin);
        }
        harmonics.noise *= VALUE_ROUNDING;
        harmonics
    }

    /// Value and derivatives at an angle.
    fn at<const COUNT: usize>(&self, angle: f64) -> [f64; COUNT] {
        let first = Turn::new(angle);
        let (mut turn, mut multiple) = (first, 1.0);
        let mut sums = [0.0; COUNT];
        sums[0] = self.mean;
        for (a, b) in self.cos.iter().zip(&self.sin) {
            let (mut even, mut odd) = (a * turn.cos + b * turn.sin, b * turn.cos - a * turn.sin);
            for sum in &mut sums {
                *sum += even;
                (even, odd) = (odd * multiple, -even * multiple);
            }
            turn = turn.and(first);
            multiple += 1.0;
        }
        sums
    }

    /// Calls `on_zero` with each angle \[rad\] at which the polynomial vanishes, or nearly touches zero. Returns
    /// false if its values are dominated by rounding somewhere.
    pub fn zeros(&self, on_zero: &mut dyn FnMut(f64)) -> bool {
        if !(self.noise > 0.0 && self.steepest.is_finite()) {
            return false;
        }
        let half = PI / f64::from(INTERVALS);
        let (mut last, mut seen) = (f64::NEG_INFINITY, true);
        for index in 0..INTERVALS {
            seen &= self.within(FIRST_ANGLE + (2.0 * f64::from(index) + 1.0) * half, half, 0, &mut |zero| {
                if (zero - last).abs() > SAME_ZERO {
                    on_zero(zero);
                }
                last = zero;
            });
        }
        seen
    }

    /// [`Self::zeros`] within `half` of `middle`.
    fn within(&self, middle: f64, half: f64, halved: u8, on_zero: &mut dyn FnMut(f64)) -> bool {
        let derivatives: [f64; ORDERS as usize] = self.at(middle);
        let keeps_sign = |order: usize| self.keeps_sign(&derivatives[order..], half);
        let (lower, upper) = (middle - half, middle + half);
        let in_noise = derivatives[0].abs() <= self.noise;
        if !in_noise && keeps_sign(0) {
            return true;
        }
        let clear = keeps_sign(1) || keeps_sign(2);
        let finer = if in_noise { halved < MAX_HALVINGS_IN_NOISE } else { halved < MAX_HALVINGS && !clear };
        if finer {
            let before = self.within(middle - 0.5 * half, 0.5 * half, halved + 1, on_zero);
            return self.within(middle + 0.5 * half, 0.5 * half, halved + 1, on_zero) && before;
        }
        if in_noise || !clear {
            // Its structure below the error is unknown.
            let multiple_zero = self.multiple_zero(middle);
            on_zero(if (multiple_zero - middle).abs() <= half { multiple_zero } else { middle });
        }
        if keeps_sign(1) {
            self.crossing(lower, upper, on_zero);
        } else if clear {
            self.two(lower, upper, derivatives[2], on_zero);
        }
        !in_noise
    }

    /// True if the first of some derivatives keeps its sign within `half` of their place, by Taylor's theorem.
    fn keeps_sign(&self, derivatives: &[f64], half: f64) -> bool {
        let (mut bound, mut power, mut order) = (0.0, 1.0, 0.0);
        for derivative in derivatives[1..].iter().chain([&self.steepest]) {
            order += 1.0;
            power *= half / order;
            bound += power * derivative.abs();
        }
        derivatives[0].abs() > bound
    }

    /// Zeros between two angles where the curvature keeps its sign.
    fn two(&self, lower: f64, upper: f64, bend: f64, on_zero: &mut dyn FnMut(f64)) {
        let slope = |angle: f64| self.at::<2>(angle)[1];
        if slope(lower) * bend >= 0.0 || slope(upper) * bend <= 0.0 {
            self.crossing(lower, upper, on_zero);
            return;
        }
        let extremum = self.zero(1, lower, upper);
        let [value] = self.at(extremum);
        if value * bend <= 0.0 {
            self.crossing(lower, extremum, on_zero);
            self.crossing(extremum, upper, on_zero);
        } else if (2.0 * value / bend).sqrt() < MAX_IMAGINARY_PART {
            on_zero(extremum);
        }
    }

    /// The zero between two angles where the function is monotonic.
    fn crossing(&self, lower: f64, upper: f64, on_zero: &mut dyn FnMut(f64)) {
        let ([before], [after]) = (self.at(lower), self.at(upper));
        if before * after <= 0.0 {
            on_zero(self.zero(0, lower, upper));
        }
    }

    /// Zero of the value or slope that changes sign once between two angles: by Newton steps, with bisection as the
    /// fallback.
    fn zero(&self, order: usize, mut lower: f64, mut upper: f64) -> f64 {
        let rising = self.at::<2>(upper)[order] > 0.0;
        let mut angle = 0.5 * (lower + upper);
        for _ in 0..MAX_ROUNDS {
            let derivatives: [f64; 3] = self.at(angle);
            if (derivatives[order] > 0.0) == rising {
                upper = angle;
            } else {
                lower = angle;
            }
            let newton = angle - derivatives[order] / derivatives[order + 1];
            let next = if newton > lower && newton < upper { newton } else { 0.5 * (lower + upper) };
            if (next - angle).abs() <= LAST_STEP {
                return next;
            }
            angle = next;
        }
        angle
    }

    /// Place of a fourfold zero near `near`: more accurate from the third derivative than from the values.
    fn multiple_zero(&self, near: f64) -> f64 {
        let mut angle = near;
        for _ in 0..MULTIPLE_ZERO_STEPS {
            let [.., third, fourth] = self.at::<5>(angle);
            angle -= third / fourth;
        }
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use urdf_ik_mathematics::pseudorandom::fraction;

    fn zeros(harmonics: &Harmonics) -> Vec<f64> {
        let mut found = Vec::new();
        harmonics.zeros(&mut |zero| found.push(zero));
        found
    }

    #[test]
    fn every_change_of_sign_is_a_zero() {
        let mut most = 0;
        for number in 0..300 {
            let coefficient = |index| 2.0 * fraction(number, index) - 1.0;
            let function = |turn: Turn| {
                let (mut sum, mut power) = (coefficient(0), Turn::ZERO);
                for multiple in 1..=DEGREE {
                    power = power.and(turn);
                    sum += coefficient(2 * multiple) * power.cos + coefficient(2 * multiple + 1) * power.sin;
                }
                sum
            };
            let found = zeros(&Harmonics::of(function));
            let at = |step: i32| function(Turn::new(f64::from(step) * TAU / 5000.0));
            let changes = (0..5000).filter(|step| at(*step) * at(step + 1) < 0.0).count();
            let touches = found.iter().filter(|zero| function(Turn::new(**zero)).abs() > 1e-7).count();
            assert_eq!(found.len() - touches, changes, "{number}: {found:?}");
            most = most.max(changes);
        }
        assert!(most >= 16, "{most}");
    }

    #[test]
    fn zeros_that_have_come_together_are_found() {
        for number in 0..200 {
            let place = TAU * fraction(number, 0);
            let place = if number % 4 == 0 { (place * 2.0 / PI).round() * PI / 2.0 } else { place };
            let from = |turn: Turn, zero: f64| 1.0 - turn.and(Turn::new(-zero)).cos;
            for power in 1..=2 {
                let function = |turn: Turn| {
                    from(turn, place).powi(power) * (1.2 + turn.and(turn).sin) * (from(turn, place + 2.0) + 1e-3)
                };
                let found = zeros(&Harmonics::of(function));
                let near = found.iter().map(|zero| from(Turn::new(*zero), place)).fold(f64::INFINITY, f64::min);
                assert!(near < 1e-7, "{number} {power}: {place} in {found:?}");
                assert!(found.len() < 8, "{found:?}");
            }
        }
    }

    #[test]
    fn nothing_and_a_constant_end() {
        assert!(zeros(&Harmonics::of(|_| 1.0)).is_empty());
        assert!(zeros(&Harmonics::of(|_| 0.0)).is_empty());
        assert!(zeros(&Harmonics::of(|_| f64::NAN)).is_empty());
    }
}
