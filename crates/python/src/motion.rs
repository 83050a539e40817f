//! `Arm.path`: Cartesian paths as joint trajectories, and joint limits of motion.

use std::collections::BTreeMap;

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use urdf_ik::files::MAX_SETTINGS_BYTES;
use urdf_ik::motion::{
    FollowOptions, Followed, JointLimit, JointLimits, MotionLimits, Path, PathOptions, PathProblem, Timing, Trajectory,
    TrajectoryPoint, follow_until,
};
use urdf_ik::robot::{Chain, Robot};
use urdf_ik::solver::Target;
use urdf_ik_text::names::short;

use crate::answers::ANSWERS;
use crate::arguments::{Argument, read};
use crate::arrays::{array, read_positions};
use crate::interruption::SignalCheck;
use crate::options::{SEARCH_OPTIONS, SolveOptions};
use crate::path_or_text::{PathOrText, is_yaml};
use crate::poses::PoseArgument;
use crate::refused;
use crate::shared::{ArmData, PyArm};

#[pymethods]
impl PyArm {
    /// Plans the fastest joint trajectory within the joint limits that moves the tip on straight lines
    /// through waypoints.
    ///
    /// Parameters
    /// ----------
    /// waypoints : array (K, 4, 4), (K, 7) or (K, 3)
    ///     Poses of the tip in the frame of the base link: see Arm.
    /// q : array (n,), or dict by joint name, optional
    ///     The current joint positions [rad or m]. The path begins there, or at the nearest solution
    ///     for its first pose. None: at the solution of its first pose that completes the path best, by the followed
    ///     fraction and then by the length of the motion in joint space, which counts 5 % more where bodies are within
    ///     2 cm.
    /// blend_radius : float
    ///     Distance from a waypoint at which its corner is rounded [m]; 0 means a stop at each corner.
    /// speed, acceleration : float
    ///     Largest speed [m/s] and acceleration [m/s²] along the path.
    /// period : float
    ///     Time step of the trajectory [s].
    /// joint_limits : str, path or dict, optional
    ///     A joint_limits.yaml in MoveIt's format, its text, or a dict from joint to a dict with ``velocity``
    ///     [rad/s or m/s], ``acceleration`` [rad/s² or m/s²] and ``jerk`` [rad/s³ or m/s³], each optional.
    ///     Defaults: the velocity of the URDF, or 1; the acceleration that reaches it in 0.2 s; the jerk that
    ///     reaches that in 10 ms.
    /// search : int
    ///     Effort of the search for other self-motions and branches where the path cannot be tracked to its end, and of
    ///     the choice of a start: number of configurations at each pose. 0: tracking alone.
    /// goals : list of goals of urdfik.goals, or of dicts with the same fields and ``type``, optional
    ///     Goals of every point of the trajectory, besides the poses. They choose among the poses that free axes
    ///     allow.
    /// constraints : list, optional
    ///     Another name of goals.
    /// solver, free_axes, avoid, and preferences
    ///     As in solve.
    ///
    /// Returns
    /// -------
    /// Trajectory
    ///     Up to the point that the path can be followed to; if not its end, with the fraction and the reason.
    #[pyo3(
        signature = (
            waypoints, q = None, *, blend_radius = Argument::Valid(0.0), speed = Argument::Valid(0.1), acceleration = Argument::Valid(0.5),
            period = Argument::Valid(0.01), joint_limits = None, search = Argument::Valid(100), **options
        ),
        text_signature = "($self, waypoints, q=None, *, blend_radius=0.0, speed=0.1, acceleration=0.5, period=0.01, joint_limits=None, search=100, \
                          goals=None, constraints=None, solver='jacobian', free_axes=None, avoid=None, posture=None, posture_weight=1.0, limits_weight=0.0, \
                          manipulability_weight=0.0, tool=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a method in Python")]
    fn path<'py>(
        &self,
        py: Python<'py>,
        waypoints: &Bound<'py, PyAny>,
        q: Option<&Bound<'py, PyAny>>,
        blend_radius: Argument<'py, f64>,
        speed: Argument<'py, f64>,
        acceleration: Argument<'py, f64>,
        period: Argument<'py, f64>,
        joint_limits: Option<&Bound<'py, PyAny>>,
        search: Argument<'py, usize>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        const SOLVE_OPTIONS: [&str; 5] =
            ["position_tolerance", "orientation_tolerance", "bounds", "move_weights", "closest"];
        let without = [&SEARCH_OPTIONS[..], &SOLVE_OPTIONS].concat();
        let (arm, options) = SolveOptions::read(&self.0, options, "path", &without)?;
        let chain = &self.0.chain;
        let start = q.map(|q| read_positions(q, chain, "q")).transpose()?;
        let seed = start.clone().unwrap_or_else(|| chain.nominal_positions());
        let follow_options = FollowOptions::default().with_search(search.named("search")?);
        let path_options = PathOptions::default().with_blend_radius(blend_radius.named("blend_radius")?);
        let timing = Timing::default()
            .with_speed(speed.named("speed")?)
            .with_acceleration(acceleration.named("acceleration")?)
            .with_period(period.named("period")?);
        let limits = limits(joint_limits, &self.0)?;
        let targets = targets(waypoints, &arm.chain, &options)?;
        let waypoints: Vec<_> = targets.iter().map(|target| target.pose).collect();
        let path = Path::new(&waypoints, path_options).map_err(refused)?;
        let problem = PathProblem::new(&path, &targets[0], &seed, &limits)
            .with_free_start(start.is_none())
            .with_goals(options.goals.of_one()?)
            .with_preference(options.preference())
            .with_clearance(options.clearance());
        let (solver, interruption) = (arm.solver(options.kind)?, SignalCheck::new());
        let (followed, trajectory) = py.detach(|| {
            let followed = follow_until(solver, &problem, &follow_options, &|| interruption.is_raised());
            interruption.result()?;
            let followed = followed.map_err(refused)?;
            let trajectory = Trajectory::new(&arm.chain, &problem, &followed, &timing).map_err(refused)?;
            Ok::<_, PyErr>((followed, trajectory))
        })?;
        answer(py, &arm, &followed, &trajectory)
    }
}

