//! Problems and solutions of pitch-yaw arms.

use nalgebra::Point3;

use super::{InputError, Outcome, PitchYawArm, PitchYawScratch, Reason, Residual};
use urdf_ik_mathematics::segments::{InputErrorKind, check_coordinates, check_count, check_positive, require};
use urdf_ik_text::setters;

/// Larger seed angles are refused \[rad\]: the sine of their sums would be inaccurate.
const MAX_ANGLE: f64 = 1e6;

/// How an iteration computes its step from the error e = target - tip and the 3×2n Jacobian J. Both methods use the
/// eigenvalues of the 3×3 matrix JJᵀ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StepMethod {
    /// Damped least squares: step = Jᵀ (JJᵀ + λ²I)⁻¹ e minimises |J step - e|² + λ² |step|² (Nakamura and Hanafusa
    /// 1986; Wampler 1986; surveyed by Buss 2004), with error damping λ² = |e|² (Sugihara 2011): cautious far from the
    /// target, quadratic convergence near it.
    #[default]
    DampedLeastSquares,
    /// Moore-Penrose pseudoinverse: step = J⁺ e, the shortest minimiser of |J step - e|. Singular values below a
    /// millionth of the largest are treated as zero.
    Pseudoinverse,
}

/// Solver options.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct PitchYawOptions {
    /// Method that computes the steps.
    pub method: StepMethod,
    /// Position tolerance of the target \[m\]; positive.
    pub tolerance: f64,
    /// Maximum number of iterations of a solve; on a path, per point.
    pub iterations: usize,
    /// Maximum number of restarts after the attempt from the seed; on a path at most one.
    pub restarts: usize,
}

impl Default for PitchYawOptions {
    /// Damped least squares, 1 µm, 500 iterations, 100 restarts.
    fn default() -> Self {
        Self { method: StepMethod::default(), tolerance: 1e-6, iterations: 500, restarts: 100 }
    }
}

impl PitchYawOptions {
    setters! {
        with_method(method: StepMethod);
        with_tolerance(tolerance: f64);
        with_iterations(iterations: usize);
        with_restarts(restarts: usize);
    }
}

/// A problem for a pitch-yaw arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitchYawProblem<'a> {
    /// Target position of the tip \[m\], in the arm's frame.
    pub target: Point3<f64>,
    /// Initial positions \[rad\], n pitches, then n yaws; clamped to the bounds.
    pub seed: &'a [f64],
    /// Solver options.
    pub options: PitchYawOptions,
}

/// The solution of a problem. Created by [`PitchYawArm::solution`], overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct PitchYawSolution {
    /// Positions of the variables \[rad\], n pitches, then n yaws, within their bounds.
    pub positions: Vec<f64>,
    /// Position of the tip \[m\] in the arm's frame, from forward kinematics of exactly the returned positions.
    pub tip: Point3<f64>,
    /// Remaining error between tip and target.
    pub residual: Residual,
    /// Number of iterations.
    pub iterations: usize,
    /// Number of restarts after the attempt from the seed.
    pub restarts: usize,
}

impl PitchYawSolution {
    /// True if the target is met.
    pub fn is_solved(&self) -> bool {
        self.residual.outcome == Outcome::Solved
    }
}

impl PitchYawArm {
    /// Preallocated memory for a solution.
    pub fn solution(&self) -> PitchYawSolution {
        PitchYawSolution {
            positions: vec![0.0; self.variables()],
            tip: self.base,
            residual: Residual { distance: f64::INFINITY, angle: 0.0, outcome: Outcome::Closest(Reason::NotConverged) },
            iterations: 0,
            restarts: 0,
        }
    }

    /// Checks that problem, scratch and solution fit this arm.
    pub(super) fn check(
        &self,
        problem: &PitchYawProblem,
        scratch: &PitchYawScratch,
        solution: &PitchYawSolution,
    ) -> Result<(), InputError> {
        check_coordinates("the target", problem.target.coords.as_slice())?;
        check_count("seed", problem.seed.len(), self.variables())?;
        check_count("scratch", scratch.columns.len(), self.variables())?;
        check_count("solution", solution.positions.len(), self.variables())?;
        for (index, &value) in problem.seed.iter().enumerate() {
            let segments = self.lengths.len();
            let what = if index < segments { "the pitch of segment" } else { "the yaw of segment" };
            let (element, right) = ((what, index % segments).into(), "a finite number within 1e6");
            require(value.abs() <= MAX_ANGLE, || InputErrorKind::Number { element, value, unit: " rad", right })?;
        }
        check_positive("the tolerance", problem.options.tolerance, " m")
    }
}
