//! The sign of the determinant of a square Jacobian.

use crate::Target;
use crate::kernel::Configurations;
use urdf_ik_mathematics::vectors::add_times;

/// Memory for its elimination.
#[derive(Debug, Clone)]
pub struct Determinant {
    size: usize,
    /// Rows of the Jacobian, one after the other.
    rows: Vec<f64>,
}

impl Determinant {
    /// For Jacobians of so many variables.
    pub fn new(size: usize) -> Self {
        Self { size, rows: vec![0.0; size * size] }
    }

    /// Whether the Jacobian of one lane over the axes of `targets` that count, as many as variables, has a positive determinant.
    pub fn is_positive(&mut self, configurations: &Configurations, targets: &[Target], lane: usize) -> bool {
        let size = self.size;
        let counted = targets
            .iter()
            .enumerate()
            .flat_map(|(t, target)| (0..6).filter(|axis| !target.free_axes[*axis]).map(move |axis| (t * size, axis)));
        for (row, (first, axis)) in self.rows.chunks_exact_mut(size).zip(counted) {
            for (entry, column) in row.iter_mut().zip(&configurations.columns[first..]) {
                *entry = column[axis].0[lane];
            }
        }
        self.eliminate()
    }

    /// Gaussian elimination with the greatest pivots of each column.
    fn eliminate(&mut self) -> bool {
        let Self { size, rows } = self;
        let (mut left, mut positive) = (&mut rows[..], true);
        for column in 0..*size {
            let pivots = left.chunks_exact(*size).map(|row| row[column].abs()).enumerate();
            let pivot = pivots.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(row, _)| row);
            if pivot > 0 {
                (0..*size).for_each(|i| left.swap(i, pivot * *size + i));
                positive = !positive;
            }
            let (first, rest) = left.split_at_mut(*size);
            positive ^= first[column] < 0.0;
            for row in rest.chunks_exact_mut(*size) {
                add_times(row, -row[column] / first[column], first);
            }
            left = rest;
        }
        positive
    }
}
