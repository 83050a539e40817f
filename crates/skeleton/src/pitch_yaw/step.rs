//! The step of one iteration: the linear problem J · step = error, inside the bounds.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use super::{Method, PitchYawArm, Scratch};

/// Singular values of J below this fraction of the largest count as zero in the pseudoinverse.
const RANK_TOLERANCE: f64 = 1e-6;
/// Largest number of passes of the eigenvalue iteration; three rows need a few.
const PASSES: usize = 100;
/// Largest change of a variable in one step \[rad\]: beyond it a linear approximation of angles is meaningless.
const MAX_TURN: f64 = 1.0;

impl PitchYawArm {
    /// Writes into `scratch.step` the step from `scratch.current` for the `error` \[m\], with the Jacobian in
    /// `scratch.columns`. Returns the change of the tip \[m\] that the linear approximation predicts.
    ///
    /// An active set keeps the bounds: variables that would leave theirs are clamped to them, the effect on the tip is
    /// subtracted from the error, and the step of the others is solved again.
    pub(super) fn bounded_step(&self, error: &Vector3<f64>, method: Method, scratch: &mut Scratch) -> Vector3<f64> {
        let Scratch { columns, current, step, stopped, .. } = scratch;
        let damping = match method {
            Method::DampedLeastSquares => Some(error.norm_squared()),
            Method::Pseudoinverse => None,
        };
        let mut remaining = *error;
        stopped.fill(false);
        loop {
            let free = columns.iter().zip(stopped.iter()).filter(|(_, stopped)| !**stopped);
            let normal = free.fold(Matrix3::zeros(), |sum, (column, _)| sum + column * column.transpose());
            let weights = solve_normal(normal, &remaining, damping);
            let mut stopped_one = false;
            for (i, column) in columns.iter().enumerate() {
                if stopped[i] {
                    continue;
                }
                let wanted = column.dot(&weights);
                step[i] = wanted.max(self.lower[i] - current[i]).min(self.upper[i] - current[i]);
                if step[i] != wanted {
                    remaining -= column * step[i];
                    stopped[i] = true;
                    stopped_one = true;
                }
            }
            if !stopped_one {
                break;
            }
        }
        let largest = step.iter().fold(0.0, |largest: f64, step| largest.max(step.abs()));
        if largest > MAX_TURN {
            for step in step.iter_mut() {
                *step *= MAX_TURN / largest;
            }
        }
        columns.iter().zip(step.iter()).map(|(column, step)| column * *step).sum()
    }
}

/// The w by which step = Jᵀw, from `normal` = JJᵀ = VΛVᵀ: (JJᵀ + damping)⁻¹ error, or without damping (JJᵀ)⁺ error.
/// Both divide by eigenvalues, so that directions in which the tip cannot move get nothing.
fn solve_normal(normal: Matrix3<f64>, error: &Vector3<f64>, damping: Option<f64>) -> Vector3<f64> {
    let Some(eigen) = SymmetricEigen::try_new(normal, f64::EPSILON, PASSES) else {
        return Vector3::zeros();
    };
    let largest = eigen.eigenvalues.max();
    let mut weights = Vector3::zeros();
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        let divisor = match damping {
            // Rounding leaves eigenvalues that should be zero on either side of it.
            Some(damping) => value.max(0.0) + damping,
            None if *value > RANK_TOLERANCE * RANK_TOLERANCE * largest => *value,
            None => continue,
        };
        if divisor > 0.0 {
            weights += vector * (vector.dot(error) / divisor);
        }
    }
    weights
}
