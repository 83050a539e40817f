//! How many orientations of each voxel can be reached.

use nalgebra::{Isometry3, UnitQuaternion};
use urdf_ik::solver::{Answer, Mode, Problem, ProblemError, Solver, Target, Unreached};

use super::grid::Grid;

/// Poses that are solved between two steps of the progress bar: some tens of milliseconds.
const BLOCK: usize = 8192;

/// What is asked of each pose.
pub struct PoseProblem<'a> {
    pub solver: &'a Solver,
    /// The target, but for its pose.
    pub target: Target,
    pub seed: &'a [f64],
    pub mode: Mode<'a>,
}

impl PoseProblem<'_> {
    /// For each voxel of `grid`, the number of `orientations` for which a solution is found. The poses are solved each on its own, on all
    /// threads of rayon's pool. `done` is told how many have been solved, time and again.
    pub fn count(
        &self,
        grid: &Grid,
        orientations: &[UnitQuaternion<f64>],
        done: &dyn Fn(usize),
    ) -> Result<Vec<usize>, ProblemError> {
        let mut counts = vec![0; grid.voxels.len()];
        let poses = counts.len() * orientations.len();
        let (mut targets, mut voxels) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        for first in (0..poses).step_by(BLOCK) {
            targets.clear();
            voxels.clear();
            for index in first..poses.min(first + BLOCK) {
                let (voxel, orientation) = (index / orientations.len(), index % orientations.len());
                let centre = grid.centre(&grid.voxels[voxel]);
                let pose = Isometry3::from_parts(centre.into(), orientations[orientation]);
                targets.push([Target { pose, ..self.target }]);
                voxels.push(voxel);
            }
            let problem =
                |targets| Problem { mode: self.mode, unreached: Unreached::Stop, ..Problem::new(targets, self.seed) };
            let problems: Vec<Problem> = targets.iter().map(|targets| problem(targets.as_slice())).collect();
            let batch = self.solver.solve_batch(&problems, &|| true);
            for (voxel, answer) in voxels.iter().zip(batch.answers) {
                match answer {
                    Answer::Refused(error) => return Err(error),
                    answer => counts[*voxel] += usize::from(answer.is_solved()),
                }
            }
            done(problems.len());
        }
        Ok(counts)
    }
}
