//! Periodic functions of one turn, and where they vanish.

use std::f64::consts::{PI, TAU};

/// Highest multiple of the turn.
pub(super) const DEGREE: usize = 12;
/// Values that such a function is known by.
pub(super) const SAMPLES: usize = 2 * DEGREE + 1;
/// Derivatives that the function is followed by from the middle of an interval, itself among them.
const ORDERS: usize = 8;
/// Intervals in which zeros are looked for, and how often one is halved at most.
const INTERVALS: usize = 40;
const HALVINGS: usize = 14;
/// Where the intervals begin \[rad\]: arms like to stand at right angles.
const OFF: f64 = 0.123_456;
/// How far from the real numbers \[rad\] a pair of zeros may lie and count as one at the extremum between: a double zero may come apart
/// by the root of rounding, and by more where others are next to it.
const TOUCH: f64 = 0.03;
/// Of the size of the function, what its values may be wrong by; and the halvings after which an interval where it is no larger than
/// that counts as a zero: several have come together there.
const ROUNDING: f64 = 5e-14;
const DROWNED: usize = 5;
/// Steps towards a zero or an extremum.
const ROUNDS: usize = 50;
const HEART_STEPS: usize = 4;
/// Zeros that are no farther apart \[rad\] are one.
const SAME: f64 = 1e-7;
const STILL: f64 = 1e-14;

/// A sum of cosines and sines of multiples of a turn.
#[derive(Debug, Clone)]
pub(super) struct Harmonics {
    mean: f64,
    cos: [f64; DEGREE],
    sin: [f64; DEGREE],
    /// What the first derivative that is not among [`ORDERS`] never exceeds.
    steepest: f64,
    /// Rounding in its values.
    noise: f64,
}

impl Harmonics {
    /// The function with these values at equal steps of the turn, beginning at zero.
    pub fn new(values: &[f64; SAMPLES]) -> Self {
        let count = SAMPLES as f64;
        let mean = values.iter().sum::<f64>() / count;
        let mut harmonics = Self { mean, cos: [0.0; DEGREE], sin: [0.0; DEGREE], steepest: 0.0, noise: mean.abs() };
        let waves: [(f64, f64); SAMPLES] = std::array::from_fn(|index| step(index).sin_cos());
        for multiple in 1..=DEGREE {
            let (mut cos, mut sin) = (0.0, 0.0);
            for (index, value) in values.iter().enumerate() {
                let (s, c) = waves[multiple * index % SAMPLES];
                cos += value * c;
                sin += value * s;
            }
            (harmonics.cos[multiple - 1], harmonics.sin[multiple - 1]) = (cos * 2.0 / count, sin * 2.0 / count);
            let amplitude = cos.hypot(sin) * 2.0 / count;
            harmonics.steepest += amplitude * (multiple as f64).powi(ORDERS as i32);
            harmonics.noise += amplitude;
        }
        harmonics.noise *= ROUNDING;
        harmonics
    }

    /// The function and its derivatives at an angle.
    fn at<const COUNT: usize>(&self, angle: f64) -> [f64; COUNT] {
        let (sin, cos) = angle.sin_cos();
        let (mut c, mut s) = (cos, sin);
        let mut sums = [0.0; COUNT];
        sums[0] = self.mean;
        let mut multiple = 1.0;
        for (a, b) in self.cos.iter().zip(&self.sin) {
            let (mut even, mut odd) = (a * c + b * s, b * c - a * s);
            for sum in &mut sums {
                *sum += even;
                (even, odd) = (odd * multiple, -even * multiple);
            }
            (c, s) = (c * cos - s * sin, s * cos + c * sin);
            multiple += 1.0;
        }
        sums
    }

    /// Hands over the angles \[rad\] at which it vanishes, or touches zero all but exactly.
    pub fn zeros(&self, on_zero: &mut dyn FnMut(f64)) {
        let half = PI / INTERVALS as f64;
        let mut last = f64::NEG_INFINITY;
        for index in 0..INTERVALS {
            self.within(OFF + (2 * index + 1) as f64 * half, half, 0, &mut |zero| {
                if zero - last > SAME {
                    on_zero(zero);
                }
                last = zero;
            });
        }
    }

    /// The same within `half` of `middle`.
    fn within(&self, middle: f64, half: f64, halved: usize, on_zero: &mut dyn FnMut(f64)) {
        let derivatives: [f64; ORDERS] = self.at(middle);
        // By Taylor's theorem: the derivative of that order keeps its sign.
        let keeps = |order: usize| {
            let (mut bound, mut power) = (0.0, 1.0);
            for index in order + 1..=ORDERS {
                power *= half / (index - order) as f64;
                bound += power * derivatives.get(index).map_or(self.steepest, |value| value.abs());
            }
            derivatives[order].abs() > bound
        };
        let (lower, upper) = (middle - half, middle + half);
        let drowned = derivatives[0].abs() <= self.noise;
        if !drowned && keeps(0) {
        } else if keeps(1) {
            self.crossing(lower, upper, on_zero);
        } else if keeps(2) {
            let bend = derivatives[2];
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
            } else if (2.0 * value / bend).sqrt() < TOUCH {
                on_zero(extremum);
            }
        } else if halved == HALVINGS || drowned && halved >= DROWNED {
            let heart = self.heart(middle);
            on_zero(if (heart - middle).abs() <= half { heart } else { middle });
        } else {
            self.within(middle - 0.5 * half, 0.5 * half, halved + 1, on_zero);
            self.within(middle + 0.5 * half, 0.5 * half, halved + 1, on_zero);
        }
    }

    /// Where four zeros have come together that are `near`: the third derivative tells it to more digits than the values do.
    fn heart(&self, near: f64) -> f64 {
        let mut angle = near;
        for _ in 0..HEART_STEPS {
            let [.., third, fourth] = self.at::<5>(angle);
            angle -= third / fourth;
        }
        angle
    }

    /// The zero between two angles where it changes sign.
    fn crossing(&self, lower: f64, upper: f64, on_zero: &mut dyn FnMut(f64)) {
        let ([before], [after]) = (self.at(lower), self.at(upper));
        if before * after <= 0.0 {
            on_zero(self.zero(0, lower, upper));
        }
    }

    /// Where a derivative vanishes that changes sign once between two angles: Newton steps, or halves where these lead out.
    fn zero(&self, order: usize, mut lower: f64, mut upper: f64) -> f64 {
        let rising = self.at::<2>(upper)[order] > 0.0;
        let mut angle = 0.5 * (lower + upper);
        for _ in 0..ROUNDS {
            let derivatives: [f64; 3] = self.at(angle);
            if (derivatives[order] > 0.0) == rising {
                upper = angle;
            } else {
                lower = angle;
            }
            let newton = angle - derivatives[order] / derivatives[order + 1];
            let next = if newton > lower && newton < upper { newton } else { 0.5 * (lower + upper) };
            if (next - angle).abs() <= STILL {
                return next;
            }
            angle = next;
        }
        angle
    }
}

/// The angle of a sample \[rad\].
pub(super) fn step(index: usize) -> f64 {
    TAU * index as f64 / SAMPLES as f64
}
