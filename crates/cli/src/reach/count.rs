//! The number of reachable orientations in each voxel.

use nalgebra::{Isometry3, UnitQuaternion};
use urdf_ik::solver::{Answer, Problem, ProblemError, Solver};

use super::grid::VoxelGrid;

/// Poses of a batch, after which the progress bar moves: some tens of milliseconds.
const BATCH: usize = 8192;

/// The number of `orientations` with a solution at each voxel, in the order of `grid.voxels`. Orientations are relative
/// to the base link's frame. Each pose replaces that of the only target in `problem`. The poses are solved
/// independently on all threads of rayon's pool. `done` is called after each batch with its size.
///
/// # Errors
/// [`ProblemError`] if the problem is invalid.
pub fn count(
    solver: &Solver,
    problem: &Problem,
    grid: &VoxelGrid,
    orientations: &[UnitQuaternion<f64>],
    done: &dyn Fn(usize),
) -> Result<Vec<usize>, ProblemError> {
    let mut counts = vec![0; grid.voxels.len()];
    let poses = counts.len() * orientations.len();
    let of_pose = |index: usize| {
        let centre = grid.centre(&grid.voxels[index / orientations.len()]);
        let pose = Isometry3::from_parts(centre.into(), orientations[index % orientations.len()]);
        [problem.targets[0].with_pose(pose)]
    };
    for first in (0..poses).step_by(BATCH) {
        let targets: Vec<_> = (first..poses.min(first + BATCH)).map(of_pose).collect();
        let mut problems = vec![*problem; targets.len()];
        for (problem, target) in problems.iter_mut().zip(&targets) {
            problem.targets = target;
        }
        let batch = solver.solve_batch(&problems, &|| true);
        for (index, answer) in (first..).zip(batch.answers) {
            match answer {
                Answer::Refused(error) => return Err(error),
                answer => counts[index / orientations.len()] += usize::from(answer.is_solved()),
            }
        }
        done(problems.len());
    }
    Ok(counts)
}
