//! The sweep of an arm with a [spherical wrist](super::spherical_wrist) by its outermost joint: the minima of
//! the cost on a grid.
//!
//! A position of the outermost joint that is farther from the seed than the best sample cannot be better: the grid is
//! evaluated from the seed outwards. Limits that are exceeded count as a move of several times as much, so that a
//! narrow interval between limits is a minimum of the grid.

use std::f32::consts::{FRAC_PI_2, TAU};

use fearless_simd::prelude::*;
use fearless_simd::{Simd, dispatch, f32x8};
use nalgebra::Isometry3;

use super::branches::{BRANCHES, Branch, BranchSampler, Curve, MAX_CURVES};
use super::candidates::Candidates;
use super::descent::Descent;
use super::lanes32::{LANES, single};
use super::spherical_wrist::SphericalWristArm;

/// Samples around a curve. With fewer, narrow loops of the self-motion are missed.
const SAMPLES: usize = 80;
/// Blocks of samples that are evaluated at once.
const BLOCKS: usize = SAMPLES / LANES;
/// Distance of two samples \[rad\].
#[expect(clippy::cast_precision_loss, reason = "a grid is small")]
const SPACING: f32 = TAU / SAMPLES as f32;
/// Most by which a configuration of a block is better than the block's bound at the samples \[rad\].
const BOUND_ERROR: f32 = 0.1;
/// Most by which a configuration next to a sample is better than the sample \[rad\]: limits make the cost steep.
const GRID_ERROR: f32 = 0.5;

/// A sample of one branch.
#[derive(Debug, Clone, Copy, Default)]
struct Sample {
    curve: usize,
    branch: usize,
    parameter: f32,
}

/// The costs of all branches at the samples \[rad\], infinite where they are not evaluated.
struct Grid {
    curves: [Option<Curve>; MAX_CURVES],
    costs: [[[f32; SAMPLES]; BRANCHES]; MAX_CURVES],
    best: f32,
}

/// The candidates of a sweep, by the largest joint move \[rad\], and the lowest cost that the grid promises. Without
/// `known`, samples are pruned by that; with it, by the largest move that a descent has reached.
pub(super) fn sweep(
    arm: &SphericalWristArm,
    pose: &Isometry3<f64>,
    descent: &Descent,
    known: Option<f64>,
) -> (Candidates, f64) {
    let pose = if arm.reversed { pose.inverse() } else { *pose };
    let ranges = if arm.reversed { descent.ranges.reversed() } else { descent.ranges };
    let sampler = BranchSampler { arm, goal: arm.wrist_goal(&pose), ranges };
    let (mut candidates, known) = (Candidates::none(), known.map(single));
    let best = dispatch!(descent.posed.search.kernel.level, simd => sampler.sweep(simd, known, &mut candidates));
    (candidates, f64::from(best))
}

impl BranchSampler<'_> {
    #[inline(always)]
    fn sweep<S: Simd>(&self, simd: S, known: Option<f32>, candidates: &mut Candidates) -> f32 {
        let grid = self.grid(simd, known);
        let minima = grid.minima();
        for sample in minima.as_slice() {
            let at = &sample.at;
            if let Some(curve) = &grid.curves[at.curve] {
                let offsets = f32x8::from_slice(simd, &[-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]);
                let samples = self.samples(curve, offsets * (SPACING / 4.0) + at.parameter);
                self.refine(&self.branches(&samples)[at.branch], candidates);
            }
        }
        grid.best
    }

    /// Adds the best of eight samples of a branch.
    #[inline(always)]
    fn refine<S: Simd>(&self, branch: &Branch<S>, candidates: &mut Candidates) {
        let costs = *branch.cost;
        let best = (1..LANES).fold(0, |best, lane| if costs[lane] < costs[best] { lane } else { best });
        let mut configuration = branch.positions.map(|lanes| f64::from(lanes[best]));
        if self.arm.reversed {
            configuration.reverse();
        }
        candidates.insert(f64::from(costs[best]), configuration);
    }

    /// Evaluates the branches, the block with the lowest bound first.
    #[inline(always)]
    fn grid<S: Simd>(&self, simd: S, known: Option<f32>) -> Grid {
        let mut grid = Grid {
            curves: Curve::all(self.arm, &self.goal),
            costs: [[[f32::INFINITY; SAMPLES]; BRANCHES]; MAX_CURVES],
            best: known.unwrap_or(f32::INFINITY),
        };
        let (mut blocks, mut count) = ([(0.0, 0, 0); MAX_CURVES * BLOCKS], 0);
        for (index, curve) in grid.curves.iter().enumerate() {
            let Some(curve) = curve else { continue };
            for block in 0..if curve.is_half() { BLOCKS / 2 } else { BLOCKS } {
                blocks[count] = (self.samples(curve, parameters(simd, block)).cost.reduce_min(), index, block);
                count += 1;
            }
        }
        blocks[..count].sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (bound, index, block) in &blocks[..count] {
            if *bound > grid.best + BOUND_ERROR {
                break;
            }
            let Some(curve) = &grid.curves[*index] else { continue };
            let branches = self.branches(&self.samples(curve, parameters(simd, *block)));
            for (branch, costs) in branches.iter().zip(&mut grid.costs[*index]) {
                branch.cost.store_slice(&mut costs[block * LANES..][..LANES]);
                if known.is_none() {
                    grid.best = grid.best.min(branch.cost.reduce_min());
                }
            }
        }
        grid
    }
}

impl Grid {
    /// The minima that may lead to the best configuration.
    fn minima(&self) -> Candidates<Sample> {
        let mut minima = Candidates::none();
        for (curve, branches) in self.costs.iter().enumerate() {
            for (branch, costs) in branches.iter().enumerate() {
                for (index, cost) in costs.iter().enumerate().filter(|(_, cost)| **cost <= self.best + GRID_ERROR) {
                    let (before, after) = (costs[(index + SAMPLES - 1) % SAMPLES], costs[(index + 1) % SAMPLES]);
                    if *cost <= before && *cost < after {
                        minima.insert(f64::from(*cost), Sample { curve, branch, parameter: parameter(index) });
                    }
                }
            }
        }
        minima
    }
}

/// The parameter of a sample.
#[expect(clippy::cast_precision_loss, reason = "a grid is small")]
fn parameter(index: usize) -> f32 {
    index as f32 * SPACING - FRAC_PI_2
}

/// The parameters of a block.
#[inline(always)]
fn parameters<S: Simd>(simd: S, block: usize) -> f32x8<S> {
    f32x8::from_slice(simd, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]) * SPACING + parameter(block * LANES)
}
