//! The step of an iteration: the bounded linear problem J · step = error.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use super::{PitchYawArm, PitchYawScratch, StepMethod};
use urdf_ik_mathematics::bounded_step::{StepProblem, solve_within_bounds};

/// Singular values of J below this fraction of the largest count as zero in the pseudoinverse.
const RANK_TOLERANCE: f64 = 1e-6;
/// Maximum number of iterations of the eigenvalue solver; 3×3 matrices need a few.
const MAX_EIGEN_ITERATIONS: usize = 100;
/// Largest change of a variable in a step \[rad\], beyond which linearised angles are meaningless.
const MAX_TURN: f64 = 1.0;

impl PitchYawArm {
    /// Writes the step from `scratch.current` for an `error` \[m\] to `scratch.step`, with the Jacobian in
    /// `scratch.columns`. Returns the predicted change of the tip \[m\].
    ///
    /// [`solve_within_bounds`] keeps the bounds.
    pub(super) fn bounded_step(
        &self,
        error: &Vector3<f64>,
        method: StepMethod,
        scratch: &mut PitchYawScratch,
    ) -> Vector3<f64> {
        let PitchYawScratch { columns, current, step, stopped, .. } = scratch;
        let damping = (method == StepMethod::DampedLeastSquares).then(|| error.norm_squared());
        let mut problem = TipStep { arm: self, columns, current, damping, remaining: *error };
        solve_within_bounds(&mut problem, stopped, step);
        let largest = step.iter().fold(0.0, |largest: f64, step| largest.max(step.abs()));
        if largest > MAX_TURN {
            for step in step.iter_mut() {
                *step *= MAX_TURN / largest;
            }
        }
        columns.iter().zip(step.iter()).map(|(column, step)| column * *step).sum()
    }
}

/// The linear problem of a step of the tip.
struct TipStep<'a> {
    arm: &'a PitchYawArm,
    columns: &'a [Vector3<f64>],
    current: &'a [f64],
    /// Damping \[m²\] of damped least squares.
    damping: Option<f64>,
    /// The error \[m\] without the effect of clamped variables.
    remaining: Vector3<f64>,
}

impl StepProblem for TipStep<'_> {
    fn solve(&mut self, clamped: &[bool], step: &mut [f64]) {
        let columns = self.columns.iter().zip(clamped);
        let free = columns.clone().filter(|(_, clamped)| !**clamped);
        let normal = free.fold(Matrix3::zeros(), |sum, (column, _)| sum + column * column.transpose());
        let weights = solve_normal(normal, &self.remaining, self.damping);
        for (step, (column, _)) in step.iter_mut().zip(columns).filter(|(_, (_, clamped))| !**clamped) {
            *step = column.dot(&weights);
        }
    }

    fn bounds(&self, variable: usize) -> [f64; 2] {
        let Self { arm, current, .. } = self;
        [arm.lower[variable] - current[variable], arm.upper[variable] - current[variable]]
    }

    fn subtract(&mut self, variable: usize, step: f64) {
        self.remaining -= self.columns[variable] * step;
    }
}

/// The w by which step = Jᵀw, from `normal` = JJᵀ = VΛVᵀ: (JJᵀ + damping)⁻¹ error, or without damping (JJᵀ)⁺ error.
/// Both divide by eigenvalues, so that directions in which the tip cannot move get nothing.
fn solve_normal(normal: Matrix3<f64>, error: &Vector3<f64>, damping: Option<f64>) -> Vector3<f64> {
    let Some(eigen) = SymmetricEigen::try_new(normal, f64::EPSILON, MAX_EIGEN_ITERATIONS) else {
        return Vector3::zeros();
    };
    let largest = eigen.eigenvalues.max();
    let mut weights = Vector3::zeros();
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        let divisor = match damping {
            // Rounding can make zero eigenvalues negative.
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
