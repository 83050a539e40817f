//! Symmetric band matrices and their linear equations.

use crate::vectors::dot;

/// A symmetric matrix whose entries far from the diagonal are 0.
#[derive(Debug, Clone)]
pub struct BandMatrix {
    size: usize,
    /// Number of diagonals from the main one down.
    width: usize,
    /// Row by row, from the farthest entry before the diagonal to the diagonal.
    entries: Vec<f64>,
}

impl BandMatrix {
    /// A matrix of zeros with `size` rows. Entry (i, j) can differ from 0 where |i − j| < `width`.
    pub fn zeros(size: usize, width: usize) -> Self {
        Self { size, width, entries: vec![0.0; size * width] }
    }

    /// Makes all entries zero.
    pub fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    fn index(&self, row: usize, column: usize) -> usize {
        row * self.width + (self.width - 1 - (row - column))
    }

    /// Adds to an entry on the diagonal or below it, so `column` ≤ `row`.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        let index = self.index(row, column);
        self.entries[index] += value;
    }

    /// The entries of a row from `first` to before `end`, which is at most the diagonal and one.
    pub fn row_mut(&mut self, row: usize, first: usize, end: usize) -> &mut [f64] {
        let start = self.index(row, first);
        &mut self.entries[start..start + (end - first)]
    }

    /// Row `i` of the matrix times `x`.
    pub fn row_times(&self, i: usize, x: &[f64]) -> f64 {
        let first = (i + 1).saturating_sub(self.width);
        let before = dot(&self.entries[self.index(i, first)..=self.index(i, i)], &x[first..=i]);
        let behind = (i + 1..(i + self.width).min(self.size)).map(|row| self.entries[self.index(row, i)] * x[row]);
        before + behind.sum::<f64>()
    }

    /// Turns the equations A x = b into those for the other unknowns where unknown `i` has a known value.
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

    /// Takes over the entries of a matrix of the same size.
    pub fn copy_from(&mut self, other: &Self) {
        self.entries.copy_from_slice(&other.entries);
    }

    /// Replaces the matrix A by its Cholesky factor L, with A = L Lᵀ. Returns whether A is positive definite; if not, the entries are of no
    /// use.
    pub fn factorise(&mut self) -> bool {
        let width = self.width;
        for row in 0..self.size {
            let first = (row + 1).saturating_sub(width);
            let (above, this) = self.entries.split_at_mut(row * width);
            let this = &mut this[..width];
            // Where the entry of a column stands in this row.
            let place = |column: usize| column + width - 1 - row;
            for column in first..row {
                let other = &above[column * width..(column + 1) * width];
                let start = width - 1 - (column - first);
                let sum = dot(&this[place(first)..place(column)], &other[start..width - 1]);
                this[place(column)] = (this[place(column)] - sum) / other[width - 1];
            }
            let before = &this[place(first)..width - 1];
            let rest = this[width - 1] - dot(before, before);
            if !(rest > 0.0 && rest.is_finite()) {
                return false;
            }
            this[width - 1] = rest.sqrt();
        }
        true
    }

    /// Solves A x = b with the factor of A; b is replaced by x.
    pub fn solve(&self, b: &mut [f64]) {
        let width = self.width;
        let row = |i: usize| {
            let first = (i + 1).saturating_sub(width);
            (first, &self.entries[i * width + width - 1 - (i - first)..(i + 1) * width])
        };
        for i in 0..self.size {
            let (first, entries) = row(i);
            let sum = dot(&entries[..i - first], &b[first..i]);
            b[i] = (b[i] - sum) / entries[i - first];
        }
        for i in (0..self.size).rev() {
            let (first, entries) = row(i);
            b[i] /= entries[i - first];
            let found = b[i];
            for (entry, b) in entries[..i - first].iter().zip(&mut b[first..i]) {
                *b -= entry * found;
            }
        }
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
            assert!(matrix.factorise());
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
        assert!(!matrix.factorise());
    }
}
