//! Twists of a human hand: smooth random motion, and tremor.

use std::f64::consts::TAU;

use nalgebra::Vector6;

use super::Random;

/// Corner frequencies of the motion and of the tremor \[Hz\].
const MOTION: f64 = 0.6;
const TREMOR: f64 = 8.0;
/// Root mean square of each linear \[m/s\] and angular \[rad/s\] axis.
const LINEAR: f64 = 0.08;
const ANGULAR: f64 = 0.35;
/// Time in which the motion forgets its start at rest \[s\].
const WARM_UP: f64 = 3.0;

/// A low-pass filter of the first order.
struct LowPass {
    /// Fraction of the difference that is made up for in a period.
    share: f64,
    state: Vector6<f64>,
}

impl LowPass {
    fn new(frequency: f64, period: f64) -> Self {
        Self { share: TAU * frequency * period, state: Vector6::zeros() }
    }

    fn next(&mut self, input: &Vector6<f64>) -> Vector6<f64> {
        self.state += self.share * (input - self.state);
        self.state
    }
}

/// Smooth random twists of constant variance.
pub struct Hand {
    filters: [LowPass; 2],
    scale: Vector6<f64>,
}

impl Hand {
    /// At rest, with a twist every `period` \[s\].
    pub fn new(period: f64) -> Self {
        let filters = [(); 2].map(|()| LowPass::new(MOTION, period));
        // Variance of white noise after both filters: a quarter of their share.
        let scale = rms() / (0.25 * filters[0].share).sqrt();
        Self { filters, scale }
    }

    /// The next twist \[m/s, rad/s\].
    pub fn next(&mut self, random: &mut Random) -> Vector6<f64> {
        let white = normal(random);
        let smooth = self.filters.iter_mut().fold(white, |signal, filter| filter.next(&signal));
        smooth.component_mul(&self.scale)
    }
}

/// Tremor of unit variance on each axis.
pub struct Tremor(LowPass);

impl Tremor {
    /// At rest, with a value every `period` \[s\].
    pub fn new(period: f64) -> Self {
        Self(LowPass::new(TREMOR, period))
    }

    pub fn next(&mut self, random: &mut Random) -> Vector6<f64> {
        self.0.next(&(normal(random) / (0.5 * self.0.share).sqrt()))
    }
}

/// So many twists of a hand in motion, whose axes have the same root mean square in every sequence.
pub fn hand_sequence(random: &mut Random, period: f64, count: usize) -> Vec<Vector6<f64>> {
    let mut hand = Hand::new(period);
    let mut twists = Vec::new();
    let mut elapsed = 0.0;
    while elapsed < WARM_UP {
        twists.push(hand.next(random));
        elapsed += period;
    }
    twists.extend((0..count).map(|_| hand.next(random)));
    let axes = nalgebra::Matrix6xX::from_columns(&twists);
    let scale = rms().component_div(&axes.column_variance().map(f64::sqrt));
    twists[twists.len() - count..].iter().map(|twist| twist.component_mul(&scale)).collect()
}

/// Six numbers of the standard normal distribution (Box and Muller 1958, "A note on the generation of random normal
/// deviates").
pub fn normal(random: &mut Random) -> Vector6<f64> {
    Vector6::from_fn(|_, _| (-2.0 * (1.0 - random.unit()).ln()).sqrt() * (TAU * random.unit()).cos())
}

fn rms() -> Vector6<f64> {
    Vector6::new(LINEAR, LINEAR, LINEAR, ANGULAR, ANGULAR, ANGULAR)
}
