//! Paths of the tip, as trajectories of the joints, and the limits of their motion.

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
use urdf_ik::robot::Robot;
use urdf_ik_text::names::short;

use crate::answers::ANSWERS;
use crate::arguments::read;
use crate::arrays::array;
use crate::interruption::Interruption;
use crate::options::Options;
use crate::path_or_text::{PathOrText, is_yaml};
use crate::poses::Poses;
use crate::refused;
use crate::shared::ArmData;

/// A path as it was asked for.
pub struct PathRequest<'a, 'py> {
    pub arm: &'a ArmData,
    pub waypoints: &'a Bound<'py, PyAny>,
    pub q: &'a [f64],
    pub blend_radius: f64,
    pub timing: Timing,
    pub limits: MotionLimits,
    pub options: Options,
}

impl<'py> PathRequest<'_, 'py> {
    /// Follows the path. Gives an `urdfik.Trajectory`.
    pub fn follow(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let chain = &self.arm.chain;
        if chain.tips().len() != 1 {
            return Err(refused("a path is followed with one tip: make an arm with that tip alone"));
        }
        let (poses, count) = Poses::many(self.waypoints, chain, "waypoints")?;
        let poses = poses.rows(&(0..count));
        let plain = &self.options.targets;
        let mut targets = vec![plain[0]; count];
        for (row, target) in targets.iter_mut().enumerate() {
            poses
                .write(row, plain, std::slice::from_mut(target))
                .map_err(|e| refused(format!("waypoint {row}: {e}")))?;
        }
        let waypoints: Vec<_> = targets.iter().map(|target| target.pose).collect();
        let options = PathOptions { blend_radius: self.blend_radius, ..PathOptions::default() };
        let path = Path::new(&waypoints, options).map_err(refused)?;
        let problem = PathProblem {
            path: &path,
            target: &targets[0],
            seed: self.q,
            limits: &self.limits,
            preference: self.options.preference(),
            clearance: self.options.clearance(),
        };
        let solver = self.arm.solver(self.options.kind)?;
        let timing = self.timing;
        let interruption = Interruption::new();
        let (followed, trajectory) = py.detach(|| {
            let followed = follow_until(solver, &problem, &FollowOptions::default(), &|| interruption.is_raised());
            interruption.result()?;
            let followed = followed.map_err(refused)?;
            let trajectory = Trajectory::new(chain, &problem, &followed, &timing).map_err(refused)?;
            Ok::<_, PyErr>((followed, trajectory))
        })?;
        answer(py, self.arm, &followed, &trajectory)
    }
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
    ))
}

/// The limits of the arm's joints: those of the URDF and of `given`, a joint_limits.yaml (path or text) or a dict by joint name.
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

/// The limits of one joint, of a dict with some of velocity, acceleration and jerk.
fn joint_limit(joint: &Bound<'_, PyAny>, limit: &Bound<'_, PyAny>, robot: &Robot) -> PyResult<(String, JointLimit)> {
    let joint: String = read(joint, "a joint of joint_limits")?;
    let what = format!("joint_limits of '{}'", short(&joint));
    if robot.movable_index(&joint).is_none() {
        return Err(refused(format!("joint_limits names joint '{}', which the robot does not have", short(&joint))));
    }
    let mut limits = JointLimit::default();
    for (name, value) in read::<Bound<PyDict>>(limit, &what)? {
        let name: String = read(&name, &format!("an entry of {what}"))?;
        let value: f64 = read(&value, &format!("{} of {what}", short(&name)))?;
        let place = match name.as_str() {
            "velocity" => &mut limits.velocity,
            "acceleration" => &mut limits.acceleration,
            "jerk" => &mut limits.jerk,
            _ => {
                return Err(refused(format!(
                    "{what} have '{}'; they can be velocity, acceleration and jerk",
                    short(&name)
                )));
            }
        };
        if !(value.is_finite() && value > 0.0) {
            return Err(refused(format!("{name} of {what} is {value}; it must be a finite number above 0")));
        }
        *place = Some(value);
    }
    Ok((joint, limits))
}
