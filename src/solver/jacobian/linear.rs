//! The linear problem inside each iteration: `columns · step = rows`, by damped least squares or by pseudoinverse, in
//! memory that is allocated once.

use std::mem;

use nalgebra::{Cholesky, DMatrix, DVector, Vector6};

/// Added to the damping so that the normal matrix stays positive definite where rows or columns are zero or dependent.
const LEAST_DAMPING: f64 = 1e-13;
/// Singular values below this fraction of the largest count as zero in the pseudoinverse.
const RANK_TOLERANCE: f64 = 1e-6;
/// Sweeps of Jacobi rotations at most; six rows need four or five.
const SWEEPS: usize = 30;

/// Scratch for problems of fixed size: `blocks` targets of six rows each, `variables` columns.
#[derive(Debug, Clone)]
pub(super) struct LinearScratch {
    variables: usize,
    normal: DMatrix<f64>,
    right: DVector<f64>,
    /// Rows of the Jacobian, one after the other, then rotated until they are orthogonal.
    rows: Vec<f64>,
    rotated: Vec<f64>,
}

impl LinearScratch {
    pub(super) fn new(blocks: usize, variables: usize) -> Self {
        let size = variables.min(6 * blocks);
        Self {
            variables,
            normal: DMatrix::zeros(size, size),
            right: DVector::zeros(size),
            rows: vec![0.0; 6 * blocks * variables],
            rotated: vec![0.0; 6 * blocks],
        }
    }

    /// Damped least squares: the `step` that minimises |columns · step - rows|² + damping |step|², by the normal equations of the
    /// smaller side: (JᵀJ + λ) step = Jᵀ rows, or step = Jᵀ y with (JJᵀ + λ) y = rows.
    ///
    /// `columns` holds, for each block of `rows`, one column a variable. Columns that are zero give steps of zero.
    pub(super) fn damped(&mut self, columns: &[Vector6<f64>], rows: &[Vector6<f64>], damping: f64, step: &mut [f64]) {
        let wide = self.variables > 6 * rows.len();
        let size = if wide { 6 * rows.len() } else { self.variables };
        // Fewer targets than tips leave the scratch larger than the problem: the rest is the identity.
        self.normal.fill_with_identity();
        self.right.fill(0.0);
        if wide {
            self.fill_by_rows(columns, rows);
        } else {
            self.fill_by_columns(columns, rows);
        }
        for i in 0..size {
            self.normal[(i, i)] += damping + LEAST_DAMPING;
        }
        let normal = mem::replace(&mut self.normal, DMatrix::zeros(0, 0));
        let Some(factor) = Cholesky::new(normal) else {
            // Only numbers beyond all scale get here; the scratch must be whole again for the next problem.
            let side = self.right.len();
            self.normal = DMatrix::zeros(side, side);
            step.fill(0.0);
            return;
        };
        factor.solve_mut(&mut self.right);
        self.normal = factor.unpack_dirty();
        if wide {
            for (i, value) in step.iter_mut().enumerate() {
                *value = (0..rows.len())
                    .map(|b| columns[b * self.variables + i].dot(&self.right.fixed_rows::<6>(6 * b)))
                    .sum();
            }
        } else {
            step.copy_from_slice(&self.right.as_slice()[..self.variables]);
        }
    }

    /// JᵀJ and Jᵀ rows; only the lower triangle, which is all that the factorisation reads.
    fn fill_by_columns(&mut self, columns: &[Vector6<f64>], rows: &[Vector6<f64>]) {
        let n = self.variables;
        let blocks = || columns.chunks_exact(n).take(rows.len());
        for i in 0..n {
            for j in 0..=i {
                self.normal[(i, j)] = blocks().map(|block| block[i].dot(&block[j])).sum();
            }
            self.right[i] = blocks().zip(rows).map(|(block, row)| block[i].dot(row)).sum();
        }
    }

    /// JJᵀ and rows; only the lower triangle.
    fn fill_by_rows(&mut self, columns: &[Vector6<f64>], rows: &[Vector6<f64>]) {
        let n = self.variables;
        for (b, row) in rows.iter().enumerate() {
            self.right.fixed_rows_mut::<6>(6 * b).copy_from(row);
            for c in 0..=b {
                let mut product = self.normal.fixed_view_mut::<6, 6>(6 * b, 6 * c);
                product.fill(0.0);
                for (left, right) in columns[b * n..][..n].iter().zip(&columns[c * n..][..n]) {
                    product.ger(1.0, left, right, 1.0);
                }
            }
        }
    }

    /// The Moore-Penrose solution: of all steps that minimise |columns · step - rows|, the shortest, where singular values
    /// below [`RANK_TOLERANCE`] of the largest count as zero.
    ///
    /// By one-sided Jacobi rotations (Hestenes 1958) of the rows: once they are orthogonal, UJ = ΣVᵀ, and the solution is the sum
    /// of each row times its entry of U rows over the square of its length. Unlike a general singular value
    /// decomposition it works in place at any size, and small singular values keep their relative accuracy.
    pub(super) fn pseudoinverse(&mut self, columns: &[Vector6<f64>], rows: &[Vector6<f64>], step: &mut [f64]) {
        self.orthogonalise(columns, rows);
        let count = 6 * rows.len();
        let lengths =
            |scratch: &Self, i: usize| norm_squared(&scratch.rows[i * scratch.variables..][..scratch.variables]);
        let largest = (0..count).map(|i| lengths(self, i)).fold(0.0, f64::max);
        step.fill(0.0);
        for i in 0..count {
            let length = lengths(self, i);
            if length > RANK_TOLERANCE * RANK_TOLERANCE * largest {
                let factor = self.rotated[i] / length;
                for (value, entry) in step.iter_mut().zip(&self.rows[i * self.variables..]) {
                    *value += factor * entry;
                }
            }
        }
    }

