//! Follows a path: from poses of a tip to a smooth curve of joint positions.

use super::curve_cost::{CurveCost, FitObjective};
use super::curve_fit::CurveFit;
use super::joint_curve::JointCurve;
use super::limits::JointLimit;
use super::path_errors::PathErrors;
use super::path_problem::{FollowError, FollowOptions, Followed, PathProblem, Watch, check_start, ratio};
use super::path_search;
use super::path_solver::PathSolver;
use super::path_stop::{NextPose, PathStop, StopReason};
use super::tip_kinematics::PathConfiguration;
use super::tracking::{Knot, Tracked, track, unreached};
use urdf_ik_solver::{Interruption, Residual, Solver};

/// Points of each interval of the curve, from 0 to 1, at which its distance from the path is measured.
const MEASURED_POINTS: [f64; 8] = [0.0, 0.05, 0.1, 0.4, 0.5, 0.6, 0.9, 1.0];
/// Ratio of the errors of a curve to the allowed ones above which an interval is bisected after a search, whose pieces
/// are longer than those of tracking: motion in straight lines between the points of a trajectory adds to the errors.
const SEARCHED_RATIO: f64 = 0.5;
/// Number of straight lines by which each interval of the curve is checked for collisions.
const CHORDS: u32 = 8;

/// Follows a path with one tip. It starts at the seed if the tip is at the start of the path there. Otherwise it starts
/// at a solution on the branch of the seed if there is one, otherwise at the nearest solution of a search.
///
/// The path is first tracked in pieces on one branch of solutions, up to the end of that branch. If the branch ends
/// early and the next pose has solutions, a layered graph over branches, self-motions and free axes is searched. With a
/// [free start](PathProblem::free_start), where any solution of the first pose may be the start, the graph is searched
/// at once. Then the joint curve is optimised as a whole: the tip stays within the deviation; a redundant arm, or one
/// with free axes, moves its joints as little as possible and towards the preference. From a given start, the motion of
/// each joint is weighted by its velocity limit; from a free start, all joints have equal weight. The result is
/// deterministic.
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
/// [`FollowError`] if the seed, target, a limit or an option is invalid; and, without a free start, if the seed is
/// outside the limits, or violates a goal at the start of the path. A path that cannot be followed to its end is no
/// error: see [`Followed::stop`].
pub fn follow(solver: &Solver, problem: &PathProblem, options: &FollowOptions) -> Result<Followed, FollowError> {
    follow_watched(solver, problem, options, &|_| false)
}

/// Like [`follow`], but calls `interruption` between pieces of the path and during searches, and stops if it returns
/// true.
///
/// # Errors
/// As [`follow`], and [`FollowError::Interrupted`] if `interruption` returned true.
pub fn follow_until(
    solver: &Solver,
    problem: &PathProblem,
    options: &FollowOptions,
    interruption: Interruption,
) -> Result<Followed, FollowError> {
    follow_watched(solver, problem, options, &|_| interruption())
}

/// Like [`follow_until`], but passes the estimated fraction of the work that is done, from 0 to 1, to `watch`, and
/// stops if it returns true.
///
/// # Errors
/// As [`follow_until`].
pub fn follow_watched(
    solver: &Solver,
    problem: &PathProblem,
    options: &FollowOptions,
    watch: Watch,
) -> Result<Followed, FollowError> {
    options.check()?;
    if !problem.free_start {
        check_start(solver.chain(), problem.seed)?;
    }
    // Infinite limits are valid here.
    problem.limits.clone().or(&JointLimit::DEFAULT).check(&solver.chain().variable_names())?;
    problem.preference.check(solver.chain())?;
    let mut solver = PathSolver::new(solver, problem, options, watch);
    let starts = if problem.free_start && options.search > 0 {
        path_search::starts(&mut solver)?
    } else {
        solver.start(problem.seed)?.into_iter().collect()
    };
    if starts.is_empty() {
        solver.search(0.0, problem.seed)?;
        let reason = unreached(&mut solver, 0.0, 0.0, problem.seed)?;
        let stop = Some(PathStop { waypoint: 0, ..PathStop::at(problem.path, 0.0, reason) });
        let (deviation, violations) = (Residual::default(), Vec::new());
        return Ok(Followed { curve: None, fraction: 0.0, stop, deviation, violations });
    }
    follow_from(&mut solver, &starts)
}

