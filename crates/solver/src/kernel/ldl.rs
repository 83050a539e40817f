//! LDLᵀ factorisation and substitution for symmetric positive definite matrices, one per configuration.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::lanes::Lanes;

/// A vector or a matrix with an entry per lane at each index.
pub trait LaneEntries<S: Simd, I> {
    fn get(&self, simd: S, at: I) -> f64x4<S>;
    fn set(&mut self, at: I, value: f64x4<S>);
}

impl<S: Simd, const N: usize> LaneEntries<S, [usize; 2]> for [[f64x4<S>; N]; N] {
    #[inline(always)]
    fn get(&self, _: S, [i, j]: [usize; 2]) -> f64x4<S> {
        self[i][j]
    }

    #[inline(always)]
    fn set(&mut self, [i, j]: [usize; 2], value: f64x4<S>) {
        self[i][j] = value;
    }
}

/// The lower triangle of a symmetric matrix of any size, row by row.
pub struct LowerTriangle<'a>(pub &'a mut [Lanes]);

impl LowerTriangle<'_> {
    /// Index of the entry in row `i` and column `j` ≤ `i`.
    #[inline(always)]
    pub fn at(i: usize, j: usize) -> usize {
        i * (i + 1) / 2 + j
    }
}

impl<S: Simd> LaneEntries<S, [usize; 2]> for LowerTriangle<'_> {
    #[inline(always)]
    fn get(&self, simd: S, [i, j]: [usize; 2]) -> f64x4<S> {
        self.0[Self::at(i, j)].load(simd)
    }

    #[inline(always)]
    fn set(&mut self, [i, j]: [usize; 2], value: f64x4<S>) {
        self.0[Self::at(i, j)].store(value);
    }
}

impl<S: Simd, const N: usize> LaneEntries<S, usize> for [f64x4<S>; N] {
    #[inline(always)]
    fn get(&self, _: S, i: usize) -> f64x4<S> {
        self[i]
    }

    #[inline(always)]
    fn set(&mut self, i: usize, value: f64x4<S>) {
        self[i] = value;
    }
}

impl<S: Simd> LaneEntries<S, usize> for [Lanes] {
    #[inline(always)]
    fn get(&self, simd: S, i: usize) -> f64x4<S> {
        self[i].load(simd)
    }

    #[inline(always)]
    fn set(&mut self, i: usize, value: f64x4<S>) {
        self[i].store(value);
    }
}

/// Adds `damping` to the diagonal of a positive semidefinite matrix with `size` rows, and replaces its lower triangle
/// by the factors of L D Lᵀ: L below the diagonal, D⁻¹ on it.
#[inline(always)]
pub fn factorise<S: Simd>(simd: S, size: usize, matrix: &mut impl LaneEntries<S, [usize; 2]>, damping: f64x4<S>) {
    for i in 0..size {
        let mut pivot = matrix.get(simd, [i, i]) + damping;
        for j in 0..i {
            // The entry of LD, which is the entry of L times the pivot.
            let mut product = matrix.get(simd, [i, j]);
            for k in 0..j {
                product -= matrix.get(simd, [i, k]) * matrix.get(simd, [j, k]);
            }
            matrix.set([i, j], product);
        }
        for j in 0..i {
            let product = matrix.get(simd, [i, j]);
            let inverse = matrix.get(simd, [j, j]);
            // The inverse is computed last, so only one product waits for it.
            pivot -= product * product * inverse;
            matrix.set([i, j], product * inverse);
        }
        // In exact arithmetic no pivot is smaller than the damping.
        matrix.set([i, i], 1.0 / pivot.max(damping));
    }
}

/// Solves L D Lᵀ x = `right` with the `factors` of [`factorise`]. Replaces the first `size` entries of `right` by x.
#[inline(always)]
pub fn substitute<S: Simd, R: LaneEntries<S, usize> + ?Sized>(
    simd: S,
    size: usize,
    factors: &impl LaneEntries<S, [usize; 2]>,
    right: &mut R,
) {
    for i in 0..size {
        let mut sum = right.get(simd, i);
        for j in 0..i {
            sum -= factors.get(simd, [i, j]) * right.get(simd, j);
        }
        right.set(i, sum);
    }
    for i in (0..size).rev() {
        let mut sum = right.get(simd, i) * factors.get(simd, [i, i]);
        // The last computed unknown is used last, so only its product waits for it.
        for j in (i + 1..size).rev() {
            sum -= factors.get(simd, [j, i]) * right.get(simd, j);
        }
        right.set(i, sum);
    }
}
