//! Damped least squares inside bounds, for four configurations at once.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::configurations::Configurations;
use super::dimension::Dimension;
use super::lanes::Lanes;
use super::normal_equations::StepScratch;

/// Added to every damping, so that the normal matrix stays positive definite where rows or columns are zero or dependent.
const MIN_DAMPING: f64 = 1e-13;

/// Bounds of the variables \[rad or m\], the same for every configuration.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    pub lower: &'a [f64],
    pub upper: &'a [f64],
}

/// Writes into `scratch.step` the steps that minimise |columns · step - rows|² + damping |step|² with every variable inside its
/// bounds. An active set finds them: a variable that would leave its bounds is clamped to them, its effect is subtracted from the
/// residual rows, and the step of the others is solved again. This overwrites the columns and rows of `configurations`.
#[inline(always)]
pub fn bounded_step<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    (configurations, scratch): (&mut Configurations, &mut StepScratch),
    bounds: Bounds,
    damping: &Lanes,
) {
    let n = dimension.variables();
    let damping = damping.load(simd) + MIN_DAMPING;
    let mut first = true;
    // Each pass but the first clamps at least one variable, so the loop ends. There is only one call of `solve`, because it is
    // inlined here.
    loop {
        dimension.solve(simd, configurations, scratch, damping);
        if first {
            if !leaves_bounds(simd, n, configurations, scratch, bounds) {
                return;
            }
            scratch.clamped_step[..n].fill(Lanes::default());
            scratch.clamped[..n].fill(Lanes::default());
            first = false;
        }
        if !clamp_to_bounds(simd, dimension, configurations, scratch, bounds) {
            break;
        }
    }
    for (step, clamped_step) in scratch.step[..n].iter_mut().zip(&scratch.clamped_step) {
        let sum = step.load(simd) + clamped_step.load(simd);
        step.store(sum);
    }
}

/// Adds `moving` times the step to the positions, and keeps them inside the bounds.
#[inline(always)]
pub fn advance<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    configurations: &mut Configurations,
    step: &[Lanes],
    bounds: Bounds,
    moving: &Lanes,
) {
    let n = dimension.variables();
    let moving = moving.load(simd);
    let (lower, upper) = (&bounds.lower[..n], &bounds.upper[..n]);
    for (i, (position, step)) in configurations.positions[..n].iter_mut().zip(&step[..n]).enumerate() {
        let next = position.load(simd) + step.load(simd) * moving;
        // The sum may pass a bound by rounding.
        position.store(next.max(f64x4::splat(simd, lower[i])).min(f64x4::splat(simd, upper[i])));
    }
}

/// Whether the step takes any variable out of its bounds.
#[inline(always)]
fn leaves_bounds<S: Simd>(
    simd: S,
    n: usize,
    configurations: &Configurations,
    scratch: &StepScratch,
    bounds: Bounds,
) -> bool {
    let (positions, steps) = (&configurations.positions[..n], &scratch.step[..n]);
    let (lower, upper) = (&bounds.lower[..n], &bounds.upper[..n]);
    let mut leaves = f64x4::splat(simd, 0.0).simd_ne(f64x4::splat(simd, 0.0));
    for i in 0..n {
        let next = positions[i].load(simd) + steps[i].load(simd);
        leaves = leaves | next.simd_lt(f64x4::splat(simd, lower[i])) | next.simd_gt(f64x4::splat(simd, upper[i]));
    }
    leaves.any_true()
}

/// Clamps the variables whose steps leave their bounds. Returns whether there were any.
#[inline(always)]
fn clamp_to_bounds<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    configurations: &mut Configurations,
    scratch: &mut StepScratch,
    bounds: Bounds,
) -> bool {
    let n = dimension.variables();
    let mut any = false;
    for i in 0..n {
        let (position, step) = (configurations.positions[i].load(simd), scratch.step[i].load(simd));
        let clamped = scratch.clamped[i].load(simd);
        let next = position + step;
        let lower = f64x4::splat(simd, bounds.lower[i]);
        let upper = f64x4::splat(simd, bounds.upper[i]);
        let leaves = (next.simd_lt(lower) | next.simd_gt(upper)) & clamped.simd_eq(f64x4::splat(simd, 0.0));
        if leaves.any_true() {
            any = true;
            let bounded = next.max(lower).min(upper) - position;
            clamp_variable(simd, dimension, (configurations, scratch), i, leaves, bounded);
        }
    }
    any
}

/// Clamps variable `i` to the step `bounded` in the configurations of `leaves`.
#[inline(always)]
fn clamp_variable<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    (configurations, scratch): (&mut Configurations, &mut StepScratch),
    i: usize,
    leaves: fearless_simd::mask64x4<S>,
    bounded: f64x4<S>,
) {
    let zero = f64x4::splat(simd, 0.0);
    let bounded = leaves.select(bounded, zero);
    let clamped_step = scratch.clamped_step[i].load(simd) + bounded;
    let clamped = leaves.select(f64x4::splat(simd, 1.0), scratch.clamped[i].load(simd));
    scratch.clamped_step[i].store(clamped_step);
    scratch.clamped[i].store(clamped);
    for target in 0..dimension.targets() {
        let column = &mut configurations.columns[target * dimension.variables() + i];
        for (row, entry) in configurations.rows[target].iter_mut().zip(column) {
            let value = entry.load(simd);
            row.store(row.load(simd) - value * bounded);
            entry.store(leaves.select(zero, value));
        }
    }
}

#[cfg(test)]
mod tests;
