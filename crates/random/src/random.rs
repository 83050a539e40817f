//! Pseudorandom numbers for tests, the same in each run.

use std::f64::consts::PI;

use nalgebra::Vector3;

use urdf_ik_robot::{Chain, Domain};

/// A sequence of pseudorandom numbers.
pub struct Random(oorandom::Rand64);

impl Random {
    /// The sequence that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(oorandom::Rand64::new(seed.into()))
    }

    /// A number from `lower` to below `upper`.
    pub fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + self.0.rand_float() * (upper - lower)
    }

    /// An integer from 0 to below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.rand_range(0..end as u64)).unwrap()
    }

    /// True once in `times` draws on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A vector with entries from `-size` to `size`.
    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    /// A unit vector.
    pub fn direction(&mut self) -> Vector3<f64> {
        self.vector(1.0).normalize()
    }

    /// Positions inside the limits; joints without limits are within half a turn of zero.
    pub fn positions(&mut self, chain: &Chain) -> Vec<f64> {
        let one = |random: &mut Self, domain: &Domain| match *domain {
            Domain::Interval { lower, upper } => random.between(lower, upper),
            Domain::Circle => random.between(-PI, PI),
        };
        chain.variables().iter().map(|variable| one(self, &variable.domain)).collect()
    }
}
