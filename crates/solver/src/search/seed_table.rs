//! Starting points other than the seed: a table of configurations spread over the joint limits, with the
//! poses of their tips.

use std::slice::ChunksExact;

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8};

use super::aimed_targets::AimedTarget;
use crate::Target;
use urdf_ik_goals::{Goal, Joints};
use urdf_ik_mathematics::lanes::{add, dot, scale, single, subtract};
use urdf_ik_mathematics::pseudorandom;
use urdf_ik_robot::{Chain, ChainPoses, Domain};

/// Number of configurations in the table.
const TABLE_SIZE: usize = 256;
/// Number of table entries tried for one problem, nearest first.
const TRIED_FROM_TABLE: usize = 16;
/// Largest number of variables that each use their whole range; more would crumple the arm.
const FULL_RANGE_VARIABLES: usize = 8;
/// Numbers that describe a pose: three of the position, then those of the x, y and z axis.
const FEATURES: usize = 12;
/// Number of configurations ranked at once. Single precision suffices for a ranking.
const GROUP_SIZE: usize = 8;

/// One number per configuration of a group.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
struct EightLanes([f32; GROUP_SIZE]);

/// The starting points of a chain. Deterministic: equal chains have equal tables.
#[derive(Debug, Clone)]
pub struct SeedTable {
    /// Configurations, one after the other \[rad or m\].
    positions: Vec<f64>,
    /// The configurations in groups of eight, one group after the other, each variable by variable \[rad or m\].
    grouped: Vec<EightLanes>,
    /// For each tip, its poses in groups of configurations.
    poses: Vec<Vec<Poses>>,
    length_scale: f64,
    /// Irrational steps of the sequence, one per variable and one for [`range_fraction`].
    steps: Vec<f64>,
    /// Range of each variable over which the configurations are spread.
    domains: Vec<Domain>,
}

/// Poses of one tip at a group of configurations.
#[derive(Debug, Clone, Copy, Default)]
struct Poses {
    features: [EightLanes; FEATURES],
    /// Half the squared length of the position.
    half_square: EightLanes,
}

/// Distances of the table's configurations from the targets of one problem.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// Squared errors up to a factor and a constant; infinite for configurations already tried.
    costs: Vec<EightLanes>,
    /// Number of configurations tried.
    taken: usize,
}

impl Ranking {
    pub fn new() -> Self {
        Self { costs: vec![EightLanes::default(); TABLE_SIZE / GROUP_SIZE], taken: 0 }
    }

    /// Index of the `place`th nearest configuration, 1 for the nearest. Places must increase from call to call.
    fn take(&mut self, level: Level, place: usize) -> usize {
        let mut index = 0;
        while self.taken < place {
            index = dispatch!(level, simd => find_least(simd, &self.costs));
            self.costs[index / GROUP_SIZE].0[index % GROUP_SIZE] = f32::INFINITY;
            self.taken += 1;
        }
        index
    }
}

/// Index of the least number; 0 if there is none.
#[inline(always)]
fn find_least<S: Simd>(simd: S, numbers: &[EightLanes]) -> usize {
    let mut least = f32x8::splat(simd, f32::INFINITY);
    for group in numbers {
        least = least.min(f32x8::load_array(simd, group.0));
    }
    let least = f32x8::splat(simd, least.reduce_min());
    for (index, group) in numbers.iter().enumerate() {
        let found = f32x8::load_array(simd, group.0).simd_eq(least).to_bitmask();
        if found != 0 {
            return index * GROUP_SIZE + found.trailing_zeros() as usize;
        }
    }
    0
}

