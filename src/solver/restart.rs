//! Where to start again: a table of postures spread over the joint limits, with the poses that they lead to.

use crate::robot::{Chain, ChainPoses, Domain};

use super::problem::Problem;
use super::task::Task;

/// Postures in the table. Between 128 and 1024 the number makes little difference.
const TABLE: usize = 256;
/// How many of them are tried for one problem, nearest first.
const NEAREST: usize = 16;

/// The starting points of a chain. Deterministic: the same chain has the same table.
#[derive(Debug, Clone)]
pub(super) struct SeedTable {
    /// Postures, one after the other.
    positions: Vec<f64>,
    /// What forward kinematics makes of each.
    poses: Vec<ChainPoses>,
    /// Irrational steps of the sequence, one for each variable.
    steps: Vec<f64>,
    /// What the postures are spread over, one for each variable.
    domains: Vec<Domain>,
}

/// The order in which the table is tried for one problem.
#[derive(Debug, Clone)]
pub(super) struct Ranking {
    nearest: Vec<(f64, usize)>,
    ready: bool,
}

impl Ranking {
    pub(super) fn new() -> Self {
        Self { nearest: Vec::with_capacity(NEAREST + 1), ready: false }
    }

    /// Forgets the last problem.
    pub(super) fn reset(&mut self) {
        self.ready = false;
    }
}

impl SeedTable {
    /// The table of `chain`, spread over `domains`, one for each variable.
    pub(super) fn new(chain: &Chain, domains: Vec<Domain>) -> Self {
        let steps = square_roots_of_primes(domains.len());
        let positions = Vec::with_capacity(TABLE * domains.len());
        let mut posture = vec![0.0; domains.len()];
        let mut table = Self { positions, poses: Vec::new(), steps, domains };
        for index in 0..TABLE {
            table.sample(index, 0, &mut posture);
            let mut poses = ChainPoses::new(chain);
            chain.forward_kinematics(&posture, &mut poses);
            table.positions.extend_from_slice(&posture);
            table.poses.push(poses);
        }
        table
    }

    /// Writes the starting point of attempt `attempt` (1 is the first after the seed) into `out`: the table's postures nearest
    /// to the targets, then further samples of the sequence.
    pub(super) fn start(
        &self,
        (task, problem): (Task, &Problem),
        (attempt, random_seed): (usize, u64),
        ranking: &mut Ranking,
        out: &mut [f64],
    ) {
        if !ranking.ready {
            self.rank(task, problem, ranking);
        }
        match ranking.nearest.get(attempt - 1) {
            Some(&(_, index)) => out.copy_from_slice(&self.positions[index * out.len()..][..out.len()]),
            None => self.sample(TABLE + attempt, random_seed, out),
        }
    }

    /// Keeps the [`NEAREST`] postures of the table, by the weighted squared error of their poses.
    fn rank(&self, task: Task, problem: &Problem, ranking: &mut Ranking) {
        ranking.nearest.clear();
        for (index, poses) in self.poses.iter().enumerate() {
            let error = task.squared_error(problem.targets, poses);
            let place = ranking.nearest.partition_point(|(other, _)| *other <= error);
            if place < NEAREST {
                ranking.nearest.truncate(NEAREST - 1);
                ranking.nearest.insert(place.min(ranking.nearest.len()), (error, index));
            }
        }
        ranking.ready = true;
    }

    /// Point `index` of the Richtmyer sequence (multiples of square roots of primes, modulo 1), which fills a box of any
    /// dimension evenly, stretched over the domains and shifted by `random_seed`.
    fn sample(&self, index: usize, random_seed: u64, out: &mut [f64]) {
        #[expect(clippy::cast_precision_loss, reason = "indices stay far below 2^52")]
        let index = (index + 1) as f64;
        for (dimension, position) in out.iter_mut().enumerate() {
            let shift = shift(random_seed, dimension);
            *position = self.domains[dimension].at((index * self.steps[dimension] + shift).fract());
        }
    }
}

/// A number in \[0, 1), by the finaliser of SplitMix64 (Steele, Lea, Flood 2014); 0 for seed 0.
fn shift(random_seed: u64, dimension: usize) -> f64 {
    if random_seed == 0 {
        return 0.0;
    }
    let mut z = random_seed.wrapping_add((dimension as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let bits = ((z ^ (z >> 31)) >> 11) as f64;
    bits * 2.0_f64.powi(-53)
}

fn square_roots_of_primes(count: usize) -> Vec<f64> {
    let mut primes: Vec<u32> = Vec::with_capacity(count);
    let mut candidate = 2;
    while primes.len() < count {
        if primes.iter().take_while(|prime| *prime * *prime <= candidate).all(|prime| candidate % prime != 0) {
            primes.push(candidate);
        }
        candidate += 1;
    }
    primes.into_iter().map(|prime| f64::from(prime).sqrt()).collect()
}
