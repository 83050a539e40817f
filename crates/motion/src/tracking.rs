//! Tracks a path in pieces on one branch of solutions and bisects a piece where the tip leaves the path.
//!
//! Tracking is the first pass over a path. It stays on one branch and finds how far the path can be followed. Each of
//! its steps chooses its own null-space motion, so its joints oscillate; the [curve fit](super::curve_fit) smooths the
//! whole path afterwards.

use super::path_errors::PathErrors;
use super::path_problem::FollowError;
use super::path_solver::PathSolver;
use super::path_stop::{PathStop, StopReason};
use super::tip_kinematics::{PathConfiguration, interpolated};
use urdf_ik_solver::{Outcome, ProblemError, Reason};

/// Deviation of a piece, as a fraction of the allowed one, below which the next piece may be twice as long.
const LENGTHENING_DEVIATION_RATIO: f64 = 0.1;
/// Maximum number of pieces of one path.
const MAX_PIECES: usize = 20_000;

/// A configuration on a path.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Knot {
    /// Path length \[m\].
    pub(super) length: f64,
    pub(super) positions: Vec<f64>,
}

/// Configurations in the order of the path.
pub(super) struct Tracked {
    knots: Vec<Knot>,
    /// Path lengths of the knots of each part between two rests \[m\].
    pub(super) parts: Vec<Vec<f64>>,
    /// Ratio of the errors of the curve to the allowed ones above which an interval is bisected.
    pub(super) bisected_ratio: f64,
}

impl Tracked {
    /// Knots of a path with these rests of the tip, which are knots where the path is followed beyond.
    pub(super) fn new(knots: Vec<Knot>, rests: &[f64]) -> Self {
        let (mut parts, mut part) = (Vec::new(), Vec::new());
        for knot in &knots {
            part.push(knot.length);
            if rests.contains(&knot.length) {
                parts.push(std::mem::replace(&mut part, vec![knot.length]));
            }
        }
        if part.len() > 1 {
            parts.push(part);
        }
        Self { knots, parts, bisected_ratio: 1.0 }
    }

    /// Path length of the last knot \[m\].
    pub(super) fn length(&self) -> f64 {
        self.knots[self.knots.len() - 1].length
    }

    /// The positions at path length `length`, by linear interpolation between knots.
    pub(super) fn positions_at(&self, length: f64) -> Vec<f64> {
        let after = self.knots.partition_point(|knot| knot.length <= length);
        let Some(to) = self.knots.get(after) else { return self.knots[after - 1].positions.clone() };
        let from = &self.knots[after.saturating_sub(1)];
        let fraction = if to.length > from.length { (length - from.length) / (to.length - from.length) } else { 0.0 };
        interpolated(&from.positions, &to.positions, fraction)
    }
}

/// Tracks the path from the last of some knots to its end: see [`extend`]. Returns the stop if it does not reach that.
pub(super) fn track(solver: &mut PathSolver, mut knots: Vec<Knot>) -> Result<(Tracked, Option<PathStop>), FollowError> {
    let end = solver.problem.path.length();
    let failed = extend(solver, &mut knots, end)?;
    let Knot { length: at, positions: here } = &knots[knots.len() - 1];
    let reason = match failed {
        None => None,
        Some((_, PieceOutcome::Good(_))) => Some(StopReason::TooManyPieces { pieces: MAX_PIECES }),
        Some((_, PieceOutcome::Obstructed(reason))) => Some(reason),
        Some((next, PieceOutcome::Unreached)) => Some(unreached(solver, *at, next, here)?),
        Some((next, PieceOutcome::TooFar(errors))) => Some(solver.excess(&errors, next - at)),
    };
    let stop = reason.map(|reason| PathStop::at(solver.problem.path, *at, reason));
    Ok((Tracked::new(knots, solver.problem.path.rests()), stop))
}

