//! Pseudoinverse and singular values of the Jacobian in one configuration, in preallocated memory.
//!
//! One-sided Jacobi rotations of the rows (Hestenes 1958, "Inversion of matrices by biorthogonalization and related
//! results"): once the rows are orthogonal, UJ = ΣVᵀ. Unlike a general singular value decomposition, this works in
//! place for any size, and small singular values keep their relative accuracy.

use super::configurations::Configurations;
use urdf_ik_mathematics::row_rotations::diagonalise;
use urdf_ik_mathematics::vectors::{add_times, dot};

/// Singular values below this fraction of the largest count as zero.
pub const RANK_TOLERANCE: f64 = 1e-6;

/// Singular value decomposition with memory for Jacobians of at most `6 * targets` rows and `variables` columns.
#[derive(Debug, Clone)]
pub struct Svd {
    variables: usize,
    /// Rows of the Jacobian, one after the other, rotated until they are orthogonal.
    rows: Vec<f64>,
    /// The right-hand side after the same rotations.
    right: Vec<f64>,
    /// Squared norms of the rows: squared singular values.
    lengths: Vec<f64>,
}

impl Svd {
    pub fn new(targets: usize, variables: usize) -> Self {
        let rows = 6 * targets;
        Self { variables, rows: vec![0.0; rows * variables], right: vec![0.0; rows], lengths: vec![0.0; rows] }
    }

    /// Decomposes a Jacobian of `count` rows with the entries `entry(row, column)` and the right-hand side
    /// `right(row)`.
    pub fn fill(&mut self, count: usize, entry: impl Fn(usize, usize) -> f64, right: impl Fn(usize) -> f64) {
        self.lengths.resize(count, 0.0);
        if count > self.right.len() {
            // Goals besides targets have more rows.
            self.rows.resize(count * self.variables, 0.0);
            self.right.resize(count, 0.0);
        }
        for row in 0..count {
            for column in 0..self.variables {
                self.rows[row * self.variables + column] = entry(row, column);
            }
            self.right[row] = right(row);
        }
        let rows = &mut self.rows[..count * self.variables];
        diagonalise(rows, &mut self.right[..count], count);
        for (length, row) in self.lengths.iter_mut().zip(rows.chunks_exact(self.variables)) {
            *length = dot(row, row);
        }
    }

    /// Decomposes the Jacobian of one lane, with six rows per target, and with its residual \[rad\] as the right-hand
    /// side.
    pub fn decompose(&mut self, configurations: &Configurations, targets: usize, lane: usize) {
        let variables = self.variables;
        self.fill(
            6 * targets,
            |row, variable| configurations.columns[row / 6 * variables + variable][row % 6].0[lane],
            |row| configurations.rows[row / 6][row % 6].0[lane],
        );
    }

    /// Writes the Moore-Penrose solution into `step`, one entry per variable: the shortest step for which J step is
    /// nearest to the right-hand side. Singular values below [`RANK_TOLERANCE`] times the largest count as zero. The
    /// step is the sum of the orthogonal rows, each times its entry of the rotated right-hand side divided by its
    /// squared norm.
    pub fn pseudoinverse(&self, step: &mut [f64]) {
        step.fill(0.0);
        for (row, right, length) in self.significant(RANK_TOLERANCE) {
            add_times(step, right / length, row);
        }
    }

    /// Projects `motion`, one entry per variable, in place onto the null space of the decomposed Jacobian. Singular
    /// values below `rank_tolerance` times the largest count as zero.
    pub fn project_to_null_space(&self, motion: &mut [f64], rank_tolerance: f64) {
        if self.significant(rank_tolerance).count() >= self.variables {
            motion.fill(0.0);
            return;
        }
        for (row, _, length) in self.significant(rank_tolerance) {
            add_times(motion, -dot(row, motion) / length, row);
        }
    }

    /// The nonzero rows, each with its entry of the right-hand side and its squared norm.
    fn significant(&self, rank_tolerance: f64) -> impl Iterator<Item = (&[f64], f64, f64)> {
        let least = rank_tolerance * rank_tolerance * self.lengths.iter().copied().fold(0.0, f64::max);
        let rows = self.rows.chunks_exact(self.variables).zip(&self.right).zip(&self.lengths);
        rows.filter(move |(_, length)| **length > least).map(|((row, right), length)| (row, *right, *length))
    }

    /// Squared singular values in decreasing order, as many as the smaller of the number of variables and `counted`,
    /// the number of constrained axes. This invalidates the decomposition.
    pub fn squared_singular_values(&mut self, counted: usize) -> &[f64] {
        self.lengths.sort_unstable_by(|a, b| b.total_cmp(a));
        &self.lengths[..counted.min(self.variables).min(self.lengths.len())]
    }

    /// Smallest singular value; `counted` is the number of constrained axes. This invalidates the decomposition.
    pub fn smallest_singular_value(&mut self, counted: usize) -> f64 {
        self.squared_singular_values(counted).last().map_or(0.0, |square| square.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use urdf_ik_random::random::Random;

    fn entries(count: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..count).map(|_| random.between(-0.5, 0.5)).collect()
    }

    #[test]
    fn it_agrees_with_a_singular_value_decomposition() {
        let mut scratch = Svd::new(2, 9);
        for (count, variables, rank_loss) in [(6, 3, false), (6, 6, true), (6, 7, false), (6, 9, true), (12, 8, true)] {
            scratch.variables = variables;
            let values = entries(count * (variables + 1), 7 + (count * variables) as u64);
            let mut matrix = DMatrix::from_column_slice(count, variables, &values[..count * variables]);
            if rank_loss {
                let first = matrix.column(0) * 2.0;
                matrix.set_column(variables - 1, &first);
                let row = matrix.row(4).into_owned();
                matrix.set_row(5, &row);
            }
            let right = DVector::from_column_slice(&values[count * variables..]);
            scratch.fill(count, |row, column| matrix[(row, column)], |row| right[row]);
            let mut step = vec![0.0; variables];
            scratch.pseudoinverse(&mut step);
            let expected = matrix.clone().pseudo_inverse(1e-6).unwrap() * &right;
            assert!((DVector::from_vec(step) - &expected).norm() < 1e-9 * (1.0 + expected.norm()));
            // The projection of any motion onto the null space moves nothing.
            let mut motion = entries(variables, 3);
            scratch.project_to_null_space(&mut motion, RANK_TOLERANCE);
            assert!((&matrix * DVector::from_vec(motion)).norm() < 1e-9);
            let found = scratch.smallest_singular_value(count);
            let singular = matrix.singular_values();
            assert!((found - singular.min()).abs() < 1e-12, "{found} {singular}");
        }
    }
}
