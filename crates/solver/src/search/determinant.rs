//! The sign of the determinant of a square Jacobian.

use crate::Target;
use crate::kernel::Configurations;
use urdf_ik_mathematics::vectors::add_times;

/// Gaussian elimination for the sign of a determinant, with its memory.
#[derive(Debug, Clone)]
pub struct Determinant {
    size: usize,
    /// Rows of the Jacobian, one after the other.
    rows: Vec<f64>,
}

impl Determinant {
    /// Memory for square Jacobians of `variables` columns. Chains with more variables than the axes of `tips` tips have
    /// no square Jacobian and need no memory.
    pub fn new(variables: usize, tips: usize) -> Self {
        let entries = if variables <= 6 * tips { variables * variables } else { 0 };
        Self { size: variables, rows: vec![0.0; entries] }
    }

    /// True if the square Jacobian of one lane, over the constrained axes of `targets`, has a positive determinant.
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

    /// Gaussian elimination with partial pivoting.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_is_that_of_the_permutation_and_the_pivots() {
        for (rows, positive) in [
            ([1.0, 0.0, 0.0, 1.0], true),
            ([0.0, 1.0, 1.0, 0.0], false),
            ([2.0, 1.0, 1.0, 1.0], true),
            ([1.0, 2.0, 3.0, 4.0], false),
            ([-1.0, 0.0, 0.0, -1.0], true),
        ] {
            assert_eq!(Determinant { size: 2, rows: rows.to_vec() }.eliminate(), positive, "{rows:?}");
        }
    }

    #[test]
    fn long_chains_need_no_memory() {
        assert_eq!(Determinant::new(6, 1).rows.len(), 36);
        assert_eq!(Determinant::new(10_000, 1).rows.len(), 0);
    }
}
