//! Damped least squares inside bounds, for four configurations at once.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::configurations::Configurations;
use super::dimension::Dimension;
use super::lanes::Lanes;
use super::normal_equations::StepScratch;

/// Added to the damping so that the normal matrix stays positive definite where rows or columns are zero or dependent.
const LEAST_DAMPING: f64 = 1e-13;

/// Bounds of the variables, the same for every posture.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    pub lower: &'a [f64],
    pub upper: &'a [f64],
}

/// Writes into `scratch.step` the steps that minimise |columns · step - rows|² + damping |step|² with every variable inside its
/// bounds, as found by an active set: those that would leave theirs are stopped at them, what their motion does to the task is
/// taken off the rows, and the others are solved for again. Uses up the columns and rows of `batch`.
#[inline(always)]
pub fn bounded_step<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    (batch, scratch): (&mut Configurations, &mut StepScratch),
    bounds: Bounds,
    damping: &Lanes,
) {
    let n = dimension.variables();
    let damping = damping.load(simd) + LEAST_DAMPING;
    let mut first = true;
    // Each pass but the first stops one variable at least. The step stands here once, since it becomes part of the caller.
    loop {
        dimension.solve(simd, batch, scratch, damping);
        if first {
            if !leaves_bounds(simd, n, batch, scratch, bounds) {
                return;
            }
            scratch.fixed[..n].fill(Lanes::default());
            scratch.stopped[..n].fill(Lanes::default());
            first = false;
        }
        if !stop_at_bounds(simd, dimension, batch, scratch, bounds) {
            break;
        }
    }
    for (step, fixed) in scratch.step[..n].iter_mut().zip(&scratch.fixed) {
        let sum = step.load(simd) + fixed.load(simd);
        step.store(sum);
    }
}

/// Takes the steps, each as often as `moving` says, and not beyond the bounds.
#[inline(always)]
pub fn advance<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    batch: &mut Configurations,
    step: &[Lanes],
    bounds: Bounds,
    moving: &Lanes,
) {
    let n = dimension.variables();
    let moving = moving.load(simd);
    let (lower, upper) = (&bounds.lower[..n], &bounds.upper[..n]);
    for (i, (position, step)) in batch.positions[..n].iter_mut().zip(&step[..n]).enumerate() {
        let aim = position.load(simd) + step.load(simd) * moving;
        // The sum may miss a bound by rounding.
        position.store(aim.max(f64x4::splat(simd, lower[i])).min(f64x4::splat(simd, upper[i])));
    }
}

/// Whether any variable leaves its bounds.
#[inline(always)]
fn leaves_bounds<S: Simd>(simd: S, n: usize, batch: &Configurations, scratch: &StepScratch, bounds: Bounds) -> bool {
    let (positions, steps) = (&batch.positions[..n], &scratch.step[..n]);
    let (lower, upper) = (&bounds.lower[..n], &bounds.upper[..n]);
    let mut leaves = f64x4::splat(simd, 0.0).simd_ne(f64x4::splat(simd, 0.0));
    for i in 0..n {
        let aim = positions[i].load(simd) + steps[i].load(simd);
        leaves = leaves | aim.simd_lt(f64x4::splat(simd, lower[i])) | aim.simd_gt(f64x4::splat(simd, upper[i]));
    }
    leaves.any_true()
}

/// Stops the variables whose steps leave their bounds; tells whether there were any.
#[inline(always)]
fn stop_at_bounds<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    batch: &mut Configurations,
    scratch: &mut StepScratch,
    bounds: Bounds,
) -> bool {
    let n = dimension.variables();
    let mut any = false;
    for i in 0..n {
        let (position, step) = (batch.positions[i].load(simd), scratch.step[i].load(simd));
        let stopped = scratch.stopped[i].load(simd);
        let aim = position + step;
        let lower = f64x4::splat(simd, bounds.lower[i]);
        let upper = f64x4::splat(simd, bounds.upper[i]);
        let leaves = (aim.simd_lt(lower) | aim.simd_gt(upper)) & stopped.simd_eq(f64x4::splat(simd, 0.0));
        if leaves.any_true() {
            any = true;
            let bounded = aim.max(lower).min(upper) - position;
            stop(simd, dimension, (batch, scratch), i, leaves, bounded);
        }
    }
    any
}

/// Stops variable `i` after the step `bounded` in the postures `leaves`.
#[inline(always)]
fn stop<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    (batch, scratch): (&mut Configurations, &mut StepScratch),
    i: usize,
    leaves: fearless_simd::mask64x4<S>,
    bounded: f64x4<S>,
) {
    let zero = f64x4::splat(simd, 0.0);
    let bounded = leaves.select(bounded, zero);
    let fixed = scratch.fixed[i].load(simd) + bounded;
    let stopped = leaves.select(f64x4::splat(simd, 1.0), scratch.stopped[i].load(simd));
    scratch.fixed[i].store(fixed);
    scratch.stopped[i].store(stopped);
    for target in 0..dimension.targets() {
        let column = &mut batch.columns[target * dimension.variables() + i];
        for (row, entry) in batch.rows[target].iter_mut().zip(column) {
            let value = entry.load(simd);
            row.store(row.load(simd) - value * bounded);
            entry.store(leaves.select(zero, value));
        }
    }
}

#[cfg(test)]
mod tests;
