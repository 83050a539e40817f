//! Follows a path in pieces, and halves a piece where the tip leaves the path.

use super::follow_options::{FollowError, FollowOptions};
use super::followed::{Followed, Knot, larger, ratio};
use super::path::Path;
use super::path_solver::PathSolver;
use super::path_stop::{PathStop, StopReason};
use super::subdivision::subdivide;
use crate::solver::{Outcome, ProblemError, Reason, Residual, Solver, Target};

/// Greatest deviation of a piece over the allowed deviation: the smooth curve through all solutions needs the rest.
const MAX_DEVIATION_RATIO: f64 = 0.5;
/// After a piece with a smaller deviation, over the allowed one, the next piece may be twice as long.
const LENGTHENING_DEVIATION_RATIO: f64 = 0.1;
/// Greatest number of pieces of one path.
const MAX_PIECES: usize = 1_000_000;

/// Follows `path` with one tip. The method is resolved motion with pieces that are halved where the Jacobian's linear approximation is
/// poor (Taylor 1979, "Planning and execution of straight line manipulator trajectories").
///
/// `target` gives the tip, its free axes and its tolerance; its pose is not used. The path begins at `seed`, if the tip is at the start of
/// the path there. Else it begins at a solution on the branch of `seed`, else at the nearest solution of a search. The same input gives
/// the same result.
///
/// # Errors
/// [`FollowError`] for a seed, a target or options that are not valid. A path that cannot be followed to its end is no error:
/// [`Followed::stop`] says why.
pub fn follow(
    solver: &Solver,
    target: &Target,
    path: &Path,
    seed: &[f64],
    options: &FollowOptions,
) -> Result<Followed, FollowError> {
    options.check()?;
    let mut solver = PathSolver::new(solver, target, path, options);
    let Some(start) = solver.start(seed)? else {
        let stop = stop_unreached(&mut solver, 0.0, 0.0, seed)?;
        let (knots, rests) = (Vec::new(), Vec::new());
        return Ok(Followed { knots, rests, fraction: 0.0, stop: Some(stop), deviation: Residual::default() });
    };
    let mut followed = Followed {
        deviation: solver.residual(0.0, &start),
        knots: vec![Knot { length: 0.0, positions: start }],
        rests: Vec::new(),
        fraction: 1.0,
        stop: None,
    };
    followed.stop = follow_pieces(&mut solver, &mut followed)?;
    subdivide(&mut solver, &mut followed)?;
    if followed.stop.is_some() {
        let length = followed.knots.last().map_or(0.0, |knot| knot.length);
        followed.fraction = (length / path.length()).min(1.0 - f64::EPSILON);
    }
    Ok(followed)
}

/// Follows the path from the first knot, and adds a knot at the end of each piece. Gives the stop where it does not reach the end.
fn follow_pieces(solver: &mut PathSolver, followed: &mut Followed) -> Result<Option<PathStop>, ProblemError> {
    let (mut here, mut at) = (followed.knots[0].positions.clone(), 0.0);
    let mut length = solver.options.longest_piece;
    while at < solver.path.length() {
        let end = solver.path.boundary_after(at);
        // The last two pieces before the end are equal, so that no very short one is left.
        let left = end - at;
        let next = if left <= length { end } else { at + length.min(0.5 * left) };
        match solve_piece(solver, at, next, &here)? {
            Piece::Good(deviation) if followed.knots.len() <= MAX_PIECES => {
                followed.deviation = larger(followed.deviation, deviation);
                here.clone_from(&solver.solution.positions);
                followed.knots.push(Knot { length: next, positions: here.clone() });
                if solver.path.rests().contains(&next) {
                    followed.rests.push(followed.knots.len() - 1);
                }
                if ratio(&deviation, &solver.options.deviation) < LENGTHENING_DEVIATION_RATIO {
                    length = (2.0 * length).min(solver.options.longest_piece);
                }
                at = next;
            }
            Piece::Good(_) => {
                return Ok(Some(stop_at(solver.path, at, StopReason::TooManyPieces { pieces: MAX_PIECES })));
            }
            _ if 0.5 * (next - at) >= solver.options.shortest_piece => length = 0.5 * (next - at),
            Piece::Unreached => return stop_unreached(solver, at, next, &here).map(Some),
            Piece::Deviating(deviation) => {
                let reason = StopReason::PieceTooShort { length: next - at, deviation };
                return Ok(Some(stop_at(solver.path, at, reason)));
            }
        }
    }
    Ok(None)
}

/// The result of one piece.
enum Piece {
    /// The solution is its end, and the tip is near enough to the path.
    Good(Residual),
    /// Its end was not reached from its start.
    Unreached,
    /// Its end was reached, but the tip leaves the path by too much.
    Deviating(Residual),
}

fn solve_piece(solver: &mut PathSolver, at: f64, next: f64, here: &[f64]) -> Result<Piece, ProblemError> {
    if !solver.track(next, here)? {
        return Ok(Piece::Unreached);
    }
    let there = std::mem::take(&mut solver.solution.positions);
    let deviation = solver.solution.residuals.first().copied().unwrap_or_default();
    let deviation = larger(deviation, solver.deviation_between((at, here), (next, &there)));
    solver.solution.positions = there;
    let is_good = ratio(&deviation, &solver.options.deviation) <= MAX_DEVIATION_RATIO;
    Ok(if is_good { Piece::Good(deviation) } else { Piece::Deviating(deviation) })
}

fn stop_at(path: &Path, length: f64, reason: StopReason) -> PathStop {
    let waypoint = path.waypoint_after(length);
    PathStop { length, of: path.length(), pose: path.pose_at(length), waypoint, reason }
}

/// The stop at `length` where the pose at `next` was not reached from `here`, by the last solution. A search finds out whether another
/// branch has a solution.
fn stop_unreached(solver: &mut PathSolver, length: f64, next: f64, here: &[f64]) -> Result<PathStop, ProblemError> {
    let mut tracked = solver.solution.clone();
    // At the edge of the reach, only the end of the line is certainly out of reach.
    let end = solver.path.boundary_after(length);
    if !solver.track(end, here)? && matches!(solver.solution.outcome, Outcome::Closest(Reason::OutOfReach { .. })) {
        tracked.outcome = solver.solution.outcome;
    }
    let elsewhere = if solver.search(next, here)? { Some(&solver.solution.positions[..]) } else { None };
    let reason = StopReason::new(solver.chain, &tracked, elsewhere, here);
    Ok(stop_at(solver.path, length, reason))
}