/// Follows the path from the best of several starts. From a given one it is tracked, and searched only if that ends
/// early.
fn follow_from(solver: &mut PathSolver, starts: &[Vec<f64>]) -> Result<Followed, FollowError> {
    let may_search = solver.options.search > 0;
    if solver.problem.free_start && may_search {
        return follow_searched(solver, starts, None);
    }
    let (tracked, stop) = track(solver, vec![Knot { length: 0.0, positions: starts[0].clone() }])?;
    let Some(mut stop) = stop else {
        let followed = fit(solver, &tracked, None)?;
        if followed.stop.is_none() || !may_search {
            return Ok(followed);
        }
        let searched = follow_searched(solver, starts, None)?;
        return Ok(if searched.fraction > followed.fraction { searched } else { followed });
    };
    if may_search {
        if has_solution_after(solver, stop.length)? {
            return follow_searched(solver, starts, Some((tracked, stop)));
        }
        stop.next_pose = NextPose::NoSolution;
    }
    fit(solver, &tracked, Some(stop))
}

/// Follows the path along the route of a search, or as it was tracked, whichever leads farther.
fn follow_searched(
    solver: &mut PathSolver,
    starts: &[Vec<f64>],
    tracked: Option<(Tracked, PathStop)>,
) -> Result<Followed, FollowError> {
    let mut route = path_search::search(solver, starts)?;
    if route.knots.is_empty() {
        route.knots.push(Knot { length: 0.0, positions: starts[0].clone() });
    }
    let (mut best, mut stop) = track(solver, route.knots)?;
    best.bisected_ratio = SEARCHED_RATIO;
    if let Some((tracked, tracked_stop)) = tracked
        && tracked.length() >= best.length()
    {
        (best, stop) = (tracked, Some(tracked_stop));
    }
    if let Some(stop) = &mut stop {
        stop.next_pose = if has_solution_after(solver, stop.length)? {
            NextPose::Unconnected { length: next_pose(solver, stop.length), ends: route.ends }
        } else {
            NextPose::NoSolution
        };
    }
    fit(solver, &best, stop)
}

/// Path length of the pose after a stop \[m\].
fn next_pose(solver: &PathSolver, length: f64) -> f64 {
    (length + solver.options.longest_piece).min(solver.problem.path.length())
}

/// True if a solution of the pose after a stop at path length `length` was found, with the goals and clear of
/// collisions.
fn has_solution_after(solver: &mut PathSolver, length: f64) -> Result<bool, FollowError> {
    Ok(solver.search(next_pose(solver, length), solver.problem.seed)?)
}

/// The result of a tracked path with the stop before its end.
fn fit(solver: &mut PathSolver, tracked: &Tracked, stop: Option<PathStop>) -> Result<Followed, FollowError> {
    let (curve, mut errors, shorter) = smooth(solver, tracked)?;
    let stop = match (shorter, stop) {
        // A curve that ends just before the last tracked piece ends there for the same reason.
        (Some(cut), Some(tracked)) if tracked.length - cut.length <= solver.options.longest_piece => {
            Some(PathStop { reason: tracked.reason, ..cut })
        }
        (cut, tracked) => cut.or(tracked),
    };
    let length = curve.length();
    let whole = solver.problem.path.length();
    let fraction = if stop.is_some() { (length / whole).min(1.0 - f64::EPSILON) } else { 1.0 };
    errors.include(&errors_on(solver, &curve, 0.0));
    Ok(Followed { curve: Some(curve), fraction, stop, deviation: errors.tip, violations: errors.violations })
}

