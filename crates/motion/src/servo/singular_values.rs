//! The singular value decomposition of the Jacobian.

use super::stacked_jacobian::StackedJacobian;
use urdf_ik_mathematics::row_rotations::diagonalise;
use urdf_ik_mathematics::vectors::{dot, length};

/// The decomposition J = Σ wₖ σₖ vₖᵀ, where the wₖ are orthonormal, and so are the vₖ. It is found by rotations of the rows, which keep the
/// relative accuracy of small singular values. They are in no order.
#[derive(Debug, Clone)]
pub struct SingularValues {
    variables: usize,
    /// The wₖ, one after the other.
    left: Vec<f64>,
    /// The σₖ vₖ, one after the other.
    right: Vec<f64>,
    /// The σₖ.
    pub values: Vec<f64>,
}

impl SingularValues {
    pub fn new(rows: usize, variables: usize) -> Self {
        Self { variables, left: vec![0.0; rows * rows], right: vec![0.0; rows * variables], values: vec![0.0; rows] }
    }

    /// Decomposes a Jacobian.
    pub fn decompose(&mut self, jacobian: &StackedJacobian) {
        let count = self.values.len();
        self.right.copy_from_slice(&jacobian.rows);
        self.left.fill(0.0);
        self.left.iter_mut().step_by(count + 1).for_each(|entry| *entry = 1.0);
        diagonalise(&mut self.right, &mut self.left, count);
        for (value, row) in self.values.iter_mut().zip(self.right.chunks_exact(self.variables)) {
            *value = length(row);
        }
    }

    /// wₖ: what of the tips' twists the value of that index is of.
    pub fn left(&self, index: usize) -> &[f64] {
        &self.left[index * self.values.len()..][..self.values.len()]
    }

    /// σₖ vₖ: the motion of the variables that it is of, times the value.
    pub fn right(&self, index: usize) -> &[f64] {
        &self.right[index * self.variables..][..self.variables]
    }

    /// The speed of a variable with which the tips have a twist, where singular values below `least` count as that.
    pub fn response(&self, twist: &[f64], variable: usize, least: f64) -> f64 {
        /// Singular values below this are 0.
        const ZERO: f64 = 1e-7;
        let values = self.values.iter().enumerate().filter(|(_, value)| **value > ZERO);
        let of = |(index, value): (usize, &f64)| {
            dot(self.left(index), twist) / value.max(least) * self.right(index)[variable] / value
        };
        values.map(of).sum()
    }

    /// The smallest singular value, of as many as there are variables or rows.
    pub fn smallest(&self) -> f64 {
        // Of more rows than variables, some have no value of their own.
        let surplus = self.values.len().saturating_sub(self.variables);
        let rank = |value: f64| self.values.iter().filter(|other| **other < value).count();
        self.values.iter().copied().filter(|value| rank(*value) <= surplus).fold(0.0, f64::max)
    }
}
