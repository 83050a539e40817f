//! Symmetric band matrices and their Cholesky factorisation. A dense matrix has full width.

use crate::vectors::{add_times, dot};

/// A symmetric band matrix: entries beyond a fixed distance from the diagonal are zero. Its lower triangle is stored.
#[derive(Debug, Clone, Default)]
pub struct BandMatrix {
    size: usize,
    /// Number of stored diagonals: the main one and those below it.
    width: usize,
    /// Lower triangle row by row, from the farthest entry left of the diagonal to the diagonal.
    entries: Vec<f64>,
}

impl BandMatrix {
    /// A zero matrix with `size` rows. Entry (i, j) can be nonzero if |i − j| < `width`.
    pub fn zeros(size: usize, width: usize) -> Self {
        Self { size, width, entries: vec![0.0; size * width] }
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    /// Resizes to a zero matrix with `size` rows and the same width. Allocates only beyond the largest size so far.
    pub fn reset(&mut self, size: usize) {
        self.size = size;
        self.entries.clear();
        self.entries.resize(size * self.width, 0.0);
    }

    fn index(&self, row: usize, column: usize) -> usize {
        row * self.width + (self.width - 1 - (row - column))
    }

    /// Adds `value` to an entry of the lower triangle: `column` ≤ `row`, within the band.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        let index = self.index(row, column);
        self.entries[index] += value;
    }

    /// The entries of a row in columns `first..end`, within the band and the lower triangle: `end` ≤ `row` + 1.
    pub fn row_mut(&mut self, row: usize, first: usize, end: usize) -> &mut [f64] {
        let start = self.index(row, first);
        &mut self.entries[start..start + (end - first)]
    }

    /// The product of row `i` with the vector `x`, which has one entry per row.
    pub fn row_times(&self, i: usize, x: &[f64]) -> f64 {
        let first = (i + 1).saturating_sub(self.width);
        let before = dot(&self.entries[self.index(i, first)..=self.index(i, i)], &x[first..=i]);
        let behind = (i + 1..(i + self.width).min(self.size)).map(|row| self.entries[self.index(row, i)] * x[row]);
        before + behind.sum::<f64>()
    }

    /// Substitutes the known `value` of unknown `i` in the equations A x = `b`, in place: row and column `i` become
    /// those of the identity matrix, and `b` is updated.
    pub fn fix(&mut self, i: usize, value: f64, b: &mut [f64]) {
        let first = (i + 1).saturating_sub(self.width);
        for (entry, b) in self.row_mut(i, first, i).iter_mut().zip(&mut b[first..i]) {
            *b -= std::mem::take(entry) * value;
        }
        for (row, b) in b.iter_mut().enumerate().take(i + self.width).skip(i + 1) {
            let index = self.index(row, i);
            *b -= std::mem::take(&mut self.entries[index]) * value;
        }
        let diagonal = self.index(i, i);
        self.entries[diagonal] = 1.0;
        b[i] = value;
    }

    /// Copies all entries of `other`, which has the same size.
    pub fn copy_from(&mut self, other: &Self) {
        self.entries.copy_from_slice(&other.entries);
    }

    /// Replaces the matrix A by its Cholesky factor L, with A = L Lᵀ. Returns false if A is not positive definite:
    /// the square of a diagonal entry of L would be at most `min_pivot`. The entries are then undefined.
    pub fn factorise(&mut self, min_pivot: f64) -> bool {
        let width = self.width;
        for row in 0..self.size {
            let first = (row + 1).saturating_sub(width);
            let (above, this) = self.entries.split_at_mut(row * width);
            let this = &mut this[..width];
            // The index of a column's entry in this row.
            let place = |column: usize| column + width - 1 - row;
            for column in first..row {
                let other = &above[column * width..(column + 1) * width];
                let start = width - 1 - (column - first);
                let sum = dot(&this[place(first)..place(column)], &other[start..width - 1]);
                this[place(column)] = (this[place(column)] - sum) / other[width - 1];
            }
            let before = &this[place(first)..width - 1];
            let rest = this[width - 1] - dot(before, before);
            if !(rest > min_pivot && rest.is_finite()) {
                return false;
            }
            this[width - 1] = rest.sqrt();
        }
        true
    }

    /// Solves A x = `b` with the factor L of A, after [`Self::factorise`]. Replaces `b` by x.
    pub fn solve(&self, b: &mut [f64]) {
        self.solve_lower(b);
        // By columns of Lᵀ, which are contiguous rows of L: on wide bands faster than the sums of `solve_transposed`.
        for i in (0..self.size).rev() {
            let (first, row) = self.left_of_diagonal(i);
            b[i] /= self.entries[self.index(i, i)];
            let found = b[i];
            add_times(&mut b[first..i], -found, row);
        }
    }

    /// Solves L x = `b` with the factor L of A. Replaces `b` by x.
    pub fn solve_lower(&self, b: &mut [f64]) {
        for i in 0..self.size {
            let (first, row) = self.left_of_diagonal(i);
            b[i] = (b[i] - dot(row, &b[first..i])) / self.entries[self.index(i, i)];
        }
    }

    /// Solves Lᵀ x = `b` with the factor L of A, or with its leading block if `b` is shorter. Replaces `b` by x.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        for i in (0..b.len()).rev() {
            let below = i + 1..(i + self.width).min(b.len());
            let sum: f64 = below.map(|row| self.entries[self.index(row, i)] * b[row]).sum();
            b[i] = (b[i] - sum) / self.entries[self.index(i, i)];
        }
    }

    /// Column of the first entry of a row, and the entries from there to before the diagonal.
    fn left_of_diagonal(&self, row: usize) -> (usize, &[f64]) {
        let first = (row + 1).saturating_sub(self.width);
        (first, &self.entries[self.index(row, first)..self.index(row, row)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn equations_are_solved() {
        let mut angle = 0.0_f64;
        let mut number = || {
            angle += 1.3;
            angle.sin()
        };
        for (size, width) in [(1, 1), (5, 3), (40, 8), (6, 10)] {
            let mut matrix = BandMatrix::zeros(size, width);
            let mut full = nalgebra::DMatrix::zeros(size, size);
            for row in 0..size {
                for column in (row + 1).saturating_sub(width)..=row {
                    let value = if row == column { 10.0 } else { number() };
                    matrix.add(row, column, value);
                    (full[(row, column)], full[(column, row)]) = (value, value);
                }
            }
            let x: Vec<f64> = (0..size).map(|_| number()).collect();
            let mut b = (full * nalgebra::DVector::from_row_slice(&x)).as_slice().to_vec();
            assert!(b.iter().enumerate().all(|(row, b)| (matrix.row_times(row, &x) - b).abs() < 1e-12));
            let known = size / 2;
            matrix.fix(known, x[known], &mut b);
            assert!(matrix.factorise(0.0));
            matrix.solve(&mut b);
            assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12), "{size} {width}");
        }
    }

    #[test]
    fn an_indefinite_matrix_is_noticed() {
        let mut matrix = BandMatrix::zeros(2, 2);
        matrix.add(0, 0, 1.0);
        matrix.add(1, 0, 2.0);
        matrix.add(1, 1, 1.0);
        assert!(!matrix.factorise(0.0));
    }
}
