//! Damped least squares for four postures at once, by the normal equations of the smaller side, inside bounds.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4, mask64x4};

use super::kernel::{Batch, Dimension};
use super::links::Links;
use crate::solver::lanes::Lanes;

/// Added to the damping so that the normal matrix stays positive definite where rows or columns are zero or dependent.
const LEAST_DAMPING: f64 = 1e-13;

/// Scratch of the step.
#[derive(Debug, Clone)]
pub(super) struct StepScratch {
    /// Lower triangle of the normal matrix, row by row, then its factors: unit lower triangle, and reciprocals of the pivots.
    normal: Vec<Lanes>,
    right: Vec<Lanes>,
    /// What the variables that stand at their bounds do, and which those are (1 or 0).
    fixed: Vec<Lanes>,
    stopped: Vec<Lanes>,
    /// The step found \[rad or m\].
    pub step: Vec<Lanes>,
}

impl StepScratch {
    pub(super) fn new(links: &Links) -> Self {
        let variables = links.variables;
        let equations = variables.min(6 * links.ends.len());
        let zeros = |count: usize| vec![Lanes::default(); count];
        Self {
            normal: zeros(equations * (equations + 1) / 2),
            right: zeros(equations),
            fixed: zeros(variables),
            stopped: zeros(variables),
            step: zeros(variables),
        }
    }
}

/// Bounds of the variables, the same for every posture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds<'a> {
    pub lower: &'a [f64],
    pub upper: &'a [f64],
}

/// Writes into `scratch.step` the steps that minimise |columns · step - rows|² + damping |step|² with every variable inside its
/// bounds, as found by an active set: those that would leave theirs are stopped at them, what their motion does to the task is
/// taken off the rows, and the others are solved for again. Uses up the columns and rows of `batch`.
#[inline(always)]
pub(super) fn bounded_step<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    (batch, scratch): (&mut Batch, &mut StepScratch),
    bounds: Bounds,
    damping: &Lanes,
) {
    let n = dimension.variables();
    scratch.fixed[..n].fill(Lanes::default());
    scratch.stopped[..n].fill(Lanes::default());
    let damping = damping.load(simd) + LEAST_DAMPING;
    // Each pass stops one variable at least.
    for _ in 0..=n {
        solve(simd, dimension, batch, scratch, damping);
        if !stop_at_bounds(simd, dimension, batch, scratch, bounds) {
            break;
        }
    }
    for i in 0..n {
        let step = scratch.step[i].load(simd) + scratch.fixed[i].load(simd);
        scratch.step[i].store(step);
    }
}

/// Stops the variables whose steps leave their bounds; tells whether there were any.
#[inline(always)]
fn stop_at_bounds<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    batch: &mut Batch,
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
    (batch, scratch): (&mut Batch, &mut StepScratch),
    i: usize,
    leaves: mask64x4<S>,
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

/// The free step: (JᵀJ + λ) step = Jᵀ rows, or step = Jᵀ y with (JJᵀ + λ) y = rows. Columns of zero give steps of zero.
#[inline(always)]
fn solve<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    batch: &Batch,
    scratch: &mut StepScratch,
    damping: f64x4<S>,
) {
    let (n, size) = (dimension.variables(), dimension.equations());
    let wide = n > 6 * dimension.targets();
    if wide {
        fill_by_rows(simd, dimension, batch, scratch);
    } else {
        fill_by_columns(simd, dimension, batch, scratch);
    }
    factorise(simd, size, &mut scratch.normal, damping);
    substitute(simd, size, &scratch.normal, &mut scratch.right);
    for i in 0..n {
        if wide {
            let mut step = f64x4::splat(simd, 0.0);
            for target in 0..dimension.targets() {
                for row in 0..6 {
                    let y = scratch.right[6 * target + row].load(simd);
                    step += batch.columns[target * n + i][row].load(simd) * y;
                }
            }
            scratch.step[i].store(step);
        } else {
            scratch.step[i] = scratch.right[i];
        }
    }
}

/// Where row `i` of a lower triangle begins.
#[inline(always)]
fn start(i: usize) -> usize {
    i * (i + 1) / 2
}

/// JᵀJ and Jᵀ rows.
#[inline(always)]
fn fill_by_columns<S: Simd, D: Dimension>(simd: S, dimension: D, batch: &Batch, scratch: &mut StepScratch) {
    let n = dimension.variables();
    for i in 0..n {
        for j in 0..=i {
            let mut sum = f64x4::splat(simd, 0.0);
            for target in 0..dimension.targets() {
                let (a, b) = (&batch.columns[target * n + i], &batch.columns[target * n + j]);
                for row in 0..6 {
                    sum += a[row].load(simd) * b[row].load(simd);
                }
            }
            scratch.normal[start(i) + j].store(sum);
        }
        let mut sum = f64x4::splat(simd, 0.0);
        for target in 0..dimension.targets() {
            for row in 0..6 {
                sum += batch.columns[target * n + i][row].load(simd) * batch.rows[target][row].load(simd);
            }
        }
        scratch.right[i].store(sum);
    }
}

/// JJᵀ and rows.
#[inline(always)]
fn fill_by_rows<S: Simd, D: Dimension>(simd: S, dimension: D, batch: &Batch, scratch: &mut StepScratch) {
    let n = dimension.variables();
    for i in 0..6 * dimension.targets() {
        let left = &batch.columns[i / 6 * n..][..n];
        for j in 0..=i {
            let right = &batch.columns[j / 6 * n..][..n];
            let mut sum = f64x4::splat(simd, 0.0);
            for (a, b) in left.iter().zip(right) {
                sum += a[i % 6].load(simd) * b[j % 6].load(simd);
            }
            scratch.normal[start(i) + j].store(sum);
        }
        scratch.right[i] = batch.rows[i / 6][i % 6];
    }
}

/// Replaces the matrix plus `damping` on its diagonal by its factors LDLᵀ: L below the diagonal, 1/D on it.
#[inline(always)]
fn factorise<S: Simd>(simd: S, size: usize, normal: &mut [Lanes], damping: f64x4<S>) {
    for i in 0..size {
        let row = start(i);
        for j in 0..i {
            let other = start(j);
            // Entry of LD; divided by the pivot below.
            let mut sum = normal[row + j].load(simd);
            for k in 0..j {
                sum -= normal[row + k].load(simd) * normal[other + k].load(simd);
            }
            normal[row + j].store(sum);
        }
        let mut pivot = normal[row + i].load(simd) + damping;
        for j in 0..i {
            let scaled = normal[row + j].load(simd);
            let entry = scaled * normal[start(j) + j].load(simd);
            pivot -= scaled * entry;
            normal[row + j].store(entry);
        }
        // In exact arithmetic no pivot is below the damping.
        normal[row + i].store(1.0 / pivot.max(damping));
    }
}

/// Solves L D Lᵀ x = right in place.
#[inline(always)]
fn substitute<S: Simd>(simd: S, size: usize, normal: &[Lanes], right: &mut [Lanes]) {
    for i in 0..size {
        let mut sum = right[i].load(simd);
        for j in 0..i {
            sum -= normal[start(i) + j].load(simd) * right[j].load(simd);
        }
        right[i].store(sum);
    }
    for i in (0..size).rev() {
        let mut sum = right[i].load(simd) * normal[start(i) + i].load(simd);
        for j in i + 1..size {
            sum -= normal[start(j) + i].load(simd) * right[j].load(simd);
        }
        right[i].store(sum);
    }
}
