//! `urdfik.Servo`: joints that follow velocities of the tip.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nalgebra::Vector3;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::motion::servo::{Axes, Command, ServoOptions, TipCommand, TipTwist};
use urdf_ik::robot::Chain;

use crate::arrays::{Numbers, read_positions, shape_in_words};
use crate::kinematics::Frame;
use crate::motion::limits;
use crate::options::world;
use crate::poses::tip_index;
use crate::refused;
use crate::shared::{ArmData, WorldData};

/// Joints that follow velocities of the tip, smoothly and within the limits of position, velocity, acceleration and jerk. Made by
/// ``Arm.servo``. It remembers where it is: call one servo from one thread at a time.
#[pyclass(frozen, module = "urdfik")]
pub struct Servo {
    arm: Arc<ArmData>,
    world: Option<Arc<WorldData>>,
    /// Time of a step \[s\].
    period: f64,
    motion: Mutex<urdf_ik::motion::servo::Servo>,
}

/// What `Arm.servo` takes beside the rate and where the arm is.
pub struct ServoRequest<'a, 'py> {
    pub joint_limits: Option<&'a Bound<'py, PyAny>>,
    pub linear_speed: f64,
    pub angular_speed: f64,
    pub held_back: &'a str,
    /// Of position \[m\] and orientation \[rad\].
    pub give: [f64; 2],
    pub free_axes: Option<&'a Bound<'py, PyAny>>,
    pub avoid: Option<&'a Bound<'py, PyAny>>,
}

impl Servo {
    pub fn start(
        arm: &Arc<ArmData>,
        rate: f64,
        q: &Bound<'_, PyAny>,
        request: &ServoRequest<'_, '_>,
    ) -> PyResult<Self> {
        let ServoRequest { joint_limits, linear_speed, angular_speed, held_back, give, free_axes, avoid } = *request;
        for (what, value) in [("rate", rate), ("linear_speed", linear_speed), ("angular_speed", angular_speed)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(refused(format!("{what} is {value}; it must be a finite number above 0")));
            }
        }
        for (what, value) in [("give_position", give[0]), ("give_orientation", give[1])] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(refused(format!("{what} is {value}; it must be a finite number, 0 or greater")));
            }
        }
        let q = read_positions(q, &arm.chain, "q")?;
        if !arm.chain.contains(&q) {
            return Err(refused("q is outside the joint limits: a servo starts inside them"));
        }
        let held_back = held_back.parse().map_err(refused)?;
        let free_axes = free_axes.map(crate::options::free_axes).transpose()?.unwrap_or_default();
        if free_axes[..3].contains(&true) {
            return Err(refused("free_axes of a servo must be some of rx, ry, rz: it leaves no translation free"));
        }
        let options =
            ServoOptions { linear_speed, angular_speed, held_back, give, free_axes, ..ServoOptions::default() };
        let solver = arm.solver(urdf_ik::solver::SolverKind::Jacobian)?;
        let servo =
            urdf_ik::motion::servo::Servo::new(solver, &limits(joint_limits, arm)?, options, &q).map_err(refused)?;
        let world = avoid.map(|avoid| world(avoid, arm)).transpose()?.flatten();
        Ok(Self { arm: Arc::clone(arm), world, period: 1.0 / rate, motion: Mutex::new(servo) })
    }

    fn servo(&self) -> MutexGuard<'_, urdf_ik::motion::servo::Servo> {
        self.motion.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Servo {
    /// Moves on by one period, and gives the joint positions (n,) [rad or m] to be sent to the robot.
    ///
    /// Parameters
    /// ----------
    /// twist : array (6,), or dict from tip to array (6,), optional
    ///     The velocity of the tip's origin [m/s], then the angular velocity [rad/s]. Without one the arm comes to rest.
    /// frame : "base" or "tip"
    ///     Along which axes the twist is given: those of the base link, or those of the tip, which turn with it.
    /// velocities : array (n,), or dict by joint name, optional
    ///     Joint velocities [rad/s or m/s], in the place of a twist.
    #[pyo3(signature = (twist = None, *, frame = "base", velocities = None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        twist: Option<&Bound<'py, PyAny>>,
        frame: &str,
        velocities: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let chain = &self.arm.chain;
        let axes = match Frame::named(frame)? {
            Frame::Base => Axes::Base,
            Frame::Tip => Axes::Tip,
        };
        let twists = twist.map(|twist| read_twists(twist, axes, chain)).transpose()?;
        let velocities = velocities.map(|velocities| read_positions(velocities, chain, "velocities")).transpose()?;
        let command = match (&twists, &velocities) {
            (None, None) => Command::Rest,
            (Some(twists), None) => Command::Tips(twists),
            (None, Some(velocities)) => Command::Velocities(velocities),
            (Some(_), Some(_)) => return Err(refused("give a twist or joint velocities, not both")),
        };
        let clearance = self.world.as_deref().map(WorldData::clearance);
        let mut servo = self.servo();
        servo.step(self.period, &command, clearance.as_ref()).map_err(refused)?;
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
}

/// A twist of the only tip, or by a dict those of some.
fn read_twists(value: &Bound<'_, PyAny>, axes: Axes, chain: &Chain) -> PyResult<Vec<TipCommand>> {
    let twist = |tip: usize, value: &Bound<'_, PyAny>| {
        let numbers = Numbers::read(value, "twist")?;
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
        Ok(by_tip) => {
            by_tip.iter().map(|(tip, value)| twist(tip_index(chain, &tip.extract::<String>()?)?, &value)).collect()
        }
        Err(_) if chain.tips().len() > 1 => Err(refused("the arm has several tips: give a dict from tip to twist")),
        Err(_) => Ok(vec![twist(0, value)?]),
    }
}