/// The smooth curve of a tracked path with its errors. Intervals are bisected until the tip is close enough to the
/// path, the goals are met, and the motion is clear. The curve ends before an interval that is too short to bisect.
///
/// If the optimal curve is not clear, or violates a goal even in short intervals, it is replaced by one near the
/// tracked configurations, which do not; with their ends, if it leaves the path even in short intervals.
fn smooth(
    solver: &mut PathSolver,
    tracked: &Tracked,
) -> Result<(JointCurve, PathErrors, Option<PathStop>), FollowError> {
    let mut parts = tracked.parts.clone();
    let variables = solver.solver.chain().variables().len();
    let mut objective = FitObjective::Everything;
    let from_tracked = |parts: &[Vec<f64>]| JointCurve::new(parts, variables, |length| tracked.positions_at(length));
    let mut curve = from_tracked(&parts);
    let (mut stop, mut has_fixed_ends) = (None, false);
    loop {
        solver.check_interruption()?;
        let metres_per_radian = solver.options.deviation.position / solver.options.deviation.orientation;
        let cost = CurveCost::new(solver.solver, solver.problem, metres_per_radian, &curve);
        CurveFit::new(solver.solver.chain(), cost, &curve, has_fixed_ends).improve(&mut curve, objective);
        let (errors, bad) = bad_intervals(solver, &curve, tracked.bisected_ratio);
        if bad.is_empty() {
            return Ok((curve, errors, stop));
        }
        let is_short = |part: usize, interval: usize| {
            0.5 * (parts[part][interval + 1] - parts[part][interval]) < solver.options.shortest_piece
        };
        let Faults { leaves_path, is_blocked } = Faults::of(&bad, is_short);
        let fixes_ends = leaves_path && !has_fixed_ends;
        if fixes_ends || objective == FitObjective::Everything && is_blocked {
            objective = FitObjective::DistanceFromPath;
            has_fixed_ends |= fixes_ends;
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

/// Faults of a curve that tracked configurations do not have.
struct Faults {
    /// It leaves the path in a short interval.
    leaves_path: bool,
    /// It collides, or violates a goal in a short interval.
    is_blocked: bool,
}

impl Faults {
    fn of(bad: &[(usize, usize, StopReason)], is_short: impl Fn(usize, usize) -> bool) -> Self {
        let any = |is_fault: fn(&StopReason) -> bool| {
            bad.iter().any(|(part, interval, reason)| is_fault(reason) && is_short(*part, *interval))
        };
        let collides = bad.iter().any(|(.., reason)| matches!(reason, StopReason::Collision { .. }));
        Self {
            leaves_path: any(|reason| matches!(reason, StopReason::PieceTooShort { .. })),
            is_blocked: collides || any(|reason| matches!(reason, StopReason::Goal { .. })),
        }
    }
}

/// The maximum errors of the curve, and the intervals with excessive errors or a collision: part, interval and reason.
fn bad_intervals(
    solver: &mut PathSolver,
    curve: &JointCurve,
    bisected_ratio: f64,
) -> (PathErrors, Vec<(usize, usize, StopReason)>) {
    let (mut greatest, mut intervals) = (PathErrors::default(), Vec::new());
    for (at, part) in curve.parts.iter().enumerate() {
        for (interval, ends) in part.basis.ends().windows(2).enumerate() {
            let (errors, is_missed) = errors_between(solver, curve, ends);
            let is_long = 0.5 * (ends[1] - ends[0]) >= solver.options.shortest_piece;
            let allowed_ratio = if is_long { bisected_ratio } else { 1.0 };
            if is_missed || solver.ratio(&errors) > allowed_ratio {
                intervals.push((at, interval, solver.excess(&errors, ends[1] - ends[0])));
            } else if let Some(reason) = obstruction_on(solver, curve, ends) {
                intervals.push((at, interval, reason));
            }
            greatest.include(&errors);
        }
    }
    (greatest, intervals)
}

/// The errors of the curve on an interval, and whether it misses the end of the path there.
fn errors_between(solver: &mut PathSolver, curve: &JointCurve, ends: &[f64]) -> (PathErrors, bool) {
    let mut errors = PathErrors::default();
    for point in MEASURED_POINTS {
        let length = ends[0] + point * (ends[1] - ends[0]);
        errors.include(&errors_on(solver, curve, length));
    }
    // The path ends within the target's tolerance, as it starts where the start is free.
    let is_exact = |length: f64| length == solver.problem.path.length() || (length == 0.0 && solver.problem.free_start);
    let mut exact = [ends[0], ends[1]].into_iter().filter(|length| is_exact(*length));
    let is_missed =
        exact.any(|length| ratio(&errors_on(solver, curve, length).tip, &solver.problem.target.tolerance) > 1.0);
    (errors, is_missed)
}

/// The errors of the curve at path length `length`.
fn errors_on(solver: &mut PathSolver, curve: &JointCurve, length: f64) -> PathErrors {
    solver.deviation.at(PathConfiguration { length, positions: &curve.positions_at(length) })
}

/// The collision of the curve on an interval.
fn obstruction_on(solver: &mut PathSolver, curve: &JointCurve, ends: &[f64]) -> Option<StopReason> {
    solver.problem.clearance?;
    let mut here = curve.positions_at(ends[0]);
    if solver.problem.free_start && ends[0] == 0.0 {
        // Motions out of a contact are no obstruction.
        let obstruction = solver.obstruction_at(&here);
        if obstruction.is_some() {
            return obstruction;
        }
    }
    (1..=CHORDS).find_map(|chord| {
        let length = ends[0] + (ends[1] - ends[0]) * f64::from(chord) / f64::from(CHORDS);
        let there = curve.positions_at(length);
        let obstruction = solver.obstruction_between(&here, &there);
        here = there;
        obstruction
    })
}
