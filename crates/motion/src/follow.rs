//! Follows a path: from waypoints of a tip to a smooth curve of joint positions.

use super::curve_cost::CurveCost;
use super::curve_fit::{Aim, CurveFit};
use super::joint_curve::JointCurve;
use super::path_problem::{FollowError, FollowOptions, Followed, PathProblem, check_start, larger, ratio};
use super::path_solver::PathSolver;
use super::path_stop::{PathStop, StopReason};
use super::tip::OnPath;
use super::tracking::{Tracked, stop_unreached, track};
use urdf_ik_solver::{Interruption, Residual, Solver};

/// Places in each interval of the curve where its distance from the path is measured, in an interval from 0 to 1.
const MEASURED_PLACES: [f64; 8] = [0.0, 0.05, 0.1, 0.4, 0.5, 0.6, 0.9, 1.0];
/// Straight lines in each interval of the curve that are looked at for what is in the way.
const CHORDS: u32 = 8;

/// Follows a path with one tip, from the seed if the tip is at the start of the path there. Else it begins at a solution on the branch of
/// the seed, else at the nearest solution of a search.
///
/// The path is first tracked in pieces: so it stays on one branch of solutions, and is followed as far as that goes. Then the curve is
/// decided as a whole: the tip stays within the deviation, and where the arm is redundant or axes are free, the joints move as little as
/// they can, measured by their velocity limits, and towards the preference. The same input gives the same result.
///
/// # Errors
/// [`FollowError`] for a seed, a target or options that are not valid, and for a seed outside the limits. A path that cannot be followed to its end is no error:
/// [`Followed::stop`] says why.
pub fn follow(solver: &Solver, problem: &PathProblem, options: &FollowOptions) -> Result<Followed, FollowError> {
    follow_until(solver, problem, options, &|| false)
}

/// Follows a path as [`follow`] does, unless it is interrupted, which is asked for between the pieces of the path.
///
/// # Errors
/// As [`follow`], and [`FollowError::Interrupted`].
pub fn follow_until(
    solver: &Solver,
    problem: &PathProblem,
    options: &FollowOptions,
    interruption: Interruption,
) -> Result<Followed, FollowError> {
    options.check()?;
    check_start(solver.chain(), problem.seed)?;
    problem.preference.check(solver.chain())?;
    let mut solver = PathSolver::new(solver, problem, options, interruption);
    let Some(start) = solver.start(problem.seed)? else {
        let stop = stop_unreached(&mut solver, 0.0, 0.0, problem.seed)?;
        let stop = Some(PathStop { waypoint: 0, ..stop });
        return Ok(Followed { curve: None, fraction: 0.0, stop, deviation: Residual::default() });
    };
    let (tracked, stop) = track(&mut solver, start)?;
    let (curve, mut deviation, shorter) = smooth(&mut solver, &tracked)?;
    let stop = match (shorter, stop) {
        // A curve that ends a little before the last tracked piece ends there for the same reason.
        (Some(cut), Some(tracked)) if tracked.length - cut.length <= options.longest_piece => {
            Some(PathStop { reason: tracked.reason, ..cut })
        }
        (cut, tracked) => cut.or(tracked),
    };
    let length = curve.length();
    let fraction = if stop.is_some() { (length / problem.path.length()).min(1.0 - f64::EPSILON) } else { 1.0 };
    deviation = larger(deviation, distance_on(&mut solver, &curve, 0.0));
    Ok(Followed { curve: Some(curve), fraction, stop, deviation })
}

