//! The factors LDLᵀ of a symmetric positive definite matrix, one for each of four postures, and what they solve.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::lanes::Lanes;

/// Numbers that are read and written by their place.
pub trait Store<S: Simd, I> {
    fn get(&self, simd: S, at: I) -> f64x4<S>;
    fn set(&mut self, at: I, value: f64x4<S>);
}

/// A square matrix whose size is known when the program is compiled; the lower triangle counts.
pub struct Small<S: Simd, const N: usize>(pub [[f64x4<S>; N]; N]);

impl<S: Simd, const N: usize> Store<S, (usize, usize)> for Small<S, N> {
    #[inline(always)]
    fn get(&self, _: S, (i, j): (usize, usize)) -> f64x4<S> {
        self.0[i][j]
    }

    #[inline(always)]
    fn set(&mut self, (i, j): (usize, usize), value: f64x4<S>) {
        self.0[i][j] = value;
    }
}

/// The lower triangle of a matrix of any size, row by row.
pub struct Triangle<'a>(pub &'a mut [Lanes]);

impl Triangle<'_> {
    /// Where an entry stands.
    #[inline(always)]
    pub fn at(i: usize, j: usize) -> usize {
        i * (i + 1) / 2 + j
    }
}

impl<S: Simd> Store<S, (usize, usize)> for Triangle<'_> {
    #[inline(always)]
    fn get(&self, simd: S, (i, j): (usize, usize)) -> f64x4<S> {
        self.0[Self::at(i, j)].load(simd)
    }

    #[inline(always)]
    fn set(&mut self, (i, j): (usize, usize), value: f64x4<S>) {
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

/// Replaces the lower triangle of a positive semidefinite matrix plus `damping` on its diagonal by its factors: L below the
/// diagonal, 1/D on it.
#[inline(always)]
pub fn factorise<S: Simd>(simd: S, size: usize, matrix: &mut impl Store<S, (usize, usize)>, damping: f64x4<S>) {
    for i in 0..size {
        let mut pivot = matrix.get(simd, (i, i)) + damping;
        for j in 0..i {
            // The entry of LD, from which the products of the columns before are taken; divided by the pivot, of L.
            let mut product = matrix.get(simd, (i, j));
            for k in 0..j {
                product -= matrix.get(simd, (i, k)) * matrix.get(simd, (j, k));
            }
            matrix.set((i, j), product);
        }
        for j in 0..i {
            let product = matrix.get(simd, (i, j));
            let inverse = matrix.get(simd, (j, j));
            // Of the factors, the inverse is found last: only one product waits for it.
            pivot -= product * product * inverse;
            matrix.set((i, j), product * inverse);
        }
        // In exact arithmetic no pivot is below the damping.
        matrix.set((i, i), 1.0 / pivot.max(damping));
    }
}

/// Solves L D Lᵀ x = right in place.
#[inline(always)]
pub fn substitute<S: Simd, R: Store<S, usize> + ?Sized>(
    simd: S,
    size: usize,
    factors: &impl Store<S, (usize, usize)>,
    right: &mut R,
) {
    for i in 0..size {
        let mut sum = right.get(simd, i);
        for j in 0..i {
            sum -= factors.get(simd, (i, j)) * right.get(simd, j);
        }
        right.set(i, sum);
    }
    for i in (0..size).rev() {
        let mut sum = right.get(simd, i) * factors.get(simd, (i, i));
        // The unknown found last comes last, so that only its product waits for it.
        for j in (i + 1..size).rev() {
            sum -= factors.get(simd, (j, i)) * right.get(simd, j);
        }
        right.set(i, sum);
    }
}
