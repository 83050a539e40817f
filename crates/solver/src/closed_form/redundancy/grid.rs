//! The sweep of an arm with a [spherical wrist](super::spherical_wrist) by its outermost joint: the minima of
//! the cost on a grid.
//!
//! A position of the outermost joint that is farther from the seed than the best sample cannot be better: the grid is
//! evaluated from the seed outwards. Limits that are exceeded count as a move of several times as much, so that a
//! narrow interval between limits is a minimum of the grid.

use std::f32::consts::{FRAC_PI_2, TAU};

use fearless_simd::prelude::*;
use fearless_simd::{Simd, dispatch, f32x8};

use super::branches::{BranchSampler, Curve, MAX_CURVES, SHOULDERS, WRISTS};
use super::descent::Descent;
use super::lanes32::{LANES, single};
use super::spherical_wrist::SphericalWristArm;
use crate::closed_form::candidates::{Candidate, Candidates};
use crate::search::SearchScratch;

/// Samples around a curve. With fewer, narrow loops of the self-motion are missed.
const SAMPLES: usize = 80;
/// Blocks of samples that are evaluated at once.
const BLOCKS: usize = SAMPLES / LANES;
/// Distance of two samples \[rad\].
#[expect(clippy::cast_precision_loss, reason = "a grid is small")]
const SPACING: f32 = TAU / SAMPLES as f32;
/// Most by which a configuration of a block is better than the block's bound at the samples \[rad\].
const BOUND_ERROR: f32 = 0.02;
/// Most by which a configuration next to a sample is better than the sample promises \[rad\]: limits make the cost
/// steep.
const GRID_ERROR: f32 = 0.3;
/// Least gain by a second sweep \[rad\].
const MIN_GAIN: f64 = 0.1;

/// Eight samples of a curve.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    /// Least cost of the outermost joint and the elbow \[rad\].
    bound: f32,
    curve: usize,
    index: usize,
}

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
    costs: [[[f32; SAMPLES]; SHOULDERS * WRISTS]; MAX_CURVES],
    best: f32,
}

/// Descends from the minima of a sweep to the least largest joint move, and replaces `best` if that is smaller.
pub(super) fn least(
    arm: &SphericalWristArm,
    descent: &Descent,
    best: &mut Option<Candidate>,
    scratch: &mut SearchScratch,
) {
    let pose = descent.posed.problem.targets[0].pose;
    let pose = if arm.reversed { pose.inverse() } else { pose };
    let ranges = if arm.reversed { descent.ranges.reversed() } else { descent.ranges };
    let sampler = BranchSampler { arm, goal: arm.wrist_goal(&pose), ranges };
    let mut known = None;
    for _ in 0..2 {
        let mut starts = Candidates::default();
        let level = descent.posed.search.kernel.level;
        let promised = dispatch!(level, simd => sampler.sweep(simd, known, &mut starts));
        descent.descend_from(&starts, best, scratch);
        let found = best.map_or(f64::INFINITY, |best| best.cost);
        if found <= f64::from(promised) + MIN_GAIN {
            break;
        }
        // The best sample was beyond limits, and led nowhere: samples that it pruned count again.
        known = Some(single(found));
    }
}

