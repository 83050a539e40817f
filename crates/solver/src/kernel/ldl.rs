//! LDLᵀ factorisation of symmetric positive definite matrices, one for each of four configurations, and substitution.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::lanes::Lanes;

/// Numbers that are read and written by index.
pub trait Store<S: Simd, I> {
    fn get(&self, simd: S, at: I) -> f64x4<S>;
    fn set(&mut self, at: I, value: f64x4<S>);
}

/// A square matrix whose size the compiler knows. Only its lower triangle is used.
pub struct Small<S: Simd, const N: usize>(pub [[f64x4<S>; N]; N]);

impl<S: Simd, const N: usize> Store<S, [usize; 2]> for Small<S, N> {
    #[inline(always)]
    fn get(&self, _: S, [i, j]: [usize; 2]) -> f64x4<S> {
        self.0[i][j]
    }

    #[inline(always)]
    fn set(&mut self, [i, j]: [usize; 2], value: f64x4<S>) {
        self.0[i][j] = value;
    }
}

/// The lower triangle of a matrix of any size, row by row.
pub struct Triangle<'a>(pub &'a mut [Lanes]);

impl Triangle<'_> {
    /// The index of an entry.
    #[inline(always)]
    pub fn at(i: usize, j: usize) -> usize {
        i * (i + 1) / 2 + j
    }
}

impl<S: Simd> Store<S, [usize; 2]> for Triangle<'_> {
    #[inline(always)]
    fn get(&self, simd: S, [i, j]: [usize; 2]) -> f64x4<S> {
        self.0[Self::at(i, j)].load(simd)
    }

    #[inline(always)]
    fn set(&mut self, [i, j]: [usize; 2], value: f64x4<S>) {
        self.0[Self::at(i, j)].store(value);
    }
}

impl<S: Simd, const N: usize> Store<S, usize> for [f64x4<S>; N] {
    #[inline(always)]
    fn get(&self, _: S, i: usize) -> f64x4<S> {
        self[i]
    }

    #[inline(always)]
    fn set(&mut self, i: usize, value: f64x4<S>) {
        self[i] = value;
    }
}

impl<S: Simd> Store<S, usize> for [Lanes] {
    #[inline(always)]
    fn get(&self, simd: S, i: usize) -> f64x4<S> {
        self[i].load(simd)
    }

    #[inline(always)]
    fn set(&mut self, i: usize, value: f64x4<S>) {
        self[i].store(value);
    }
}

/// Adds `damping` to the diagonal of a positive semidefinite matrix, and replaces its lower triangle by the factors: L below the
/// diagonal, 1/D on it.
#[inline(always)]
pub fn factorise<S: Simd>(simd: S, size: usize, matrix: &mut impl Store<S, [usize; 2]>, damping: f64x4<S>) {
    for i in 0..size {
        let mut pivot = matrix.get(simd, [i, i]) + damping;
        for j in 0..i {
            // The entry of LD: the products of the earlier columns are subtracted. Divided by the pivot, it is the entry of L.
            let mut product = matrix.get(simd, [i, j]);
            for k in 0..j {
                product -= matrix.get(simd, [i, k]) * matrix.get(simd, [j, k]);
            }
            matrix.set([i, j], product);
        }
        for j in 0..i {
            let product = matrix.get(simd, [i, j]);
            let inverse = matrix.get(simd, [j, j]);
            // The inverse is the factor that is computed last, so only one product waits for it.
            pivot -= product * product * inverse;
            matrix.set([i, j], product * inverse);
        }
        // In exact arithmetic no pivot is below the damping.
        matrix.set([i, i], 1.0 / pivot.max(damping));
    }
}

/// Solves L D Lᵀ x = right in place.
#[inline(always)]
pub fn substitute<S: Simd, R: Store<S, usize> + ?Sized>(
    simd: S,
    size: usize,
    factors: &impl Store<S, [usize; 2]>,
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
        // The unknown that was computed last is used last, so only its product waits for it.
        for j in (i + 1..size).rev() {
            sum -= factors.get(simd, [j, i]) * right.get(simd, j);
        }
        right.set(i, sum);
    }
}
