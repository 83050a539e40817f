//! The singular value decomposition of the Jacobian.

use super::constants::LITTLE;
use urdf_ik_mathematics::row_rotations::diagonalise;
use urdf_ik_mathematics::vectors::{add_times, dot, length};

/// The decomposition J = Σ wₖ σₖ vₖᵀ, with orthonormal wₖ and orthonormal vₖ, in no order. It is computed by rotations
/// of the rows, which keep the relative accuracy of small singular values.
#[derive(Debug, Clone, Default)]
pub struct SingularValues {
    variables: usize,
    /// The wₖ, one after the other.
    left: Vec<f64>,
    /// The σₖ vₖ, one after the other.
    right: Vec<f64>,
    /// The σₖ, one for each row of the Jacobian.
    pub values: Vec<f64>,
}

impl SingularValues {
    /// Memory for Jacobians of `rows` rows and `variables` columns.
    pub fn new(rows: usize, variables: usize) -> Self {
        Self { variables, left: vec![0.0; rows * rows], right: vec![0.0; rows * variables], values: vec![0.0; rows] }
    }

    /// Decomposes a row-major `jacobian` of as many rows and variables as in [`new`](Self::new).
    pub fn decompose(&mut self, jacobian: &[f64]) {
        let count = self.values.len();
        self.right.copy_from_slice(jacobian);
        self.left.fill(0.0);
        self.left.iter_mut().step_by(count + 1).for_each(|entry| *entry = 1.0);
        diagonalise(&mut self.right, &mut self.left, count);
        for (value, row) in self.values.iter_mut().zip(self.right.chunks_exact(self.variables)) {
            *value = length(row);
        }
    }

    /// The vector σₖ vₖ with this index: one entry for each variable.
    pub fn right(&self, index: usize) -> &[f64] {
        &self.right[index * self.variables..][..self.variables]
    }

    /// The smallest singular value that counts, and its wₖ, with one entry for each row.
    pub fn smallest(&self) -> (f64, &[f64]) {
        let count = self.values.len();
        let counted = (0..count).filter(|index| self.counts(*index));
        let index = counted.min_by(|a, b| self.values[*a].total_cmp(&self.values[*b])).unwrap_or(0);
        (self.values[index], &self.left[index * count..][..count])
    }

    /// Writes joint velocities without a motion of the tips, for a unit speed of the tips: one entry for each variable
    /// \[-\]. They are zero away from singularities. Each joint has another share, so that no symmetry is left.
    pub fn write_idle(&self, idle: &mut [f64]) {
        // The joint with the number i of n begins with i / 2n.
        let share = (1.0 - self.smallest().0 / LITTLE).max(0.0) / idle.iter().map(|_| 2.0).sum::<f64>();
        let mut part = 0.0;
        for entry in idle.iter_mut() {
            part += share;
            *entry = part;
        }
        for (index, value) in self.values.iter().enumerate().filter(|(_, value)| **value >= LITTLE) {
            let right = self.right(index);
            add_times(idle, -dot(right, idle) / (value * value), right);
        }
    }

    /// True unless the value is only rounding: with more rows than variables, the smallest values are.
    pub fn counts(&self, index: usize) -> bool {
        let surplus = self.values.len().saturating_sub(self.variables);
        let is_less = |(other, value): &(usize, &f64)| (**value, *other) < (self.values[index], index);
        self.values.iter().enumerate().filter(is_less).count() >= surplus
    }
}