impl BranchSampler<'_> {
    /// Adds the refined minima of the grid to `starts`, and returns the lowest cost that the grid promises \[rad\].
    /// Without `known`, samples are pruned by that; with it, by this largest move of a known configuration.
    #[inline(always)]
    fn sweep<S: Simd>(&self, simd: S, known: Option<f32>, starts: &mut Candidates) -> f32 {
        let mut grid = Grid {
            curves: Curve::all(self.arm, &self.goal),
            costs: [[[f32::INFINITY; SAMPLES]; SHOULDERS * WRISTS]; MAX_CURVES],
            best: known.unwrap_or(f32::INFINITY),
        };
        let (mut blocks, mut count) = ([Block::default(); MAX_CURVES * BLOCKS], 0);
        for (number, curve) in grid.curves.iter().enumerate() {
            let Some(curve) = curve else { continue };
            for index in 0..if curve.is_half() { BLOCKS / 2 } else { BLOCKS } {
                let bound = self.samples(curve, parameters(simd, index)).cost.reduce_min();
                blocks[count] = Block { bound, curve: number, index };
                count += 1;
            }
        }
        let blocks = &mut blocks[..count];
        blocks.sort_unstable_by(|a, b| a.bound.total_cmp(&b.bound));
        let mut evaluated = 0;
        while let Some(block) = blocks.get(evaluated).filter(|block| block.bound <= grid.best + BOUND_ERROR) {
            self.evaluate(simd, block, known.is_some(), &mut grid);
            evaluated += 1;
        }
        for sample in grid.minima(&blocks[..evaluated]).as_slice() {
            self.refine(simd, &grid.curves, &sample.at, starts);
        }
        grid.best
    }

    /// Evaluates the branches at the samples of a block that may be near the best configuration.
    #[inline(always)]
    fn evaluate<S: Simd>(&self, simd: S, block: &Block, is_known: bool, grid: &mut Grid) {
        let Some(curve) = &grid.curves[block.curve] else { return };
        let samples = self.samples(curve, parameters(simd, block.index));
        for (number, shoulder) in self.shoulders(&samples).iter().enumerate() {
            if shoulder.cost.reduce_min() > grid.best + GRID_ERROR {
                continue;
            }
            for (wrist, branch) in self.wrists(&samples, shoulder).iter().enumerate() {
                let costs = &mut grid.costs[block.curve][WRISTS * number + wrist];
                branch.cost.store_slice(&mut costs[block.index * LANES..][..LANES]);
                if !is_known {
                    grid.best = grid.best.min(branch.cost.reduce_min());
                }
            }
        }
    }

    /// Adds the best of eight samples of a branch next to a minimum of the grid.
    #[inline(always)]
    fn refine<S: Simd>(&self, simd: S, curves: &[Option<Curve>; MAX_CURVES], at: &Sample, starts: &mut Candidates) {
        let Some(curve) = &curves[at.curve] else { return };
        let offsets = f32x8::from_slice(simd, &[-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]);
        let samples = self.samples(curve, offsets * (SPACING / 4.0) + at.parameter);
        let shoulder = self.shoulders(&samples)[at.branch / WRISTS];
        let [one, flipped] = self.wrists(&samples, &shoulder);
        let branch = if at.branch.is_multiple_of(WRISTS) { one } else { flipped };
        let costs = *branch.cost;
        let best = (1..LANES).fold(0, |best, lane| if costs[lane] < costs[best] { lane } else { best });
        let configuration = branch.positions.map(|lanes| f64::from(lanes[best]));
        let mut moves = self.ranges.moves(&configuration);
        if self.arm.reversed {
            moves.reverse();
        }
        let cost = |lane: usize| costs.get(lane).copied().unwrap_or(costs[best]);
        starts.insert(f64::from(promised([cost(best.wrapping_sub(1)), costs[best], cost(best + 1)])), moves);
    }
}

impl Grid {
    /// The minima at the samples of `blocks` that may lead to the best configuration.
    fn minima(&self, blocks: &[Block]) -> Candidates<Sample> {
        let mut minima = Candidates::default();
        for block in blocks {
            for (branch, costs) in self.costs[block.curve].iter().enumerate() {
                for index in block.index * LANES..(block.index + 1) * LANES {
                    let cost = costs[index];
                    let (before, after) = (costs[(index + SAMPLES - 1) % SAMPLES], costs[(index + 1) % SAMPLES]);
                    let least = promised([before, cost, after]).max(cost - GRID_ERROR);
                    if cost <= before && cost < after && least <= self.best + GRID_ERROR {
                        let sample = Sample { curve: block.curve, branch, parameter: parameter(index) };
                        minima.insert(f64::from(cost), sample);
                    }
                }
            }
        }
        minima
    }
}

/// The least cost between a sample and its neighbours if the cost is straight up to the minimum.
fn promised([before, cost, after]: [f32; 3]) -> f32 {
    2.0 * cost - before.max(after)
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
