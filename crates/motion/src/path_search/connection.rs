//! The motion between configurations of two layers, in pieces that follow the path.

use crate::path_problem::FollowError;
use crate::path_solver::PathSolver;
use crate::tip_kinematics::PathConfiguration;
use crate::tracking::{Knot, extend};

/// Pieces from the first of two configurations to the second, without the first: straight motions, or else those of
/// tracking if it ends there. `None` if neither follows the path clear of collisions.
pub(super) fn connect(solver: &mut PathSolver, ends: &[Knot; 2]) -> Result<Option<Vec<Knot>>, FollowError> {
    if let Some(pieces) = bisect(solver, ends)? {
        return Ok(Some(pieces));
    }
    let [from, to] = ends;
    let tracked = track_on(solver, from, to.length)?;
    Ok(tracked.filter(|pieces| pieces.last() == Some(to)))
}

/// Pieces of tracking from a configuration to the path length `end`, without it; `None` if tracking ends before.
pub(super) fn track_on(solver: &mut PathSolver, from: &Knot, end: f64) -> Result<Option<Vec<Knot>>, FollowError> {
    let mut knots = vec![from.clone()];
    let failed = extend(solver, &mut knots, end)?;
    knots.remove(0);
    Ok(failed.is_none().then_some(knots))
}

/// Pieces on the straight motion between two configurations, without the first; `None` if a piece cannot be made short
/// enough to follow the path clear of collisions. Pieces are bisected; their ends are nearest to the middle.
fn bisect(solver: &mut PathSolver, [from, to]: &[Knot; 2]) -> Result<Option<Vec<Knot>>, FollowError> {
    let (mut done, mut open) = (vec![from.clone()], vec![to.clone()]);
    while let Some(end) = open.last() {
        let here = &done[done.len() - 1];
        if is_passable(solver, here, end) {
            done.extend(open.pop());
            continue;
        }
        let length = 0.5 * (here.length + end.length);
        if end.length - length < solver.options.shortest_piece {
            return Ok(None);
        }
        let middle: Vec<f64> = here.positions.iter().zip(&end.positions).map(|(a, b)| 0.5 * (a + b)).collect();
        if !solver.track(length, &middle)? {
            return Ok(None);
        }
        open.push(Knot { length, positions: solver.solution.positions.clone() });
    }
    done.remove(0);
    Ok(Some(done))
}

/// True if the straight motion of the joints follows the path, meets the goals and is clear.
fn is_passable(solver: &mut PathSolver, from: &Knot, to: &Knot) -> bool {
    if to.length - from.length > solver.options.longest_piece {
        return false;
    }
    let mut steps = from.positions.iter().zip(&to.positions);
    if steps.any(|(a, b)| (a - b).abs() > solver.options.largest_joint_step) {
        return false;
    }
    let [on_path, next] = [from, to].map(|knot| PathConfiguration { length: knot.length, positions: &knot.positions });
    let errors = solver.deviation.between(on_path, next);
    solver.ratio(&errors) <= 1.0 && solver.obstruction_between(&from.positions, &to.positions).is_none()
}
