//! Pseudorandom numbers for tests and benches: the same on every machine.

#![allow(clippy::expect_used, reason = "a seed that is no number must not be taken for another one")]

use std::collections::VecDeque;
use std::f64::consts::PI;

use nalgebra::{UnitQuaternion, Vector3};
use oorandom::Rand64;

use urdf_ik_robot::{Chain, Domain, Robot};

/// A sequence of pseudorandom numbers.
pub struct Random {
    /// Numbers of a fuzzer that come first, each of two bytes.
    chosen: VecDeque<[u8; 2]>,
    drawn: Rand64,
}

impl Random {
    /// The sequence of `seed`. Each value of the environment variable `SEED_OFFSET` selects another sequence.
    pub fn new(seed: u64) -> Self {
        let offset: u64 =
            std::env::var("SEED_OFFSET").map_or(0, |offset| offset.parse().expect("SEED_OFFSET is a whole number"));
        let drawn = Rand64::new(u128::from(seed) + (u128::from(offset) << 64));
        Self { chosen: VecDeque::new(), drawn }
    }

    /// A sequence for a fuzzer: its first numbers come from `bytes`, two for each number, and the others from a seed
    /// that all bytes determine.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (pairs, _) = bytes.as_chunks::<2>();
        let seed =
            bytes.iter().fold(0_u128, |sum, byte| sum.wrapping_mul(0x0100_0000_01b3).wrapping_add((*byte).into()));
        Self { chosen: pairs.iter().copied().collect(), drawn: Rand64::new(seed) }
    }

    /// The next number of the fuzzer.
    fn chosen(&mut self) -> Option<u16> {
        self.chosen.pop_front().map(u16::from_le_bytes)
    }

    /// A number in \[0, 1).
    pub fn unit(&mut self) -> f64 {
        self.chosen().map_or_else(|| self.drawn.rand_float(), |number| f64::from(number) / 65_536.0)
    }

    /// A number from `lower` to below `upper`.
    pub fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + self.unit() * (upper - lower)
    }

    /// An index from 0 to below `end`, which is at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        if let Some(number) = self.chosen() {
            return usize::from(number) % end;
        }
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        usize::try_from(self.drawn.rand_range(0..end)).unwrap_or(usize::MAX)
    }

    /// True once in `times` draws on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A vector with entries from `-size` to `size`, in the unit of `size`.
    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    /// A unit vector in nearly any direction, not uniformly distributed.
    pub fn direction(&mut self) -> Vector3<f64> {
        let turn = UnitQuaternion::from_euler_angles(0.0, self.between(-1.5, 1.5), self.between(-3.1, 3.1));
        turn * Vector3::x()
    }

    /// Positions \[rad or m\], one per variable of `chain`, uniform inside their working ranges.
    pub fn positions(&mut self, chain: &Chain) -> Vec<f64> {
        chain.variables().iter().map(|variable| self.inside(&variable.working_range)).collect()
    }

    /// Positions \[rad or m\], one per joint of `robot`, uniform inside their working ranges. Mimic joints follow their
    /// rules.
    pub fn robot_positions(&mut self, robot: &Robot) -> Vec<f64> {
        let mut positions: Vec<f64> =
            (0..robot.joints().len()).map(|joint| self.inside(&robot.working_range(joint))).collect();
        robot.apply_mimic(&mut positions);
        positions
    }

    fn inside(&mut self, domain: &Domain) -> f64 {
        match *domain {
            Domain::Interval { lower, upper } => self.between(lower, upper),
            Domain::Circle => self.between(-PI, PI),
        }
    }
}
