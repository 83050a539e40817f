//! The unbounded damped step, from the smaller of the two normal equations, for four configurations at once.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::configurations::{ActiveSet, Configurations};
use super::frame::load;
use super::lanes::{Lanes, Vector};
use super::ldl::{LaneEntries, LowerTriangle, factorise, substitute};

/// Writes the unbounded step of `N` variables towards one target into `configurations.step` \[rad or m\], from the N×N
/// normal equations: (JᵀJ + λ) step = Jᵀ rows. λ is `damping`.
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

/// Writes the unbounded step of the first `R` rows, at most six, into `configurations.step` \[rad or m\], from the R×R
/// normal equations: step = Jᵀ y with (JJᵀ + λ) y = rows. λ is `damping`.
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

/// As [`solve_by_rows`], for the number of `rows` of several targets and goals. They are fewer than the variables.
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
    right.copy_from_slice(&residuals.as_flattened()[..right.len()]);
    let zero = f64x4::splat(simd, 0.0);
    if rows == 9 {
        // A pose and a point, in registers.
        solve_rows(columns, variables, 9, &mut [[zero; 9]; 9], right, damping);
    } else {
        solve_rows(columns, variables, rows, &mut LowerTriangle(normal), right, damping);
    }
    for (variable, step) in step[..variables].iter_mut().enumerate() {
        let mut sum = zero;
        for (columns, right) in columns.chunks_exact(variables).zip(right.chunks_exact(6)) {
            for (entry, y) in columns[variable].iter().zip(right) {
                sum += entry.load(simd) * y.load(simd);
            }
        }
        step.store(sum);
    }
}

/// Replaces the residuals in `right` by y with (JJᵀ + λ) y = rows. `normal` is memory for the matrix.
#[inline(always)]
fn solve_rows<S: Simd>(
    columns: &[[Lanes; 6]],
    variables: usize,
    rows: usize,
    normal: &mut impl LaneEntries<S, [usize; 2]>,
    right: &mut [Lanes],
    damping: f64x4<S>,
) {
    let simd = damping.simd;
    for (i, j) in (0..rows.div_ceil(3)).flat_map(|i| (0..=i).map(move |j| (i, j))) {
        let products = products_of_rows(simd, columns, variables, [i, j]);
        for (row, products) in (3 * i..).zip(products) {
            for (column, product) in (3 * j..=row).zip(products) {
                normal.set([row, column], product);
            }
        }
    }
    factorise(simd, rows, normal, damping);
    substitute(simd, rows, normal, right);
}

/// JJᵀ at three rows and three columns. `at` counts these threes. Each sum is independent of the others, so that none
/// waits.
#[inline(always)]
fn products_of_rows<S: Simd>(simd: S, columns: &[[Lanes; 6]], variables: usize, at: [usize; 2]) -> [[f64x4<S>; 3]; 3] {
    let mut sums = [[f64x4::splat(simd, 0.0); 3]; 3];
    let [of_rows, of_columns] = at.map(|three| &columns[three / 2 * variables..][..variables]);
    for (a, b) in of_rows.iter().zip(of_columns) {
        let a: Vector<S> = load(simd, &a.as_chunks().0[at[0] % 2]);
        let b: Vector<S> = load(simd, &b.as_chunks().0[at[1] % 2]);
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    sums
}

/// As [`solve_by_columns`], for the number of `rows` of several targets and goals.
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