/// The smooth curve of a tracked path with its deviation. Intervals are halved until the tip is near enough to the path and the way is clear.
/// The curve ends before an interval that is too short to halve.
///
/// Where the curve that costs least is not clear, it stays near the tracked configurations, which are.
fn smooth(solver: &mut PathSolver, tracked: &Tracked) -> Result<(JointCurve, Residual, Option<PathStop>), FollowError> {
    let mut parts = tracked.parts.clone();
    let variables = solver.chain.variables().len();
    let mut aim = Aim::Everything;
    let mut curve = JointCurve::new(&parts, variables, |length| tracked.positions_at(length));
    let mut stop = None;
    loop {
        solver.check_interruption()?;
        let metres_per_radian = solver.options.deviation.position / solver.options.deviation.orientation;
        let cost = CurveCost::new(solver.solver, solver.problem, metres_per_radian, &curve);
        CurveFit::new(solver.chain, cost, &curve).improve(&mut curve, aim);
        let (deviation, bad) = bad_intervals(solver, &curve);
        if bad.is_empty() {
            return Ok((curve, deviation, stop));
        }
        if aim == Aim::Everything && bad.iter().any(|(.., reason)| matches!(reason, StopReason::Collision { .. })) {
            aim = Aim::DistanceFromPath;
            curve = JointCurve::new(&parts, variables, |length| tracked.positions_at(length));
            continue;
        }
        // From the end, so that the indices of the others stay valid.
        for (part, interval, reason) in bad.into_iter().rev() {
            let (start, end) = (parts[part][interval], parts[part][interval + 1]);
            if 0.5 * (end - start) >= solver.options.shortest_piece {
                parts[part].insert(interval + 1, 0.5 * (start + end));
            } else {
                parts.truncate(part + 1);
                parts[part].truncate(interval + 1);
                parts.retain(|part| part.len() > 1);
                stop = Some(PathStop::at(solver.path, start, reason));
            }
        }
        let last = curve;
        curve = match aim {
            Aim::Everything => JointCurve::new(&parts, variables, |length| last.positions_at(length)),
            Aim::DistanceFromPath => JointCurve::new(&parts, variables, |length| tracked.positions_at(length)),
        };
    }
}

/// The greatest deviation of the curve, and the intervals where it is too great or something is in the way: part, interval and reason.
fn bad_intervals(solver: &mut PathSolver, curve: &JointCurve) -> (Residual, Vec<(usize, usize, StopReason)>) {
    let (mut greatest, mut intervals) = (Residual::default(), Vec::new());
    for (at, part) in curve.parts().enumerate() {
        for (interval, ends) in part.basis.ends().windows(2).enumerate() {
            let (deviation, is_missed) = deviation_on(solver, curve, ends);
            if is_missed || ratio(&deviation, &solver.options.deviation) > 1.0 {
                let reason = StopReason::PieceTooShort { length: ends[1] - ends[0], deviation };
                intervals.push((at, interval, reason));
            } else if let Some(reason) = obstruction_on(solver, curve, ends) {
                intervals.push((at, interval, reason));
            }
            greatest = larger(greatest, deviation);
        }
    }
    (greatest, intervals)
}

/// The deviation of the curve on an interval, and whether it misses the end of the path there.
fn deviation_on(solver: &mut PathSolver, curve: &JointCurve, ends: &[f64]) -> (Residual, bool) {
    let mut deviation = Residual::default();
    for place in MEASURED_PLACES {
        let length = ends[0] + place * (ends[1] - ends[0]);
        deviation = larger(deviation, distance_on(solver, curve, length));
    }
    // The path ends within the target's tolerance.
    let end = ends[1];
    let is_missed =
        end == solver.path.length() && ratio(&distance_on(solver, curve, end), &solver.problem.target.tolerance) > 1.0;
    (deviation, is_missed)
}

/// The tip's distance from the path where the curve has that length.
fn distance_on(solver: &mut PathSolver, curve: &JointCurve, length: f64) -> Residual {
    solver.distance.at(OnPath { length, positions: &curve.positions_at(length) })
}

/// What is in the way of the curve on an interval.
fn obstruction_on(solver: &mut PathSolver, curve: &JointCurve, ends: &[f64]) -> Option<StopReason> {
    solver.problem.clearance?;
    let mut here = curve.positions_at(ends[0]);
    (1..=CHORDS).find_map(|chord| {
        let length = ends[0] + (ends[1] - ends[0]) * f64::from(chord) / f64::from(CHORDS);
        let there = curve.positions_at(length);
        let obstruction = solver.obstruction_between(&here, &there);
        here = there;
        obstruction
    })
}
