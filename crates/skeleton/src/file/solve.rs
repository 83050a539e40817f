//! Solves of models, with joint positions by name.

use super::named::{NamedArm, NamedSkeleton};
use crate::pitch_yaw::{PitchYawProblem, PitchYawSolution};
use crate::{InputError, Residual, SkeletonConfiguration, SkeletonProblem, SkeletonSolution};

/// The solution of a problem of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedSolution {
    /// The points \[m\] and the orientations of the root and of each segment, in the frame of the model.
    pub configuration: SkeletonConfiguration,
    /// Joint names and positions \[rad\]; `None` if some joint has more than one angle.
    pub positions: Option<Vec<(String, f64)>>,
    /// Remaining error of each target, in the order of the problem.
    pub residuals: Vec<Residual>,
    /// Number of iterations of all attempts.
    pub iterations: usize,
    /// Number of restarts after the attempt from the seed.
    pub restarts: usize,
}

impl NamedSkeleton {
    /// Solves a problem of the skeleton.
    ///
    /// # Errors
    /// [`InputError`] as for [`Skeleton::solve`](crate::Skeleton::solve).
    pub fn solve(&self, problem: &SkeletonProblem) -> Result<NamedSolution, InputError> {
        let (mut scratch, mut solution) = (self.skeleton.scratch(&problem.options), self.skeleton.solution());
        self.skeleton.solve(problem, &mut scratch, &mut solution)?;
        let SkeletonSolution { mut configuration, residuals, iterations, restarts, .. } = solution;
        let positions = self.joint_positions(&configuration)?;
        configuration.orientations = self.skeleton.orientations(&configuration)?;
        Ok(NamedSolution { configuration, positions, residuals, iterations, restarts })
    }
}

impl NamedArm {
    /// Solves a problem of the arm.
    ///
    /// # Errors
    /// [`InputError`] as for [`PitchYawArm::solve`](crate::pitch_yaw::PitchYawArm::solve).
    pub fn solve(&self, problem: &PitchYawProblem) -> Result<NamedSolution, InputError> {
        let (mut scratch, mut solution) = (self.arm.scratch(), self.arm.solution());
        self.arm.solve(problem, &mut scratch, &mut solution)?;
        let PitchYawSolution { positions, residual, iterations, restarts, .. } = solution;
        let configuration = self.arm.configuration(&positions);
        let positions = Some(self.variable_names().zip(positions).collect());
        Ok(NamedSolution { configuration, positions, residuals: vec![residual], iterations, restarts })
    }
}
