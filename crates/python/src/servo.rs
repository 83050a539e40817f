//! `Arm.servo` and `urdfik.Servo`: joint motion under velocity commands.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use urdf_ik::goals::Goal;
use urdf_ik::motion::MotionLimits;
use urdf_ik::motion::servo::{Command, HeldBack, Hold, Report, ServoOptions};
use urdf_ik::solver::SolverKind;

use crate::arguments::{Argument, named, parsed};
use crate::arrays::read_positions;
use crate::deprecated::{renamed, warn_deprecated};
use crate::goals::GoalLists;
use crate::kinematics::read_axes;
use crate::motion::limits;
use crate::options::{free_axes as read_free_axes, world};
use crate::refused;
use crate::robot::Reduced;
use crate::shared::{ArmData, PyArm, PyWorld, WorldData};
use crate::tip_commands::{read_poses, read_twists};

/// Follows twists of the tip or joint velocities, smoothly and within the limits of position, velocity, acceleration
/// and jerk. Created by ``Arm.servo``. It has a state: use a servo from one thread at a time.
///
/// A copy continues exactly as the original. A pickled servo continues from its positions, velocities and
/// accelerations, and restarts the line of its command there.
#[pyclass(frozen, module = "urdfik", name = "Servo")]
pub struct PyServo {
    arm: Arc<ArmData>,
    request: ServoRequest,
    motion: Mutex<urdf_ik::motion::servo::Servo>,
}

/// The arguments of `Arm.servo`.
#[derive(Clone)]
pub struct ServoRequest {
    /// Rate of the steps \[Hz\].
    pub rate: f64,
    pub options: ServoOptions,
    pub limits: MotionLimits,
    pub world: Option<Arc<WorldData>>,
    /// Goals with priority over every command, as given.
    pub goals: Option<Arc<Py<PyAny>>>,
}

#[pymethods]
impl PyArm {
    /// Creates a servo at rest at ``q``, which follows twists of the tip or joint velocities.
    ///
    /// Parameters
    /// ----------
    /// rate : float
    ///     Steps per second [Hz].
    /// q : array (n,), or dict by joint name
    ///     The current joint positions [rad or m]. Joints outside their limits first move inside, with
    ///     the first command.
    /// joint_limits : str, path or dict, optional
    ///     As in path.
    /// linear_speed, angular_speed : float
    ///     Largest speeds of the tip [m/s, rad/s].
    /// max_deviation_angle : float
    ///     Largest angle [rad] between the twist and the motion at a joint limit, singularity or contact, with a radian
    ///     of the tip as 0.3 times the size of the arm. 0: wait on the line.
    /// slack_position, slack_orientation : float
    ///     Slack: largest deviation of the uncommanded position [m] and orientation [rad] where the tip would
    ///     otherwise stop or slow down.
    /// free_axes : list of "rx", "ry", "rz", optional
    ///     Free rotation axes of the tip frame while no rotation is commanded.
    /// avoid : World, optional
    ///     The world to avoid.
    /// goals : list of goals, optional
    ///     Goals that come before every command, as in solve. The motion yields to them; one that is violated at the
    ///     start may only improve.
    /// held_back : "wait" or "slide", optional
    ///     Deprecated: max_deviation_angle, 0 or 1.05.
    /// give_position, give_orientation : float, optional
    ///     Deprecated: slack_position and slack_orientation.
    #[expect(clippy::too_many_arguments, reason = "the arguments of a method in Python")]
    #[pyo3(
        signature = (
            rate, q, *, joint_limits = None, linear_speed = Argument::Valid(ServoOptions::DEFAULT.linear_speed),
            angular_speed = Argument::Valid(ServoOptions::DEFAULT.angular_speed),
            max_deviation_angle = Argument::Valid(ServoOptions::DEFAULT.max_deviation_angle),
            slack_position = Argument::Valid(ServoOptions::DEFAULT.slack[0]),
            slack_orientation = Argument::Valid(ServoOptions::DEFAULT.slack[1]), free_axes = None, avoid = None,
            goals = None, held_back = None, give_position = None, give_orientation = None
        ),
        text_signature = "($self, rate, q, *, joint_limits=None, linear_speed=0.5, angular_speed=1.5, \
                          max_deviation_angle=1.05, slack_position=0.02, slack_orientation=0.1, free_axes=None, \
                          avoid=None, goals=None, held_back=None, give_position=None, give_orientation=None)"
    )]
    fn servo<'py>(
        &self,
        py: Python<'py>,
        rate: Argument<'py, f64>,
        q: &Bound<'py, PyAny>,
        joint_limits: Option<&Bound<'py, PyAny>>,
        linear_speed: Argument<'py, f64>,
        angular_speed: Argument<'py, f64>,
        max_deviation_angle: Argument<'py, f64>,
        slack_position: Argument<'py, f64>,
        slack_orientation: Argument<'py, f64>,
        free_axes: Option<&Bound<'py, PyAny>>,
        avoid: Option<&Bound<'py, PyAny>>,
        goals: Option<Py<PyAny>>,
        held_back: Option<Argument<'py, String>>,
        give_position: Option<Argument<'py, f64>>,
        give_orientation: Option<Argument<'py, f64>>,
    ) -> PyResult<PyServo> {
        let held_back =
            named(held_back, "held_back")?.map(|name| parsed::<HeldBack>(&name, "held_back")).transpose()?;
        let max_deviation_angle = match held_back {
            Some(held_back) => {
                warn_deprecated(py, "held_back", "max_deviation_angle")?;
                held_back.max_deviation_angle()
            }
            None => max_deviation_angle.named("max_deviation_angle")?,
        };
        let options = ServoOptions {
            linear_speed: linear_speed.named("linear_speed")?,
            angular_speed: angular_speed.named("angular_speed")?,
            max_deviation_angle,
            slack: [
                renamed(py, give_position, slack_position, ["give_position", "slack_position"])?,
                renamed(py, give_orientation, slack_orientation, ["give_orientation", "slack_orientation"])?,
            ],
            free_axes: free_axes.map(read_free_axes).transpose()?.unwrap_or_default(),
            ..ServoOptions::default()
        };
        let limits = limits(joint_limits, &self.0)?;
        let world = avoid.map(|avoid| world(avoid, &self.0)).transpose()?;
        let goals = goals.map(Arc::new);
        let request = ServoRequest { rate: rate.named("rate")?, options, limits, world, goals };
        PyServo::start(py, &self.0, &read_positions(q, &self.0.chain, "q")?, request)
    }
}