impl SeedTable {
    /// The seed table of `chain`, spread over `domains` \[rad or m\], one per variable. `length_scale` \[m\] counts as
    /// one radian.
    pub fn new(chain: &Chain, domains: Vec<Domain>, length_scale: f64) -> Self {
        let steps = square_roots_of_primes(domains.len() + 1);
        let positions = Vec::with_capacity(TABLE_SIZE * domains.len());
        let mut configuration = vec![0.0; domains.len()];
        let poses = vec![vec![Poses::default(); TABLE_SIZE / GROUP_SIZE]; chain.tips().len()];
        let grouped = vec![EightLanes::default(); TABLE_SIZE / GROUP_SIZE * domains.len()];
        let mut table = Self { positions, grouped, poses, length_scale, steps, domains };
        let mut at = ChainPoses::new(chain);
        for index in 0..TABLE_SIZE {
            table.sample(index, 0, &mut configuration);
            chain.forward_kinematics(&configuration, &mut at);
            table.positions.extend_from_slice(&configuration);
            let group = table.grouped.chunks_exact_mut(configuration.len()).nth(index / GROUP_SIZE);
            for (group, position) in group.into_iter().flatten().zip(&configuration) {
                group.0[index % GROUP_SIZE] = single(*position);
            }
            for (poses, pose) in table.poses.iter_mut().zip(at.tips()) {
                let Poses { features, half_square } = &mut poses[index / GROUP_SIZE];
                let rotation = pose.rotation.to_rotation_matrix();
                let position = pose.translation.vector / length_scale;
                for (feature, value) in features.iter_mut().zip(position.iter().chain(rotation.matrix())) {
                    feature.0[index % GROUP_SIZE] = single(*value);
                }
                half_square.0[index % GROUP_SIZE] = single(0.5 * position.norm_squared());
            }
        }
        table
    }

    /// Ranks the table for a problem, and writes the costs into `ranking`. The cost of a configuration is half the
    /// squared distance divided by the squared length scale, minus the cosines between corresponding axes (for small
    /// angles the squared angle, up to a constant), plus the squared violations of relations of joints.
    pub fn rank(
        &self,
        level: Level,
        targets: impl Iterator<Item = AimedTarget>,
        goals: &[Goal],
        ranking: &mut Ranking,
    ) {
        ranking.costs.fill(EightLanes::default());
        ranking.taken = 0;
        for AimedTarget { target, frame } in targets {
            let weights = self.weights(&target);
            let position = if target.free_axes[..3] == [true; 3] { 0.0 } else { single(target.weight) };
            let (poses, costs) = (&self.poses[target.tip], &mut ranking.costs);
            match frame.map(|frame| &self.poses[frame]) {
                None => dispatch!(level, simd => add_costs(simd, poses, &weights, position, costs)),
                Some(frames) => {
                    dispatch!(level, simd => add_relative_costs(simd, [poses, frames], &weights, position, costs));
                }
            }
        }
        for relation in goals.iter().filter_map(|goal| goal.kind().relation()) {
            let groups = self.grouped.chunks_exact(self.domains.len());
            dispatch!(level, simd => add_violations(simd, groups, relation, &mut ranking.costs));
        }
    }

    /// The target's features times their weights.
    fn weights(&self, target: &Target) -> [f32; FEATURES] {
        let mut weights = [0.0; FEATURES];
        if target.free_axes[..3] != [true; 3] {
            let position = target.pose.translation.vector / self.length_scale;
            weights[..3].copy_from_slice(position.as_slice());
        }
        let rotation = target.pose.rotation.to_rotation_matrix();
        // With one free rotation only its axis counts, with more none.
        let counted = match target.free_axes[3..] {
            [false, false, false] => [1.0; 3],
            [true, false, false] => [1.0, 0.0, 0.0],
            [false, true, false] => [0.0, 1.0, 0.0],
            [false, false, true] => [0.0, 0.0, 1.0],
            _ => [0.0; 3],
        };
        for (i, entry) in rotation.matrix().iter().enumerate() {
            weights[3 + i] = counted[i / 3] * entry;
        }
        weights.map(|weight| single(weight * target.weight))
    }

    /// Writes the start of attempt `attempt` (1 is the first after the seed) into `out` \[rad or m\], one entry per
    /// variable. Starts are the table's configurations nearest to the targets, then further samples of the sequence.
    #[inline]
    pub fn start(&self, level: Level, attempt: usize, random_seed: u64, ranking: &mut Ranking, out: &mut [f64]) {
        if attempt <= TRIED_FROM_TABLE {
            let index = ranking.take(level, attempt);
            out.copy_from_slice(&self.positions[index * out.len()..][..out.len()]);
        } else {
            self.sample(TABLE_SIZE + attempt, random_seed, out);
        }
    }

