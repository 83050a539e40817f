//! `Arm.servo` and `urdfik.Servo`: joint motion under velocity commands.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nalgebra::Vector3;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::motion::MotionLimits;
use urdf_ik::motion::servo::{Axes, Command, ServoOptions, TipCommand, TipTwist};
use urdf_ik::robot::Chain;
use urdf_ik::solver::SolverKind;

use crate::arguments::{Argument, named, parsed, read};
use crate::arrays::{NumberArray, read_positions, shape_in_words};
use crate::kinematics::read_axes;
use crate::motion::limits;
use crate::options::{free_axes as read_free_axes, world};
use crate::poses::tip_index;
use crate::refused;
use crate::robot::Reduced;
use crate::shared::{ArmData, PyArm, PyWorld, WorldData};

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
    /// Steps per second \[Hz\].
    pub rate: f64,
    pub options: ServoOptions,
    pub limits: MotionLimits,
    pub world: Option<Arc<WorldData>>,
}

impl ServoRequest {
    fn check(&self) -> PyResult<()> {
        let ServoOptions { linear_speed, angular_speed, give, free_axes, .. } = self.options;
        for (what, value) in [("rate", self.rate), ("linear_speed", linear_speed), ("angular_speed", angular_speed)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(refused(format!("{what} is {value}; it must be a finite number above 0")));
            }
        }
        for (what, value) in [("give_position", give[0]), ("give_orientation", give[1])] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(refused(format!("{what} is {value}; it must be a finite number, 0 or greater")));
            }
        }
        if free_axes[..3].contains(&true) {
            return Err(refused("free_axes of a servo must be some of rx, ry, rz: it leaves no translation free"));
        }
        Ok(())
    }
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
    /// held_back : "wait" or "slide"
    ///     Behaviour at a joint limit that blocks the line of the tip: wait on the line, or slide along the feasible
    ///     part of the twist.
    /// give_position, give_orientation : float
    ///     Slack: largest deviation of the uncommanded position [m] and orientation [rad] where the tip would
    ///     otherwise stop or slow down.
    /// free_axes : list of "rx", "ry", "rz", optional
    ///     Free rotation axes of the tip frame while no rotation is commanded.
    /// avoid : World, optional
    ///     The world to avoid.
    #[expect(clippy::too_many_arguments, reason = "the arguments of a method in Python")]
    #[pyo3(
        signature = (
            rate, q, *, joint_limits = None, linear_speed = Argument::Valid(ServoOptions::DEFAULT.linear_speed),
            angular_speed = Argument::Valid(ServoOptions::DEFAULT.angular_speed), held_back = None,
            give_position = Argument::Valid(ServoOptions::DEFAULT.give[0]),
            give_orientation = Argument::Valid(ServoOptions::DEFAULT.give[1]), free_axes = None, avoid = None
        ),
        text_signature = "($self, rate, q, *, joint_limits=None, linear_speed=0.5, angular_speed=1.5, held_back='wait', \
                          give_position=0.02, give_orientation=0.1, free_axes=None, avoid=None)"
    )]
    fn servo<'py>(
        &self,
        rate: Argument<'py, f64>,
        q: &Bound<'py, PyAny>,
        joint_limits: Option<&Bound<'py, PyAny>>,
        linear_speed: Argument<'py, f64>,
        angular_speed: Argument<'py, f64>,
        held_back: Option<Argument<'py, String>>,
        give_position: Argument<'py, f64>,
        give_orientation: Argument<'py, f64>,
        free_axes: Option<&Bound<'py, PyAny>>,
        avoid: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PyServo> {
        let held_back = named(held_back, "held_back")?.map(|name| parsed(&name, "held_back")).transpose()?;
        let options = ServoOptions {
            linear_speed: linear_speed.named("linear_speed")?,
            angular_speed: angular_speed.named("angular_speed")?,
            held_back: held_back.unwrap_or(ServoOptions::DEFAULT.held_back),
            give: [give_position.named("give_position")?, give_orientation.named("give_orientation")?],
            free_axes: free_axes.map(read_free_axes).transpose()?.unwrap_or_default(),
            ..ServoOptions::default()
        };
        let limits = limits(joint_limits, &self.0)?;
        let world = avoid.map(|avoid| world(avoid, &self.0)).transpose()?.flatten();
        let request = ServoRequest { rate: rate.named("rate")?, options, limits, world };
        PyServo::start(&self.0, &read_positions(q, &self.0.chain, "q")?, request)
    }
}

/// The pickled state of a servo, without its arm and world.
#[derive(FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub struct SavedServo {
    rate: f64,
    speeds: [f64; 2],
    held_back: String,
    give: [f64; 2],
    free_axes: [bool; 6],
    /// Limits of velocity, acceleration and jerk.
    limits: [Vec<f64>; 3],
    /// Positions, velocities and accelerations.
    state: [Vec<f64>; 3],
}