    /// The smallest singular value of the rows that are not zero by themselves, `counted` of them.
    pub(super) fn smallest_singular_value(
        &mut self,
        columns: &[Vector6<f64>],
        rows: &[Vector6<f64>],
        counted: usize,
    ) -> f64 {
        self.orthogonalise(columns, rows);
        let count = 6 * rows.len();
        let lengths = &mut self.rotated[..count];
        for (i, length) in lengths.iter_mut().enumerate() {
            *length = norm_squared(&self.rows[i * self.variables..][..self.variables]);
        }
        lengths.sort_unstable_by(|a, b| b.total_cmp(a));
        let rank = counted.min(self.variables).min(count);
        if rank == 0 { 0.0 } else { lengths[rank - 1].sqrt() }
    }

    /// Copies the Jacobian's rows and the right-hand side, and rotates both until the rows are orthogonal.
    fn orthogonalise(&mut self, columns: &[Vector6<f64>], rows: &[Vector6<f64>]) {
        let (n, count) = (self.variables, 6 * rows.len());
        for i in 0..count {
            for j in 0..n {
                self.rows[i * n + j] = columns[(i / 6) * n + j][i % 6];
            }
            self.rotated[i] = rows[i / 6][i % 6];
        }
        for _ in 0..SWEEPS {
            let mut still = true;
            for i in 1..count {
                for j in 0..i {
                    still &= !self.rotate(j, i);
                }
            }
            if still {
                break;
            }
        }
    }

    /// Makes rows `i` < `j` orthogonal by a rotation in their plane; tells whether one was needed.
    fn rotate(&mut self, i: usize, j: usize) -> bool {
        let n = self.variables;
        let (head, tail) = self.rows.split_at_mut(j * n);
        let (a, b) = (&mut head[i * n..][..n], &mut tail[..n]);
        let (aa, bb) = (norm_squared(a), norm_squared(b));
        let ab: f64 = a.iter().zip(b.iter()).map(|(x, y)| x * y).sum();
        if ab.abs() <= 1e-15 * (aa * bb).sqrt() {
            return false;
        }
        let ratio = (bb - aa) / (2.0 * ab);
        let tangent = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
        let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
        let sine = cosine * tangent;
        for (x, y) in a.iter_mut().zip(b.iter_mut()) {
            (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
        }
        let (x, y) = (self.rotated[i], self.rotated[j]);
        (self.rotated[i], self.rotated[j]) = (cosine * x - sine * y, sine * x + cosine * y);
        true
    }
}

fn norm_squared(row: &[f64]) -> f64 {
    row.iter().map(|entry| entry * entry).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries that look random and are the same each time.
    fn entries(count: usize, mut state: u64) -> Vec<f64> {
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(state >> 40).unwrap()) / f64::from(1 << 24) - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    /// A problem as the solver takes it and as matrix and vector.
    type Problem = (Vec<Vector6<f64>>, Vec<Vector6<f64>>, DMatrix<f64>, DVector<f64>);

    fn problem(blocks: usize, variables: usize, rank_loss: bool) -> Problem {
        let values = entries(6 * blocks * (variables + 1), 7 + (blocks * variables) as u64);
        let mut columns: Vec<Vector6<f64>> =
            values.chunks_exact(6).take(blocks * variables).map(Vector6::from_column_slice).collect();
        if rank_loss {
            for block in columns.chunks_exact_mut(variables) {
                block[variables - 1] = block[0] * 2.0;
                for column in block {
                    column[5] = column[4];
                }
            }
        }
        let rows: Vec<Vector6<f64>> =
            values.chunks_exact(6).skip(blocks * variables).map(Vector6::from_column_slice).collect();
        let matrix = DMatrix::from_fn(6 * blocks, variables, |r, c| columns[(r / 6) * variables + c][r % 6]);
        let right = DVector::from_fn(6 * blocks, |r, _| rows[r / 6][r % 6]);
        (columns, rows, matrix, right)
    }

    #[test]
    fn damped_step_satisfies_its_normal_equations_on_either_side() {
        for (blocks, variables) in [(1, 3), (1, 6), (1, 7), (2, 7), (2, 20)] {
            let (columns, rows, matrix, right) = problem(blocks, variables, false);
            let mut step = vec![0.0; variables];
            LinearScratch::new(blocks, variables).damped(&columns, &rows, 0.01, &mut step);
            let step = DVector::from_vec(step);
            let gradient = matrix.transpose() * (&matrix * &step - right) + step * 0.01;
            assert!(gradient.norm() < 1e-10, "{blocks} {variables}: {gradient}");
        }
    }

    #[test]
    fn pseudoinverse_agrees_with_a_singular_value_decomposition() {
        for (blocks, variables, rank_loss) in [(1, 3, false), (1, 6, true), (1, 7, false), (1, 9, true), (2, 8, true)] {
            let (columns, rows, matrix, right) = problem(blocks, variables, rank_loss);
            let mut scratch = LinearScratch::new(blocks, variables);
            let mut step = vec![0.0; variables];
            scratch.pseudoinverse(&columns, &rows, &mut step);
            let expected = matrix.clone().pseudo_inverse(1e-6).unwrap() * right;
            assert!((DVector::from_vec(step) - &expected).norm() < 1e-9 * (1.0 + expected.norm()));
            let singular = matrix.singular_values();
            let found = scratch.smallest_singular_value(&columns, &rows, 6 * blocks);
            assert!((found - singular.min()).abs() < 1e-12, "{found} {singular}");
        }
    }
}