    /// Writes point `index` of the Richtmyer sequence into `out` \[rad or m\], one entry per variable. The sequence
    /// (multiples of square roots of primes, modulo 1) fills a box of any dimension evenly. The point is shifted by
    /// `random_seed` and scaled to the domains or to a [`range_fraction`] of them.
    pub fn sample(&self, index: usize, random_seed: u64, out: &mut [f64]) {
        #[expect(clippy::cast_precision_loss, reason = "indices stay far below 2^52")]
        let index = (index + 1) as f64;
        let place =
            |dimension: usize| (index * self.steps[dimension] + pseudorandom::shift(random_seed, dimension)).fract();
        let range_fraction = range_fraction(out.len(), place(out.len()));
        for (dimension, position) in out.iter_mut().enumerate() {
            *position = self.domains[dimension].at(0.5 + range_fraction * (place(dimension) - 0.5));
        }
    }
}

/// Adds the costs of one tip at all configurations.
#[inline(always)]
fn add_costs<S: Simd>(simd: S, poses: &[Poses], weights: &[f32; FEATURES], position: f32, costs: &mut [EightLanes]) {
    for (poses, cost) in poses.iter().zip(costs) {
        let mut sum = f32x8::load_array(simd, cost.0) + f32x8::load_array(simd, poses.half_square.0) * position;
        for (feature, weight) in poses.features.iter().zip(weights) {
            sum -= f32x8::load_array(simd, feature.0) * *weight;
        }
        sum.store_array(&mut cost.0);
    }
}

/// Adds the costs of one tip at all configurations, for a target in the frame of another one.
#[inline(always)]
fn add_relative_costs<S: Simd>(
    simd: S,
    [poses, frames]: [&[Poses]; 2],
    weights: &[f32; FEATURES],
    position: f32,
    costs: &mut [EightLanes],
) {
    for ((poses, frame), cost) in poses.iter().zip(frames).zip(costs) {
        let [mut parts, frame] = [vectors(simd, &poses.features), vectors(simd, &frame.features)];
        parts[0] = subtract(parts[0], frame[0]);
        let mut sum = f32x8::load_array(simd, cost.0) + dot(parts[0], parts[0]) * (0.5 * position);
        for (part, weights) in parts.iter().zip(weights.as_chunks().0) {
            let [x, y, z] = weights.map(|weight: f32| f32x8::splat(simd, weight));
            sum -= dot(*part, add(add(scale(frame[1], x), scale(frame[2], y)), scale(frame[3], z)));
        }
        sum.store_array(&mut cost.0);
    }
}

/// Position, x, y and z axis of poses.
#[inline(always)]
fn vectors<S: Simd>(simd: S, features: &[EightLanes; FEATURES]) -> [[f32x8<S>; 3]; 4] {
    let mut vectors = [[f32x8::splat(simd, 0.0); 3]; 4];
    for (entry, feature) in vectors.as_flattened_mut().iter_mut().zip(features) {
        *entry = f32x8::load_array(simd, feature.0);
    }
    vectors
}

/// Adds the squared violations of a relation of joints at all configurations.
#[inline(always)]
fn add_violations<S: Simd>(simd: S, groups: ChunksExact<EightLanes>, relation: &Joints, costs: &mut [EightLanes]) {
    let [lower, upper] = relation.bounds.map(|bound| f32x8::splat(simd, single(bound)));
    for (positions, cost) in groups.zip(costs) {
        let mut value = f32x8::splat(simd, 0.0);
        for (variable, factor) in &relation.coefficients {
            value += f32x8::load_array(simd, positions[*variable].0) * single(*factor);
        }
        let lack = value.max(lower).min(upper) - value;
        (f32x8::load_array(simd, cost.0) + lack * lack).store_array(&mut cost.0);
    }
}

/// The fraction of their ranges that so many variables use in a configuration, for `place` in \[0, 1).
///
/// Few variables use all of it. With random positions of many joints the tip stays near the base, like a random walk,
/// and cannot approach a distant target, so the fraction decreases geometrically until the whole arm is one curve.
fn range_fraction(variables: usize, place: f64) -> f64 {
    if variables <= FULL_RANGE_VARIABLES {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let least = FULL_RANGE_VARIABLES as f64 / variables as f64;
    least.powf(place)
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

#[cfg(test)]
mod tests;