/// The pickled state of a servo, without its arm and world.
#[derive(FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub struct SavedServo {
    rate: f64,
    speeds: [f64; 2],
    max_deviation_angle: f64,
    slack: [f64; 2],
    free_axes: [bool; 6],
    /// Limits of velocity, acceleration and jerk.
    limits: [Vec<f64>; 3],
    /// Positions, velocities and accelerations.
    state: [Vec<f64>; 3],
    goals: Option<Py<PyAny>>,
}

impl PyServo {
    /// A servo at rest at `q`, one position per variable of the chain \[rad or m\].
    ///
    /// # Errors
    /// A `urdfik.Error` if `q`, the rate, an option, a limit or a goal is invalid.
    pub fn start(py: Python<'_>, arm: &Arc<ArmData>, q: &[f64], request: ServoRequest) -> PyResult<Self> {
        if !(request.rate.is_finite() && request.rate > 0.0) {
            return Err(refused(format!("rate is {}; it must be a finite number above 0", request.rate)));
        }
        request.options.check().map_err(refused)?;
        if q.iter().any(|position| !position.is_finite()) {
            return Err(refused("q has an entry that is not a finite number"));
        }
        let solver = arm.solver(SolverKind::Jacobian)?;
        let motion = urdf_ik::motion::servo::Servo::new(solver, &request.limits, request.options, q);
        let mut motion = motion.map_err(refused)?;
        if let Some(goals) = &request.goals {
            let lists = GoalLists::read(goals.bind(py), "goals", arm, request.world.as_deref())?;
            motion.set_goals(lists.of_one()?);
        }
        Ok(Self { arm: Arc::clone(arm), request, motion: Mutex::new(motion) })
    }

    fn servo(&self) -> MutexGuard<'_, urdf_ik::motion::servo::Servo> {
        self.motion.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn saved(&self, py: Python<'_>) -> SavedServo {
        let ServoRequest { rate, options, limits, goals, .. } = self.request.clone();
        let servo = self.servo();
        SavedServo {
            rate,
            speeds: [options.linear_speed, options.angular_speed],
            max_deviation_angle: options.max_deviation_angle,
            slack: options.slack,
            free_axes: options.free_axes,
            limits: [limits.velocities, limits.accelerations, limits.jerks],
            state: [servo.positions(), servo.velocities(), servo.accelerations()].map(<[f64]>::to_vec),
            goals: goals.map(|goals| goals.clone_ref(py)),
        }
    }
}

