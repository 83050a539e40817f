//! Motions that leave a singular configuration to second order, such as the bending of a stretched elbow.
//!
//! At a singular configuration no velocity moves the tips along some direction w. But a motion d of the null space may: along it the tips
//! are w · x(t) = t² / 2 · dᵀ H d further after a time t, with the second derivative H of w · x over the null space.

use super::singular_values::{SingularValues, diagonalise};
use super::stacked_jacobian::StackedJacobian;

/// A step of the variables for a difference quotient \[rad or m\].
const STEP: f64 = 1e-4;
/// A second derivative below this \[1/rad, over the length scale\] leads nowhere.
const LEAST_CURVATURE: f64 = 1e-2;
/// A vector of the null space that is shorter than this before it is made as long as 1 depends on others.
const INDEPENDENT: f64 = 0.1;

/// Finds such motions.
#[derive(Debug, Clone)]
pub struct NullMotion {
    /// An orthonormal basis of the null space, one vector after the other.
    basis: Vec<f64>,
    size: usize,
    /// The second derivative over that basis, and then its eigenvectors.
    form: Vec<f64>,
    turned: Vec<f64>,
    moved: Vec<f64>,
    ahead: StackedJacobian,
    /// The motion found last, as long as 1.
    pub found: Vec<f64>,
}

impl NullMotion {
    pub fn new(jacobian: &StackedJacobian, variables: usize) -> Self {
        Self {
            basis: vec![0.0; variables * variables],
            size: 0,
            form: vec![0.0; variables * variables],
            turned: vec![0.0; variables * variables],
            moved: vec![0.0; variables],
            ahead: jacobian.clone(),
            found: vec![0.0; variables],
        }
    }

    /// The second derivative of `direction` · x along a unit motion of the variables.
    pub fn curvature(
        &mut self,
        (jacobian, positions): (&StackedJacobian, &[f64]),
        (direction, motion): (&[f64], &[f64]),
    ) -> f64 {
        self.differentiate(jacobian, positions, direction, motion);
        dot(&self.moved, motion)
    }

    /// Writes the acceleration of the tips where the variables have constant `velocities`, in the units of the Jacobian.
    pub fn write_acceleration(
        &mut self,
        (jacobian, positions): (&StackedJacobian, &[f64]),
        velocities: &[f64],
        acceleration: &mut [f64],
    ) {
        let speed = dot(velocities, velocities).sqrt();
        let time = STEP / speed.max(f64::MIN_POSITIVE);
        for (moved, (position, velocity)) in self.moved.iter_mut().zip(positions.iter().zip(velocities)) {
            *moved = position + if speed > 0.0 { time * velocity } else { 0.0 };
        }
        self.ahead.find(&self.moved);
        for (row, entry) in acceleration.iter_mut().enumerate() {
            let change = dot(self.ahead.row(row), velocities) - dot(jacobian.row(row), velocities);
            *entry = if speed > 0.0 { change / time } else { 0.0 };
        }
    }

    /// Finds the null space: what is orthogonal to the motions whose singular values are above `zero`.
    pub fn find_null_space(&mut self, singular: &SingularValues, zero: f64) {
        let variables = self.found.len();
        self.size = 0;
        for unit in 0..variables {
            let start = self.size * variables;
            let (known, rest) = self.basis.split_at_mut(start);
            let Some(vector) = rest.get_mut(..variables) else { return };
            vector.fill(0.0);
            vector[unit] = 1.0;
            for (index, value) in singular.values.iter().enumerate().filter(|(_, value)| **value > zero) {
                remove(vector, singular.right(index), value * value);
            }
            for other in known.chunks_exact(variables) {
                remove(vector, other, 1.0);
            }
            let length = dot(vector, vector).sqrt();
            if length > INDEPENDENT {
                for entry in &mut *vector {
                    *entry /= length;
                }
                self.size += 1;
            }
        }
    }

    /// Finds the motion of the null space along which `direction` · x grows fastest to second order, and writes it into `found`. Gives
    /// whether there is one.
    pub fn find(&mut self, jacobian: &StackedJacobian, positions: &[f64], direction: &[f64]) -> bool {
        let (size, variables) = (self.size, self.found.len());
        if size == 0 {
            return false;
        }
        for a in 0..size {
            let mut motion = std::mem::take(&mut self.found);
            motion.copy_from_slice(&self.basis[a * variables..][..variables]);
            self.differentiate(jacobian, positions, direction, &motion);
            self.found = motion;
            for b in 0..size {
                self.form[a * size + b] = dot(&self.moved, &self.basis[b * variables..][..variables]);
            }
        }
        let (strongest, shift) = self.diagonalise();
        let rows = self.form[..size * size].chunks_exact(size);
        let Some(row) = rows.clone().nth(strongest) else { return false };
        let length = dot(row, row).sqrt();
        if length - shift < LEAST_CURVATURE {
            return false;
        }
        self.found.fill(0.0);
        for (entry, vector) in row.iter().zip(self.basis.chunks_exact(variables)) {
            self.found.iter_mut().zip(vector).for_each(|(found, v)| *found += entry / length * v);
        }
        true
    }

    /// Makes eigenvectors of the symmetric form, which is shifted so that no eigenvalue is negative. Gives the index of the greatest, and
    /// the shift.
    fn diagonalise(&mut self) -> (usize, f64) {
        let size = self.size;
        let mut shift = 0.0_f64;
        for a in 0..size {
            for b in 0..a {
                let mean = 0.5 * (self.form[a * size + b] + self.form[b * size + a]);
                (self.form[a * size + b], self.form[b * size + a]) = (mean, mean);
            }
        }
        for row in self.form[..size * size].chunks_exact(size) {
            shift = shift.max(row.iter().map(|entry| entry.abs()).sum());
        }
        self.form[..size * size].iter_mut().step_by(size + 1).for_each(|entry| *entry += shift);
        diagonalise(&mut self.form[..size * size], &mut self.turned[..size * size], size);
        let length = |row: &[f64]| dot(row, row);
        let rows = self.form[..size * size].chunks_exact(size).enumerate();
        let strongest = rows.max_by(|a, b| length(a.1).total_cmp(&length(b.1)));
        (strongest.map_or(0, |(index, _)| index), shift)
    }

    /// Writes the derivative of `direction` · J along `motion` into `moved`.
    fn differentiate(&mut self, jacobian: &StackedJacobian, positions: &[f64], direction: &[f64], motion: &[f64]) {
        for (moved, (position, motion)) in self.moved.iter_mut().zip(positions.iter().zip(motion)) {
            *moved = position + STEP * motion;
        }
        self.ahead.find(&self.moved);
        self.moved.fill(0.0);
        for (row, weight) in direction.iter().enumerate() {
            let change = self.ahead.row(row).iter().zip(jacobian.row(row)).map(|(there, here)| (there - here) / STEP);
            self.moved.iter_mut().zip(change).for_each(|(moved, change)| *moved += weight * change);
        }
    }
}

/// Removes from a vector what it has of another one, whose squared length is given.
fn remove(vector: &mut [f64], other: &[f64], squared: f64) {
    let share = dot(vector, other) / squared;
    vector.iter_mut().zip(other).for_each(|(entry, other)| *entry -= share * other);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
