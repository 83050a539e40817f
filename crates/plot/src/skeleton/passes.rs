//! The first cycles of a solve, pass by pass.

use urdf_ik_skeleton::{Skeleton, SkeletonConfiguration, SkeletonProblem};

use crate::PlotResult;

/// The first `count` FABRIK cycles from the seed of `problem`, without acceleration. For each: the configuration after
/// the forward pass (from the ends to the root), then the configuration after the backward pass.
///
/// # Errors
/// The error of the solver if it rejects the problem.
pub fn cycles(
    skeleton: &Skeleton,
    problem: &SkeletonProblem,
    count: usize,
) -> PlotResult<Vec<[SkeletonConfiguration; 2]>> {
    let mut scratch = skeleton.scratch(&problem.options);
    let mut current = problem.seed.clone();
    if skeleton.is_free() && problem.targets.iter().all(|target| target.orientation.is_none()) {
        // As in a solve: points alone.
        current.orientations.clear();
    } else {
        current.orientations = skeleton.orientations(problem.seed)?;
    }
    let mut cycle = || {
        skeleton.reach_forward(problem, &mut scratch, &mut current)?;
        let forward = current.clone();
        skeleton.reach_backward(problem, &mut scratch, &mut current)?;
        Ok([forward, current.clone()])
    };
    (0..count).map(|_| cycle()).collect()
}
