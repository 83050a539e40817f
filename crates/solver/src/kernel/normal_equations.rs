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

/// The unbounded step of `R` rows, up to six, from the R×R normal equations: step = Jᵀ y with (JJᵀ + λ) y = rows.
#[inline(always)]
pub fn solve_by_rows<S: Simd, const R: usize>(
    configurations: &mut Configurations,
    variables: usize,
    damping: f64x4<S>,
) {
    let (simd, Configurations { columns, rows, step, .. }) = (damping.simd, configurations);
    let (columns, rows) = (&columns[..variables], &rows[0]);
    let zero = f64x4::splat(simd, 0.0);
    let (mut normal, mut right) = ([[zero; R]; R], [zero; R]);
    for column in columns {
        for i in 0..R {
            let entry = column[i].load(simd);
            for j in 0..=i {
                normal[i][j] += entry * column[j].load(simd);
            }
        }
    }
    for i in 0..R {
        right[i] = rows[i].load(simd);
    }
    factorise(simd, R, &mut normal, damping);
    substitute(simd, R, &normal, &mut right);
    for (column, step) in columns.iter().zip(step) {
        // Entry 0 of the solution is computed last, so only its product waits for it.
        let mut sum = column[R - 1].load(simd) * right[R - 1];
        for row in (0..R - 1).rev() {
            sum += column[row].load(simd) * right[row];
        }
        step.store(sum);
    }
}

/// The step of so many `rows` of several targets and goals, fewer than variables, without bounds: as [`solve_by_rows`].
#[inline(always)]
pub fn solve_by_any_rows<S: Simd>(
    configurations: &mut Configurations,
    variables: usize,
    rows: usize,
    damping: f64x4<S>,
) {
    let simd = damping.simd;
    let Configurations { columns, rows: residuals, step, active_set: ActiveSet { normal, right, .. }, .. } =
        configurations;
    let (columns, right) = (&columns[..rows.div_ceil(6) * variables], &mut right[..6 * rows.div_ceil(6)]);
    // The columns of each block of six rows.
    let blocks = || columns.chunks_exact(variables);
    let (mut normal, zero) = (LowerTriangle(normal), f64x4::splat(simd, 0.0));
    for (block, columns) in blocks().enumerate() {
        for (other, others) in blocks().enumerate().take(block + 1) {
            for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
                let mut sum = zero;
                for (a, b) in columns.iter().zip(others) {
                    sum += a[row].load(simd) * b[column].load(simd);
                }
                let (i, j) = (6 * block + row, 6 * other + column);
                if j <= i {
                    normal.set([i, j], sum);
                }
            }
        }
    }
    right.copy_from_slice(&residuals.as_flattened()[..right.len()]);
    factorise(simd, rows, &mut normal, damping);
    substitute(simd, rows, &normal, right);
    for (variable, step) in step[..variables].iter_mut().enumerate() {
        let mut sum = zero;
        for (columns, right) in blocks().zip(right.chunks_exact(6)) {
            for (entry, y) in columns[variable].iter().zip(right) {
                sum += entry.load(simd) * y.load(simd);
            }
        }
        step.store(sum);
    }
}

/// The step of so many `rows` of several targets and goals, without bounds: as [`solve_by_columns`].
#[inline(always)]
pub fn solve_by_any_columns<S: Simd>(
    configurations: &mut Configurations,
    variables: usize,
    rows: usize,
    damping: f64x4<S>,
) {
    let (simd, blocks) = (damping.simd, rows.div_ceil(6));
    let Configurations { columns, rows: residuals, step, active_set: ActiveSet { normal, .. }, .. } = configurations;
    // Whole blocks, and the rows of the last one.
    let (whole, last) = columns[..blocks * variables].split_at(rows / 6 * variables);
    let (step, mut normal, zero) = (&mut step[..variables], LowerTriangle(normal), f64x4::splat(simd, 0.0));
    for i in 0..variables {
        for j in 0..=i {
            let mut sum = zero;
            for columns in whole.chunks_exact(variables) {
                for (a, b) in columns[i].iter().zip(&columns[j]) {
                    sum += a.load(simd) * b.load(simd);
                }
            }
            if !last.is_empty() {
                for (a, b) in last[i].iter().zip(&last[j]).take(rows % 6) {
                    sum += a.load(simd) * b.load(simd);
                }
            }
            normal.set([i, j], sum);
        }
        let mut sum = zero;
        for (columns, rows) in columns[..blocks * variables].chunks_exact(variables).zip(&*residuals) {
            for (entry, row) in columns[i].iter().zip(rows) {
                sum += entry.load(simd) * row.load(simd);
            }
        }
        step[i].store(sum);
    }
    factorise(simd, variables, &mut normal, damping);
    substitute(simd, variables, &normal, step);
}
