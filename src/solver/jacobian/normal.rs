//! Damped least squares for four postures at once, by the normal equations of the smaller side, inside bounds.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::factor::{Small, Store, Triangle, factorise, substitute};
use super::kernel::{Batch, Dimension};
use crate::solver::lanes::Lanes;
use crate::solver::links::Links;

/// Added to the damping so that the normal matrix stays positive definite where rows or columns are zero or dependent.
const LEAST_DAMPING: f64 = 1e-13;

/// Scratch of the step.
#[derive(Debug, Clone)]
pub(in crate::solver) struct StepScratch {
    /// Lower triangle and right-hand side of the normal equations, where their size is not known when the program is compiled.
    normal: Vec<Lanes>,
    right: Vec<Lanes>,
    /// What the variables that stand at their bounds do, and which those are (1 or 0).
    fixed: Vec<Lanes>,
    stopped: Vec<Lanes>,
    /// The step found \[rad or m\].
    pub step: Vec<Lanes>,
}

impl StepScratch {
    pub(in crate::solver) fn new(links: &Links) -> Self {
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
pub(in crate::solver) struct Bounds<'a> {
    pub lower: &'a [f64],
    pub upper: &'a [f64],
}

/// Writes into `scratch.step` the steps that minimise |columns · step - rows|² + damping |step|² with every variable inside its
/// bounds, as found by an active set: those that would leave theirs are stopped at them, what their motion does to the task is
/// taken off the rows, and the others are solved for again. Uses up the columns and rows of `batch`.
#[inline(always)]
pub(in crate::solver) fn bounded_step<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    (batch, scratch): (&mut Batch, &mut StepScratch),
    bounds: Bounds,
    damping: &Lanes,
) {
    let n = dimension.variables();
    let damping = damping.load(simd) + LEAST_DAMPING;
    dimension.solve(simd, batch, scratch, damping);
    if !leaves_bounds(simd, n, batch, scratch, bounds) {
        return;
    }
    scratch.fixed[..n].fill(Lanes::default());
    scratch.stopped[..n].fill(Lanes::default());
    // Each pass stops one variable at least.
    while stop_at_bounds(simd, dimension, batch, scratch, bounds) {
        dimension.solve(simd, batch, scratch, damping);
    }
    for (step, fixed) in scratch.step[..n].iter_mut().zip(&scratch.fixed) {
        let sum = step.load(simd) + fixed.load(simd);
        step.store(sum);
    }
}

/// Takes the steps, each as often as `moving` says, and not beyond the bounds.
#[inline(always)]
pub(in crate::solver) fn advance<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    batch: &mut Batch,
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
fn leaves_bounds<S: Simd>(simd: S, n: usize, batch: &Batch, scratch: &StepScratch, bounds: Bounds) -> bool {
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

/// The free step towards one target from the smaller side of N columns: (JᵀJ + λ) step = Jᵀ rows.
#[inline(always)]
pub(in crate::solver) fn solve_by_columns<S: Simd, const N: usize>(
    simd: S,
    columns: &[[Lanes; 6]; N],
    rows: &[Lanes; 6],
    damping: f64x4<S>,
    step: &mut [Lanes],
) {
    let zero = f64x4::splat(simd, 0.0);
    let (mut normal, mut right) = ([[zero; N]; N], [zero; N]);
    for i in 0..N {
        for row in 0..6 {
            let entry = columns[i][row].load(simd);
            right[i] += entry * rows[row].load(simd);
            for j in 0..=i {
                normal[i][j] += entry * columns[j][row].load(simd);
            }
        }
    }
    let mut normal = Small(normal);
    factorise(simd, N, &mut normal, damping);
    substitute(simd, N, &normal, &mut right);
    for (step, value) in step[..N].iter_mut().zip(right) {
        step.store(value);
    }
}

/// The free step towards one target from the smaller side of six rows: step = Jᵀ y with (JJᵀ + λ) y = rows.
#[inline(always)]
pub(in crate::solver) fn solve_by_rows<S: Simd>(
    simd: S,
    columns: &[[Lanes; 6]],
    rows: &[Lanes; 6],
    damping: f64x4<S>,
    step: &mut [Lanes],
) {
    let zero = f64x4::splat(simd, 0.0);
    let (mut normal, mut right) = ([[zero; 6]; 6], [zero; 6]);
    for column in columns {
        for i in 0..6 {
            let entry = column[i].load(simd);
            for j in 0..=i {
                normal[i][j] += entry * column[j].load(simd);
            }
        }
    }
    for i in 0..6 {
        right[i] = rows[i].load(simd);
    }
    let mut normal = Small(normal);
    factorise(simd, 6, &mut normal, damping);
    substitute(simd, 6, &normal, &mut right);
    for (column, step) in columns.iter().zip(step) {
        // Row 0 of the unknowns is found last: only its products wait for it.
        let mut sum = column[5].load(simd) * right[5];
        for row in (0..5).rev() {
            sum += column[row].load(simd) * right[row];
        }
        step.store(sum);
    }
}

/// The free step towards several targets, from whichever side is smaller.
#[inline(always)]
pub(in crate::solver) fn solve_any<S: Simd>(
    simd: S,
    (variables, targets): (usize, usize),
    batch: &Batch,
    scratch: &mut StepScratch,
    damping: f64x4<S>,
) {
    let StepScratch { normal, right, step, .. } = scratch;
    let (rows, wide) = (6 * targets, 6 * targets < variables);
    // The matrix whose product with its transpose is taken: the Jacobian, or its transpose.
    let (size, length) = if wide { (rows, variables) } else { (variables, rows) };
    let entry = |row: usize, column: usize| &batch.columns[row / 6 * variables + column][row % 6];
    let mut normal = Triangle(normal);
    for i in 0..size {
        for j in 0..=i {
            let mut sum = f64x4::splat(simd, 0.0);
            for k in 0..length {
                let (a, b) = if wide { (entry(i, k), entry(j, k)) } else { (entry(k, i), entry(k, j)) };
                sum += a.load(simd) * b.load(simd);
            }
            normal.set((i, j), sum);
        }
    }
    for (i, value) in right[..size].iter_mut().enumerate() {
        let mut sum = f64x4::splat(simd, 0.0);
        if wide {
            sum = batch.rows[i / 6][i % 6].load(simd);
        } else {
            for row in 0..rows {
                sum += entry(row, i).load(simd) * batch.rows[row / 6][row % 6].load(simd);
            }
        }
        value.store(sum);
    }
    factorise(simd, size, &mut normal, damping);
    substitute(simd, size, &normal, &mut right[..]);
    if !wide {
        return step[..size].copy_from_slice(&right[..size]);
    }
    for (i, step) in step[..variables].iter_mut().enumerate() {
        let mut sum = f64x4::splat(simd, 0.0);
        for (row, y) in right[..rows].iter().enumerate() {
            sum += entry(row, i).load(simd) * y.load(simd);
        }
        step.store(sum);
    }
}

#[cfg(test)]
mod tests;