impl PyServo {
    /// The name of a limiting factor, and those of its joint, tip or bodies.
    fn limiting_factor(&self, hold: &Hold, goals: &[Goal]) -> (&'static str, Vec<String>) {
        let chain = &self.arm.chain;
        let joint = |variable: usize| vec![chain.variables()[variable].name.clone()];
        let tip = |tip: usize| vec![chain.tips()[tip].link.clone()];
        match *hold {
            Hold::JointLimit { variable } => ("joint_limit", joint(variable)),
            Hold::Singularity => ("singularity", Vec::new()),
            Hold::Contact { pair, .. } => ("contact", self.bodies(pair)),
            Hold::Goal { goal } => ("goal", goals.get(goal).map(|goal| goal.name().to_owned()).into_iter().collect()),
            Hold::JointSpeed { variable } => ("joint_speed", joint(variable)),
            Hold::TipSpeed { tip: index } => ("tip_speed", tip(index)),
        }
    }

    /// The names of the bodies of a pair.
    fn bodies(&self, pair: usize) -> Vec<String> {
        let pairs = self.request.world.as_deref().and_then(|world| world.clearance().scene.pairs().nth(pair));
        pairs.map(|pair| pair.map(|body| body.name().to_owned()).to_vec()).unwrap_or_default()
    }
}

/// Restores a pickled servo.
#[pyfunction]
#[pyo3(signature = (arm, saved, world))]
pub fn rebuild_servo(
    py: Python<'_>,
    arm: &Bound<'_, PyArm>,
    saved: SavedServo,
    world: Option<&Bound<'_, PyWorld>>,
) -> PyResult<PyServo> {
    let SavedServo { rate, speeds, max_deviation_angle, slack, free_axes, limits, state, goals } = saved;
    let [q, velocities, accelerations] = state;
    let options = ServoOptions {
        linear_speed: speeds[0],
        angular_speed: speeds[1],
        max_deviation_angle,
        slack,
        free_axes,
        ..ServoOptions::default()
    };
    let variables = arm.get().0.variables();
    if limits.iter().chain([&q, &velocities, &accelerations]).any(|list| list.len() != variables) {
        return Err(refused("the servo was pickled with another arm"));
    }
    let [of_velocity, of_acceleration, of_jerk] = limits;
    let limits = MotionLimits { velocities: of_velocity, accelerations: of_acceleration, jerks: of_jerk };
    let world = world.map(|world| Arc::clone(&world.get().0));
    let request = ServoRequest { rate, options, limits, world, goals: goals.map(Arc::new) };
    let servo = PyServo::start(py, &arm.get().0, &q, request)?;
    servo.servo().resume(&velocities, &accelerations);
    Ok(servo)
}

