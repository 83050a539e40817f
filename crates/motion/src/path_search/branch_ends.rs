//! Why the branches of a path end where no motion leads farther.

use crate::path_problem::FollowError;
use crate::path_solver::PathSolver;
use crate::path_stop::BranchEnd;
use crate::tracking::end_of_branch;

/// Greatest number of configurations that are examined.
const EXAMINED: usize = 20;

/// The distinct reasons why some configurations of the last layer reached lead to none for the pose at path length
/// `next`.
pub(super) fn find<'g>(
    solver: &mut PathSolver,
    reached: impl Iterator<Item = &'g [f64]>,
    next: f64,
) -> Result<Vec<BranchEnd>, FollowError> {
    let configurations: Vec<&[f64]> = reached.collect();
    let mut ends = Vec::new();
    for here in configurations.iter().step_by(configurations.len().div_ceil(EXAMINED).max(1)) {
        let end = BranchEnd::from(end_of_branch(solver, next, here)?);
        if !ends.contains(&end) {
            ends.push(end);
        }
    }
    Ok(ends)
}
