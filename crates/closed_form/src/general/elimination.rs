//! Gaussian elimination of small matrices.

use urdf_ik_mathematics::vectors::add_times;

/// A matrix in triangular form, by complete pivoting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eliminated<const N: usize> {
    rows: [[f64; N]; N],
    right: [f64; N],
    /// The variable of each column.
    variables: [usize; N],
}

impl<const N: usize> Eliminated<N> {
    /// `right` is the right-hand side.
    pub fn new(mut rows: [[f64; N]; N], mut right: [f64; N]) -> Self {
        let mut variables: [usize; N] = std::array::from_fn(|i| i);
        for step in 0..N {
            let (mut row, mut column, mut largest) = (step, step, -1.0);
            for (i, values) in rows.iter().enumerate().skip(step) {
                for (j, value) in values.iter().enumerate().skip(step) {
                    if value.abs() > largest {
                        (row, column, largest) = (i, j, value.abs());
                    }
                }
            }
            if largest <= 0.0 {
                break;
            }
            rows.swap(row, step);
            right.swap(row, step);
            if column != step {
                for row in &mut rows {
                    row.swap(column, step);
                }
                variables.swap(column, step);
            }
            let (top, given) = (rows[step], right[step]);
            let inverse = 1.0 / top[step];
            for (row, right) in rows.iter_mut().zip(&mut right).skip(step + 1) {
                let factor = row[step] * inverse;
                add_times(&mut row[step..], -factor, &top[step..]);
                *right -= factor * given;
            }
        }
        Self { rows, right, variables }
    }

    /// Magnitude of the pivot of a step; the first is the largest entry of the matrix.
    pub fn pivot(&self, step: usize) -> f64 {
        self.rows[step][step].abs()
    }

    /// The solution; variables with pivots up to `least` are zero.
    pub fn solution(&self, least: f64) -> [f64; N] {
        let rank = (0..N).take_while(|step| self.rows[*step][*step].abs() > least).count();
        self.back(rank, [0.0; N], &self.right)
    }

    /// Vector that the matrix maps nearly to zero: that of the last pivot, or of the pivot `before` it.
    pub fn vanishing(&self, before: usize) -> [f64; N] {
        let mut values = [0.0; N];
        values[N - 1 - before] = 1.0;
        self.back(N - 1 - before, values, &[0.0; N])
    }

    fn back(&self, rank: usize, mut values: [f64; N], right: &[f64; N]) -> [f64; N] {
        for step in (0..rank).rev() {
            let row = &self.rows[step];
            let known: f64 = row.iter().zip(&values).skip(step + 1).map(|(factor, value)| factor * value).sum();
            values[step] = (right[step] - known) / row[step];
        }
        let mut solution = [0.0; N];
        for (variable, value) in self.variables.iter().zip(values) {
            solution[*variable] = value;
        }
        solution
    }
}
