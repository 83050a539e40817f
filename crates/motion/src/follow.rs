//! Follows a path: from poses of a tip to a smooth curve of joint positions.

use super::curve_cost::{CurveCost, FitObjective};
use super::curve_fit::CurveFit;
use super::joint_curve::JointCurve;
use super::limits::JointLimit;
use super::path_problem::{FollowError, FollowOptions, Followed, PathProblem, check_start, larger, ratio};
use super::path_solver::PathSolver;
use super::path_stop::{PathStop, StopReason};
use super::tip_kinematics::PathConfiguration;
use super::tracking::{Tracked, stop_unreached, track};
use urdf_ik_solver::{Interruption, Residual, Solver};

/// Points of each interval of the curve, from 0 to 1, at which its distance from the path is measured.
const MEASURED_POINTS: [f64; 8] = [0.0, 0.05, 0.1, 0.4, 0.5, 0.6, 0.9, 1.0];
/// Number of straight lines by which each interval of the curve is checked for collisions.
const CHORDS: u32 = 8;

/// Follows a path with one tip. It starts at the seed if the tip is at the start of the path there, otherwise at a
/// solution on the branch of the seed, otherwise at the nearest solution of a search.
///
/// The path is first tracked in pieces, which keeps it on one branch of solutions, up to where that branch ends. Then
/// the joint curve is optimised as a whole: the tip stays within the deviation, and a redundant arm, or one with free
/// axes, moves its joints as little as possible, weighted by their velocity limits, and towards the preference. The
/// result is deterministic.
///
/// ```
/// use std::sync::Arc;
/// use nalgebra::{Isometry3, Vector3};
/// use urdf_ik_motion::{FollowOptions, JointLimit, JointLimits, MotionLimits, Path, PathOptions, PathProblem, follow};
/// use urdf_ik_robot::{Chain, Robot};
/// use urdf_ik_solver::{Solver, SolverKind, Target};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
/// let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
/// let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
///
/// // Straight beyond the reach of the arm.
/// let down = Vector3::new(std::f64::consts::PI, 0.0, 0.0);
/// let poses = [0.4, 2.0].map(|x| Isometry3::new(Vector3::new(x, 0.0, 0.3), down));
/// let path = Path::new(&poses, PathOptions::default())?;
/// let limits = MotionLimits::new(&robot, &chain, &JointLimits::default()).or(&JointLimit::DEFAULT);
/// let (target, seed) = (Target::new(0, poses[0]), chain.nominal_positions());
/// let followed = follow(&solver, &PathProblem::new(&path, &target, &seed, &limits), &FollowOptions::default())?;
/// assert!(followed.fraction < 1.0);
/// println!("{}", followed.stop.ok_or("the end was reached")?);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`FollowError`] for an invalid seed, target, limit or option, and for a seed outside the limits. A path that cannot
/// be followed to its end is no error: see [`Followed::stop`].
pub fn follow(solver: &Solver, problem: &PathProblem, options: &FollowOptions) -> Result<Followed, FollowError> {
    follow_until(solver, problem, options, &|| false)
}

/// Like [`follow`], with an interruption that is called between pieces of the path.
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
    // Infinite limits are valid here.
    problem.limits.clone().or(&JointLimit::DEFAULT).check(&solver.chain().variable_names())?;
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
        // A curve that ends just before the last tracked piece ends there for the same reason.
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

/// The smooth curve of a tracked path with its deviation. Intervals are bisected until the tip is close enough to the
/// path and the motion is clear. The curve ends before an interval that is too short to bisect.
///
/// If the optimal curve is not clear, it is replaced by one near the tracked configurations, which are.
fn smooth(solver: &mut PathSolver, tracked: &Tracked) -> Result<(JointCurve, Residual, Option<PathStop>), FollowError> {
    let mut parts = tracked.parts.clone();
    let variables = solver.solver.chain().variables().len();
    let mut objective = FitObjective::Everything;
    let from_tracked = |parts: &[Vec<f64>]| JointCurve::new(parts, variables, |length| tracked.positions_at(length));
    let mut curve = from_tracked(&parts);
    let mut stop = None;
    loop {
        solver.check_interruption()?;
        let metres_per_radian = solver.options.deviation.position / solver.options.deviation.orientation;
        let cost = CurveCost::new(solver.solver, solver.problem, metres_per_radian, &curve);
        CurveFit::new(solver.solver.chain(), cost, &curve).improve(&mut curve, objective);
        let (deviation, bad) = bad_intervals(solver, &curve);
        if bad.is_empty() {
            return Ok((curve, deviation, stop));
        }
        if objective == FitObjective::Everything
            && bad.iter().any(|(.., reason)| matches!(reason, StopReason::Collision { .. }))
        {
            objective = FitObjective::DistanceFromPath;
            curve = from_tracked(&parts);
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
                stop = Some(PathStop::at(solver.problem.path, start, reason));
            }
        }
        let last = curve;
        curve = match objective {
            FitObjective::Everything => JointCurve::new(&parts, variables, |length| last.positions_at(length)),
            FitObjective::DistanceFromPath => from_tracked(&parts),
        };
    }
}

/// The maximum deviation of the curve, and the intervals with an excessive deviation or a collision: part, interval and
/// reason.
fn bad_intervals(solver: &mut PathSolver, curve: &JointCurve) -> (Residual, Vec<(usize, usize, StopReason)>) {
    let (mut greatest, mut intervals) = (Residual::default(), Vec::new());
    for (at, part) in curve.parts.iter().enumerate() {
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
    for point in MEASURED_POINTS {
        let length = ends[0] + point * (ends[1] - ends[0]);
        deviation = larger(deviation, distance_on(solver, curve, length));
    }
    // The path ends within the target's tolerance.
    let end = ends[1];
    let is_missed = end == solver.problem.path.length()
        && ratio(&distance_on(solver, curve, end), &solver.problem.target.tolerance) > 1.0;
    (deviation, is_missed)
}

/// Distance of the tip from the path at path length `length`.
fn distance_on(solver: &mut PathSolver, curve: &JointCurve, length: f64) -> Residual {
    solver.distance.at(PathConfiguration { length, positions: &curve.positions_at(length) })
}

/// The collision of the curve on an interval.
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