/// Tracks the path from the last of some knots to path length `end`: resolved motion with pieces that are bisected
/// where the linearisation is poor (Taylor 1979, "Planning and execution of straight line manipulator trajectories").
/// Returns the end and the outcome of a piece that cannot be made, or that is one too many, although it is good.
pub(super) fn extend(
    solver: &mut PathSolver,
    knots: &mut Vec<Knot>,
    end: f64,
) -> Result<Option<(f64, PieceOutcome)>, FollowError> {
    let Knot { length: mut at, positions: mut here } = knots[knots.len() - 1].clone();
    let mut length = solver.options.longest_piece;
    while at < end {
        solver.check_interruption()?;
        let end = solver.problem.path.boundary_after(at).min(end);
        // The last two pieces before the end have equal lengths, so that no very short one remains.
        let left = end - at;
        let next = if left <= length { end } else { at + length.min(0.5 * left) };
        match solve_piece(solver, at, next, &here)? {
            PieceOutcome::Good(errors) if knots.len() <= MAX_PIECES => {
                here.clone_from(&solver.solution.positions);
                knots.push(Knot { length: next, positions: here.clone() });
                if solver.ratio(&errors) < LENGTHENING_DEVIATION_RATIO {
                    length = (2.0 * length).min(solver.options.longest_piece);
                }
                at = next;
            }
            outcome
                if matches!(outcome, PieceOutcome::Good(_)) || 0.5 * (next - at) < solver.options.shortest_piece =>
            {
                return Ok(Some((next, outcome)));
            }
            _ => length = 0.5 * (next - at),
        }
    }
    Ok(None)
}

/// Outcome of one piece.
pub(super) enum PieceOutcome {
    /// Its end is reached, and the errors on the way are small enough.
    Good(PathErrors),
    /// Its end was not reached from its start.
    Unreached,
    /// Its end was reached, but a collision is on the way.
    Obstructed(StopReason),
    /// Its end was reached, but the tip deviates too far from the path, or a goal is violated.
    TooFar(PathErrors),
}

fn solve_piece(solver: &mut PathSolver, at: f64, next: f64, here: &[f64]) -> Result<PieceOutcome, ProblemError> {
    if !solver.track(next, here)? {
        return Ok(PieceOutcome::Unreached);
    }
    let there = std::mem::take(&mut solver.solution.positions);
    let (from, to) =
        (PathConfiguration { length: at, positions: here }, PathConfiguration { length: next, positions: &there });
    let errors = solver.deviation.between(from, to);
    let obstruction = solver.obstruction_between(here, &there);
    solver.solution.positions = there;
    if let Some(reason) = obstruction {
        return Ok(PieceOutcome::Obstructed(reason));
    }
    let is_good = solver.ratio(&errors) <= 1.0;
    Ok(if is_good { PieceOutcome::Good(errors) } else { PieceOutcome::TooFar(errors) })
}

/// Why the pose at `next` is not reached from `here` on its branch.
pub(super) fn end_of_branch(solver: &mut PathSolver, next: f64, here: &[f64]) -> Result<StopReason, ProblemError> {
    let is_met = solver.track(next, here)?;
    let tracked = solver.solution.clone();
    let obstruction = if is_met {
        solver.obstruction_between(here, &tracked.positions)
    } else {
        solver.obstruction_to(next, here)?
    };
    if let Some(reason) = obstruction {
        return Ok(reason);
    }
    solver.solution.clone_from(&tracked);
    let goal = if is_met { None } else { solver.goal_against(next, here, PathSolver::track)? };
    let elsewhere = Some(&tracked.positions[..]);
    Ok(goal.unwrap_or_else(|| StopReason::new(solver.solver.chain(), &tracked, elsewhere, here)))
}

/// Why the pose at `next` was not reached from `here`, at path length `at`, by the last solution. A search shows
/// whether another branch has a solution.
pub(super) fn unreached(solver: &mut PathSolver, at: f64, next: f64, here: &[f64]) -> Result<StopReason, ProblemError> {
    let mut tracked = solver.solution.clone();
    if let Some(reason) = solver.obstruction_to(next, here)? {
        return Ok(reason);
    }
    solver.solution.clone_from(&tracked);
    if let Some(reason) = solver.goal_against(next, here, PathSolver::track)? {
        return Ok(reason);
    }
    // At the boundary of the workspace only the end of the line is provably out of reach.
    let end = solver.problem.path.boundary_after(at);
    if !solver.track(end, here)? && matches!(solver.solution.outcome, Outcome::Closest(Reason::OutOfReach { .. })) {
        tracked.outcome = solver.solution.outcome;
    }
    let elsewhere = if solver.search(next, here)? { Some(solver.solution.positions.clone()) } else { None };
    Ok(match solver.goal_against(next, here, PathSolver::search)? {
        Some(goal) if elsewhere.is_none() => goal,
        _ => StopReason::new(solver.solver.chain(), &tracked, elsewhere.as_deref(), here),
    })
}