#[pymethods]
impl PyServo {
    /// Advances by one period. Returns the joint positions (n,) [rad or m] to command.
    ///
    /// Parameters
    /// ----------
    /// twist : array (6,), or dict from tip to array (6,), optional
    ///     The linear velocity of the tip's origin [m/s], then the angular velocity [rad/s]. Without a
    ///     command the arm stops.
    /// frame : "base" or "tip"
    ///     The frame whose axes the twist is expressed in.
    /// velocities : array (n,), or dict by joint name, optional
    ///     Joint velocities [rad/s or m/s], instead of a twist.
    /// pose : array (7,) or (4, 4), or dict from tip to array, optional
    ///     The pose of the tip in the base link's frame, instead of a twist.
    #[pyo3(
        signature = (twist = None, *, frame = None, velocities = None, pose = None),
        text_signature = "($self, twist=None, *, frame='base', velocities=None, pose=None)"
    )]
    fn step<'py>(
        &self,
        py: Python<'py>,
        twist: Option<&Bound<'py, PyAny>>,
        frame: Option<Argument<'py, String>>,
        velocities: Option<&Bound<'py, PyAny>>,
        pose: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let chain = &self.arm.chain;
        let axes = read_axes(frame)?;
        let twists = twist.map(|twist| read_twists(twist, axes, chain)).transpose()?;
        let poses = pose.map(|pose| read_poses(pose, chain)).transpose()?;
        let velocities = velocities.map(|velocities| read_positions(velocities, chain, "velocities")).transpose()?;
        let command = match (&twists, &velocities, &poses) {
            (None, None, None) => Command::Rest,
            (Some(tips), None, None) | (None, None, Some(tips)) => Command::Tips(tips),
            (None, Some(velocities), None) => Command::Velocities(velocities),
            _ => return Err(refused("give a twist, a pose or joint velocities, not both")),
        };
        let clearance = self.request.world.as_deref().map(WorldData::clearance);
        let mut servo = self.servo();
        servo.step(1.0 / self.request.rate, &command, clearance.as_ref()).map_err(refused)?;
        Ok(PyArray1::from_slice(py, servo.positions()))
    }

    /// The goals that come before every command, as they were given; None without any.
    #[getter]
    fn goals(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.request.goals.as_ref().map(|goals| goals.clone_ref(py))
    }

    /// The joint positions (n,) [rad or m].
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.servo().positions())
    }

    /// The joint velocities (n,) [rad/s or m/s].
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.servo().velocities())
    }

    /// The joint accelerations (n,) [rad/s² or m/s²].
    #[getter]
    fn accelerations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.servo().accelerations())
    }

    /// Whether no joint moves.
    #[getter]
    fn is_at_rest(&self) -> bool {
        self.servo().is_at_rest()
    }

    /// The report of the last step, a dict with these keys:
    ///
    /// - ``speed_ratio``: the share of the commanded tip speed over the last 50 ms; 1 without a command.
    /// - ``angle``: the largest angle between the command of a tip and its motion [rad], where one radian of the tip
    ///   counts as 0.3 times the size of the arm.
    /// - ``sliding``: True if the tips move beside their commands, in the nearest feasible direction.
    /// - ``position_off_line``, ``orientation_off_line``: the largest deviation of a tip from its line [m, rad], also
    ///   while it comes to rest; 0 without a line.
    /// - ``smallest_singular_value``: that of the Jacobian of all tips; None without a twist or pose.
    /// - ``singular_direction``: with a singularity among the limits, a dict from tip to the twist (6,) that is lost,
    ///   as is its opposite, along the axes of the base link, with the size of one radian over all tips; otherwise
    ///   empty.
    /// - ``limits``: a list of tuples, the most important first: the limiting factor ("joint_limit", "singularity",
    ///   "contact", "goal", "joint_speed" or "tip_speed") and a list with the name of its joint, its goal, its tip or
    ///   its two bodies. Empty if the tips follow.
    /// - ``distance``: the distance of the two bodies of a contact among them [m]; None without one.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let servo = self.servo();
        let Report { share, angle, off_line, is_sliding, smallest_singular_value, singular_direction, holds } =
            servo.report();
        let dict = PyDict::new(py);
        dict.set_item("speed_ratio", share)?;
        dict.set_item("angle", angle)?;
        dict.set_item("position_off_line", off_line[0])?;
        dict.set_item("orientation_off_line", off_line[1])?;
        dict.set_item("sliding", is_sliding)?;
        dict.set_item("smallest_singular_value", smallest_singular_value)?;
        let names = self.arm.chain.tip_names();
        let lost =
            names.iter().zip(singular_direction).map(|(tip, lost)| (tip, PyArray1::from_slice(py, lost.as_slice())));
        dict.set_item("singular_direction", lost.into_py_dict(py)?)?;
        let limits: Vec<_> = holds.iter().map(|hold| self.limiting_factor(hold, servo.goals())).collect();
        dict.set_item("limits", limits)?;
        let contact = |hold: &Hold| if let Hold::Contact { distance, .. } = *hold { Some(distance) } else { None };
        dict.set_item("distance", holds.iter().find_map(contact))?;
        Ok(dict)
    }

    fn __copy__(&self) -> Self {
        let motion = Mutex::new(self.servo().clone());
        Self { arm: Arc::clone(&self.arm), request: self.request.clone(), motion }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.__copy__()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (PyArm, SavedServo, Option<PyWorld>)>> {
        let world = self.request.world.clone().map(PyWorld);
        let state = (PyArm(Arc::clone(&self.arm)), self.saved(py), world);
        Ok((py.import("urdfik._urdfik")?.getattr("rebuild_servo")?, state))
    }
}
