//! Follows a path in pieces on one branch of solutions, and halves a piece where the tip leaves the path.

use super::path_problem::{FollowError, ratio};
use super::path_solver::PathSolver;
use super::path_stop::{PathStop, StopReason};
use super::tip::OnPath;
use urdf_ik_solver::{Outcome, ProblemError, Reason, Residual};

/// After a piece with a smaller deviation, over the allowed one, the next piece may be twice as long.
const LENGTHENING_DEVIATION_RATIO: f64 = 0.1;
/// Greatest number of pieces of one path.
const MAX_PIECES: usize = 20_000;

/// A configuration on a path.
#[derive(Debug, Clone, PartialEq)]
struct Knot {
    /// Length of the path before it \[m\].
    length: f64,
    positions: Vec<f64>,
}

/// Configurations in the order of the path.
pub(super) struct Tracked {
    knots: Vec<Knot>,
    /// Lengths of the knots between two rests.
    pub(super) parts: Vec<Vec<f64>>,
}

impl Tracked {
    /// The positions after `length` metres, where the joints move evenly from one knot to the next.
    pub(super) fn positions_at(&self, length: f64) -> Vec<f64> {
        let after = self.knots.partition_point(|knot| knot.length <= length);
        let Some(to) = self.knots.get(after) else { return self.knots[after - 1].positions.clone() };
        let from = &self.knots[after.saturating_sub(1)];
        let share = if to.length > from.length { (length - from.length) / (to.length - from.length) } else { 0.0 };
        from.positions.iter().zip(&to.positions).map(|(from, to)| from + share * (to - from)).collect()
    }
}

/// Tracks the path from `start`. The method is resolved motion with pieces that are halved where the Jacobian's linear approximation is
/// poor (Taylor 1979, "Planning and execution of straight line manipulator trajectories"). Gives the stop where it does not reach the
/// end.
pub(super) fn track(solver: &mut PathSolver, start: Vec<f64>) -> Result<(Tracked, Option<PathStop>), FollowError> {
    let (mut here, mut at) = (start.clone(), 0.0);
    let mut knots = vec![Knot { length: at, positions: start }];
    let (mut parts, mut part) = (Vec::new(), vec![at]);
    let mut length = solver.options.longest_piece;
    let mut stop = None;
    while at < solver.path.length() && stop.is_none() {
        solver.check_interruption()?;
        let end = solver.path.boundary_after(at);
        // The last two pieces before the end are equal, so that no very short one is left.
        let left = end - at;
        let next = if left <= length { end } else { at + length.min(0.5 * left) };
        match solve_piece(solver, at, next, &here)? {
            Piece::Good(_) if knots.len() > MAX_PIECES => {
                stop = Some(PathStop::at(solver.path, at, StopReason::TooManyPieces { pieces: MAX_PIECES }));
            }
            Piece::Good(deviation) => {
                here.clone_from(&solver.solution.positions);
                knots.push(Knot { length: next, positions: here.clone() });
                part.push(next);
                if solver.path.rests().contains(&next) {
                    parts.push(std::mem::replace(&mut part, vec![next]));
                }
                if ratio(&deviation, &solver.options.deviation) < LENGTHENING_DEVIATION_RATIO {
                    length = (2.0 * length).min(solver.options.longest_piece);
                }
                at = next;
            }
            _ if 0.5 * (next - at) >= solver.options.shortest_piece => length = 0.5 * (next - at),
            Piece::Obstructed(reason) => stop = Some(PathStop::at(solver.path, at, reason)),
            Piece::Unreached => stop = Some(stop_unreached(solver, at, next, &here)?),
            Piece::Deviating(deviation) => {
                let reason = StopReason::PieceTooShort { length: next - at, deviation };
                stop = Some(PathStop::at(solver.path, at, reason));
            }
        }
    }
    if part.len() > 1 {
        parts.push(part);
    }
    Ok((Tracked { knots, parts }, stop))
}

/// The result of one piece.
enum Piece {
    /// The solution is its end, and the tip is near enough to the path.
    Good(Residual),
    /// Its end was not reached from its start.
    Unreached,
    /// Its end was reached, but something is in the way.
    Obstructed(StopReason),
    /// Its end was reached, but the tip leaves the path by too much.
    Deviating(Residual),
}

fn solve_piece(solver: &mut PathSolver, at: f64, next: f64, here: &[f64]) -> Result<Piece, ProblemError> {
    if !solver.track(next, here)? {
        return Ok(Piece::Unreached);
    }
    let there = std::mem::take(&mut solver.solution.positions);
    let (from, to) = (OnPath { length: at, positions: here }, OnPath { length: next, positions: &there });
    let deviation = solver.distance.between(from, to);
    let obstruction = solver.obstruction_between(here, &there);
    solver.solution.positions = there;
    if let Some(reason) = obstruction {
        return Ok(Piece::Obstructed(reason));
    }
    let is_good = ratio(&deviation, &solver.options.deviation) <= 1.0;
    Ok(if is_good { Piece::Good(deviation) } else { Piece::Deviating(deviation) })
}

/// The stop at `length` where the pose at `next` was not reached from `here`, by the last solution. A search finds out whether another
/// branch has a solution.
pub(super) fn stop_unreached(
    solver: &mut PathSolver,
    length: f64,
    next: f64,
    here: &[f64],
) -> Result<PathStop, ProblemError> {
    let mut tracked = solver.solution.clone();
    if let Some(reason) = solver.obstruction_to(next, here)? {
        return Ok(PathStop::at(solver.path, length, reason));
    }
    // At the edge of the reach, only the end of the line is certainly out of reach.
    let end = solver.path.boundary_after(length);
    if !solver.track(end, here)? && matches!(solver.solution.outcome, Outcome::Closest(Reason::OutOfReach { .. })) {
        tracked.outcome = solver.solution.outcome;
    }
    let elsewhere = if solver.search(next, here)? { Some(&solver.solution.positions[..]) } else { None };
    let reason = StopReason::new(solver.chain, &tracked, elsewhere, here);
    Ok(PathStop::at(solver.path, length, reason))
}