/// The targets of the only tip at the waypoints.
fn targets(waypoints: &Bound<'_, PyAny>, chain: &Chain, options: &SolveOptions) -> PyResult<Vec<Target>> {
    let [plain] = options.targets[..] else {
        return Err(refused("a path is followed with one tip: make an arm with that tip alone"));
    };
    let (poses, count) = PoseArgument::many(waypoints, chain, "waypoints")?;
    let (poses, mut targets) = (poses.rows(&(0..count)), vec![plain; count]);
    for (row, target) in targets.chunks_mut(1).enumerate() {
        poses.write(row, &options.targets, target).map_err(|e| refused(format!("waypoint {row}: {e}")))?;
    }
    Ok(targets)
}

fn answer<'py>(
    py: Python<'py>,
    arm: &ArmData,
    followed: &Followed,
    trajectory: &Trajectory,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let rows = |of: fn(&TrajectoryPoint) -> &[f64]| -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers = trajectory.points.iter().flat_map(of).copied().collect();
        array(py, [trajectory.points.len(), arm.variables()], numbers)
    };
    CLASS.import(py, ANSWERS, "Trajectory")?.call1((
        PyArray1::from_iter(py, trajectory.points.iter().map(|point| point.time)),
        rows(|point| &point.positions)?,
        rows(|point| &point.velocities)?,
        rows(|point| &point.accelerations)?,
        followed.fraction,
        followed.stop.as_ref().map(ToString::to_string),
        trajectory.deviation.position,
        trajectory.deviation.orientation,
        PyArray1::from_slice(py, &trajectory.violations),
    ))
}

/// The limits of velocity, acceleration and jerk of the arm. `given` is a `joint_limits.yaml` (path or text) or a dict
/// by joint name; the lower of its velocity limits and those of the URDF apply. Missing limits have defaults.
///
/// # Errors
/// A `urdfik.Error` if `given` is invalid.
pub fn limits(given: Option<&Bound<'_, PyAny>>, arm: &ArmData) -> PyResult<MotionLimits> {
    let robot = &arm.robot.robot;
    let limits = given.map(|given| joint_limits(given, robot)).transpose()?.unwrap_or_default();
    Ok(MotionLimits::new(robot, &arm.chain, &limits).or(&JointLimit::DEFAULT))
}

fn joint_limits(given: &Bound<'_, PyAny>, robot: &Robot) -> PyResult<JointLimits> {
    if let Ok(by_joint) = given.cast::<PyDict>() {
        let limits = by_joint.iter().map(|(joint, limit)| joint_limit(&joint, &limit, robot));
        return Ok(JointLimits(limits.collect::<PyResult<BTreeMap<_, _>>>()?));
    }
    let (text, _) = read::<PathOrText>(given, "joint_limits")?.read(is_yaml, MAX_SETTINGS_BYTES)?;
    JointLimits::from_yaml(&text, robot).map_err(refused)
}

/// The limits of one joint, from a dict with velocity, acceleration and jerk, each optional.
fn joint_limit(joint: &Bound<'_, PyAny>, limit: &Bound<'_, PyAny>, robot: &Robot) -> PyResult<(String, JointLimit)> {
    let joint: String = read(joint, "a joint of joint_limits")?;
    let what = format!("joint_limits of '{}'", short(&joint));
    if robot.movable_index(&joint).is_none() {
        return Err(refused(format!("joint_limits names joint '{}', which the robot does not have", short(&joint))));
    }
    let mut limits = JointLimit::default();
    for (name, value) in read::<Bound<PyDict>>(limit, &what)? {
        let name: String = read(&name, &format!("an entry of {what}"))?;
        let shown = short(&name);
        let value: f64 = read(&value, &format!("{shown} of {what}"))?;
        let place = match name.as_str() {
            "velocity" => &mut limits.velocity,
            "acceleration" => &mut limits.acceleration,
            "jerk" => &mut limits.jerk,
            _ => return Err(refused(format!("{what} have '{shown}'; they can be velocity, acceleration and jerk"))),
        };
        if !(value.is_finite() && value > 0.0) {
            return Err(refused(format!("{name} of {what} is {value}; it must be a finite number above 0")));
        }
        *place = Some(value);
    }
    Ok((joint, limits))
}
