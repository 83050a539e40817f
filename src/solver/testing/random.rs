//! Pseudorandom numbers for tests, the same each time.

use std::f64::consts::PI;

use nalgebra::Vector3;

use crate::robot::{Chain, Domain};

/// A sequence of pseudorandom numbers.
pub struct Random(oorandom::Rand64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(oorandom::Rand64::new(seed.into()))
    }

    /// A number from `lower` to below `upper`.
    pub fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + self.0.rand_float() * (upper - lower)
    }

    /// A whole number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.rand_range(0..end as u64)).unwrap()
    }

    /// Whether something happens that happens once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A vector in a cube of twice that size.
    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    /// Positions inside the limits; of joints without limits within half a turn.
    pub fn positions(&mut self, chain: &Chain) -> Vec<f64> {
        let one = |random: &mut Self, domain: &Domain| match *domain {
            Domain::Interval { lower, upper } => random.between(lower, upper),
            Domain::Circle => random.between(-PI, PI),
        };
        chain.variables().iter().map(|variable| one(self, &variable.domain)).collect()
    }
}