impl PyServo {
    pub fn start(arm: &Arc<ArmData>, q: &[f64], request: ServoRequest) -> PyResult<Self> {
        request.check()?;
        if q.iter().any(|position| !position.is_finite()) {
            return Err(refused("q has an entry that is not a finite number"));
        }
        let solver = arm.solver(SolverKind::Jacobian)?;
        let motion = urdf_ik::motion::servo::Servo::new(solver, &request.limits, request.options, q);
        Ok(Self { arm: Arc::clone(arm), request, motion: Mutex::new(motion.map_err(refused)?) })
    }

    fn servo(&self) -> MutexGuard<'_, urdf_ik::motion::servo::Servo> {
        self.motion.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn saved(&self) -> SavedServo {
        let ServoRequest { rate, options, limits, .. } = self.request.clone();
        let servo = self.servo();
        SavedServo {
            rate,
            speeds: [options.linear_speed, options.angular_speed],
            held_back: options.held_back.name().to_owned(),
            give: options.give,
            free_axes: options.free_axes,
            limits: [limits.velocities, limits.accelerations, limits.jerks],
            state: [servo.positions(), servo.velocities(), servo.accelerations()].map(<[f64]>::to_vec),
        }
    }
}

/// Restores a pickled servo.
#[pyfunction]
#[pyo3(signature = (arm, saved, world))]
pub fn rebuild_servo(
    arm: &Bound<'_, PyArm>,
    saved: SavedServo,
    world: Option<&Bound<'_, PyWorld>>,
) -> PyResult<PyServo> {
    let SavedServo { rate, speeds, held_back, give, free_axes, limits, state: [q, velocities, accelerations] } = saved;
    let options = ServoOptions {
        linear_speed: speeds[0],
        angular_speed: speeds[1],
        held_back: parsed(&held_back, "held_back")?,
        give,
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
    let servo = PyServo::start(&arm.get().0, &q, ServoRequest { rate, options, limits, world })?;
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
    #[pyo3(
        signature = (twist = None, *, frame = None, velocities = None),
        text_signature = "($self, twist=None, *, frame='base', velocities=None)"
    )]
    fn step<'py>(
        &self,
        py: Python<'py>,
        twist: Option<&Bound<'py, PyAny>>,
        frame: Option<Argument<'py, String>>,
        velocities: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let chain = &self.arm.chain;
        let axes = read_axes(frame)?;
        let twists = twist.map(|twist| read_twists(twist, axes, chain)).transpose()?;
        let velocities = velocities.map(|velocities| read_positions(velocities, chain, "velocities")).transpose()?;
        let command = match (&twists, &velocities) {
            (None, None) => Command::Rest,
            (Some(twists), None) => Command::Tips(twists),
            (None, Some(velocities)) => Command::Velocities(velocities),
            (Some(_), Some(_)) => return Err(refused("give a twist or joint velocities, not both")),
        };
        let clearance = self.request.world.as_deref().map(WorldData::clearance);
        let mut servo = self.servo();
        servo.step(1.0 / self.request.rate, &command, clearance.as_ref()).map_err(refused)?;
        Ok(PyArray1::from_slice(py, servo.positions()))
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

    fn __copy__(&self) -> Self {
        let motion = Mutex::new(self.servo().clone());
        Self { arm: Arc::clone(&self.arm), request: self.request.clone(), motion }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.__copy__()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (PyArm, SavedServo, Option<PyWorld>)>> {
        let world = self.request.world.clone().map(PyWorld);
        let state = (PyArm(Arc::clone(&self.arm)), self.saved(), world);
        Ok((py.import("urdfik._urdfik")?.getattr("rebuild_servo")?, state))
    }
}

/// A twist of the only tip, or a dict of twists by tip.
fn read_twists(value: &Bound<'_, PyAny>, axes: Axes, chain: &Chain) -> PyResult<Vec<TipCommand>> {
    let twist = |tip: usize, value: &Bound<'_, PyAny>| {
        let numbers = NumberArray::read(value, "twist")?;
        let [x, y, z, rx, ry, rz] = numbers.to_vec()[..] else {
            let shape = shape_in_words(numbers.shape());
            return Err(refused(format!(
                "twist has the shape {shape}; it must be (6,): linear, then angular velocity"
            )));
        };
        let (linear, angular) = (Vector3::new(x, y, z), Vector3::new(rx, ry, rz));
        Ok(TipCommand::Twist(TipTwist { tip, linear, angular, axes }))
    };
    match value.cast::<PyDict>() {
        Ok(by_tip) => by_tip
            .iter()
            .map(|(tip, value)| twist(tip_index(chain, &read::<String>(&tip, "a tip of twist")?)?, &value))
            .collect(),
        Err(_) if chain.tips().len() > 1 => Err(refused("the arm has several tips: give a dict from tip to twist")),
        Err(_) => Ok(vec![twist(0, value)?]),
    }
}
