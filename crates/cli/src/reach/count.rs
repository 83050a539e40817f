//! The number of reachable orientations in each voxel.

use nalgebra::{Isometry3, UnitQuaternion};
use urdf_ik::solver::{Answer, Problem, ProblemError, Solver};

use super::grid::VoxelGrid;

/// Poses of a batch, after which the progress bar moves: some tens of milliseconds.
const BATCH: usize = 8192;

/// For each voxel of `grid`, the number of `orientations` with a solution. `problem` is that of every pose, apart from
/// the pose of its only target. The poses are solved independently on all threads of rayon's pool. `done` is called
/// after each batch with its size.
pub fn count(
    solver: &Solver,
    problem: &Problem,
    grid: &VoxelGrid,
    orientations: &[UnitQuaternion<f64>],
    done: &dyn Fn(usize),
) -> Result<Vec<usize>, ProblemError> {
    let mut counts = vec![0; grid.voxels.len()];
    let poses = counts.len() * orientations.len();
    let (mut targets, mut voxels) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
    for first in (0..poses).step_by(BATCH) {
        targets.clear();
        voxels.clear();
        for index in first..poses.min(first + BATCH) {
            let (voxel, orientation) = (index / orientations.len(), index % orientations.len());
            let centre = grid.centre(&grid.voxels[voxel]);
            let pose = Isometry3::from_parts(centre.into(), orientations[orientation]);
            targets.push([problem.targets[0].with_pose(pose)]);
            voxels.push(voxel);
        }
        let problems: Vec<Problem> = targets
            .iter()
            .map(|targets| {
                let mut of_pose = *problem;
                of_pose.targets = targets;
                of_pose
            })
            .collect();
        let batch = solver.solve_batch(&problems, &|| true);
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
