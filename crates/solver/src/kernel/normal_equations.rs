//! The unbounded damped step, from the smaller of the two normal equations, for four configurations at once.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::configurations::{ActiveSet, Configurations};
use super::ldl::{LaneEntries, LowerTriangle, factorise, substitute};

/// The unbounded step towards one target, from the N×N normal equations: (JᵀJ + λ) step = Jᵀ rows.
#[inline(always)]
pub fn solve_by_columns<S: Simd, const N: usize>(configurations: &mut Configurations, damping: f64x4<S>) {
    let (simd, Configurations { columns, rows, step, .. }) = (damping.simd, configurations);
    let (Some(columns), rows) = (columns.first_chunk::<N>(), &rows[0]) else { return };
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
    factorise(simd, N, &mut normal, damping);
    substitute(simd, N, &normal, &mut right);
    for (step, value) in step[..N].iter_mut().zip(right) {
        step.store(value);
    }
}

/// The unbounded step towards one target, from the 6×6 normal equations: step = Jᵀ y with (JJᵀ + λ) y = rows.
#[inline(always)]
pub fn solve_by_rows<S: Simd>(configurations: &mut Configurations, variables: usize, damping: f64x4<S>) {
    let (simd, Configurations { columns, rows, step, .. }) = (damping.simd, configurations);
    let (columns, rows) = (&columns[..variables], &rows[0]);
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
    factorise(simd, 6, &mut normal, damping);
    substitute(simd, 6, &normal, &mut right);
    for (column, step) in columns.iter().zip(step) {
        // Entry 0 of the solution is computed last, so only its product waits for it.
        let mut sum = column[5].load(simd) * right[5];
        for row in (0..5).rev() {
            sum += column[row].load(simd) * right[row];
        }
        step.store(sum);
    }
}

/// The step towards several targets, without bounds, from the smaller of the two normal equations.
#[inline(always)]
pub fn solve_any<S: Simd>(configurations: &mut Configurations, variables: usize, targets: usize, damping: f64x4<S>) {
    let simd = damping.simd;
    let Configurations { columns, rows: residuals, step, active_set: ActiveSet { normal, right, .. }, .. } =
        configurations;
    let (rows, wide) = (6 * targets, 6 * targets < variables);
    // Products of the rows of the Jacobian, or of its columns.
    let (size, length) = if wide { (rows, variables) } else { (variables, rows) };
    let entry = |row: usize, column: usize| &columns[row / 6 * variables + column][row % 6];
    let mut normal = LowerTriangle(normal);
    for i in 0..size {
        for j in 0..=i {
            let mut sum = f64x4::splat(simd, 0.0);
            for k in 0..length {
                let (a, b) = if wide { (entry(i, k), entry(j, k)) } else { (entry(k, i), entry(k, j)) };
                sum += a.load(simd) * b.load(simd);
            }
            normal.set([i, j], sum);
        }
    }
    for (i, value) in right[..size].iter_mut().enumerate() {
        let mut sum = f64x4::splat(simd, 0.0);
        if wide {
            sum = residuals[i / 6][i % 6].load(simd);
        } else {
            for row in 0..rows {
                sum += entry(row, i).load(simd) * residuals[row / 6][row % 6].load(simd);
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
