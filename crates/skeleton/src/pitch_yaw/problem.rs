//! The problem and the solution of an arm.

use nalgebra::Point3;

use super::{InputError, Outcome, PitchYawArm, Reason, Residual, Scratch};
use urdf_ik_mathematics::segments::{Refusal, check_coordinates, check_count, check_positive, require};

/// Seed angles beyond this \[rad\] are refused: sums of them would leave too few digits for their sine.
const MAX_ANGLE: f64 = 1e6;

/// How the step of an iteration is computed from the error e = target - tip and the 3×2n Jacobian J. Both methods use the
/// eigenvalues of the 3×3 matrix JJᵀ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Method {
    /// Damped least squares: step = Jᵀ (JJᵀ + λ²I)⁻¹ e, which minimises |J step - e|² + λ² |step|² (Nakamura and
    /// Hanafusa 1986; Wampler 1986; surveyed by Buss 2004). The damping follows the error, λ² = |e|² (Sugihara 2011):
    /// careful far from the target, quadratic convergence near it.
    #[default]
    DampedLeastSquares,
    /// Moore-Penrose pseudoinverse: step = J⁺ e, the shortest step of those that minimise |J step - e|. Singular values
    /// below a millionth of the largest count as zero.
    Pseudoinverse,
}

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// How steps are computed.
    pub method: Method,
    /// Largest distance between tip and target \[m\] at which the target counts as met.
    pub tolerance: f64,
    /// Iterations at most, over the solve; on a path, from each point to the next.
    pub iterations: usize,
    /// Largest number of attempts after the one from the seed; on a path, there is one at most.
    pub restarts: usize,
}

impl Default for Options {
    /// Damped least squares to 1 µm in 500 iterations, with up to 100 restarts.
    fn default() -> Self {
        Self { method: Method::default(), tolerance: 1e-6, iterations: 500, restarts: 100 }
    }
}

/// One problem for the arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem<'a> {
    /// Desired position of the tip \[m\], in the frame in which the base is given.
    pub target: Point3<f64>,
    /// Positions to start from \[rad\], 2n entries. Those outside the bounds are moved to them.
    pub seed: &'a [f64],
    /// How it is solved.
    pub options: Options,
}

/// The arm's answer. Made by [`PitchYawArm::solution`], overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Positions of the variables \[rad\], 2n entries, inside the bounds.
    pub positions: Vec<f64>,
    /// Position of the tip \[m\], by forward kinematics of exactly these positions.
    pub tip: Point3<f64>,
    /// What is left between tip and target.
    pub residual: Residual,
    /// Number of iterations.
    pub iterations: usize,
    /// Number of attempts after the one from the seed.
    pub restarts: usize,
}

impl Solution {
    /// Whether the target is met.
    pub fn is_solved(&self) -> bool {
        self.residual.outcome == Outcome::Solved
    }
}

impl PitchYawArm {
    /// Memory for an answer.
    pub fn solution(&self) -> Solution {
        Solution {
            positions: vec![0.0; self.variables()],
            tip: self.base,
            residual: Residual { distance: f64::INFINITY, angle: 0.0, outcome: Outcome::Closest(Reason::NotConverged) },
            iterations: 0,
            restarts: 0,
        }
    }

    /// Checks that `problem` is valid for this arm, with this scratch and this solution.
    pub(super) fn check(&self, problem: &Problem, scratch: &Scratch, solution: &Solution) -> Result<(), InputError> {
        check_coordinates("the target", problem.target.coords.as_slice())?;
        check_count("seed", problem.seed.len(), self.variables())?;
        check_count("scratch", scratch.variables(), self.variables())?;
        check_count("solution", solution.positions.len(), self.variables())?;
        for (index, &value) in problem.seed.iter().enumerate() {
            let segments = self.lengths.len();
            let what = if index < segments { "the pitch of segment" } else { "the yaw of segment" };
            let (element, right) = ((what, index % segments).into(), "a finite number within 1e6");
            require(value.abs() <= MAX_ANGLE, || Refusal::Number { element, value, unit: " rad", right })?;
        }
        check_positive("the tolerance", problem.options.tolerance, " m")
    }
}
