//! Commands of the tips: `pose=` and `twist=` of `Servo.step`.

use nalgebra::Vector3;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::motion::servo::{Axes, TipCommand, TipPose, TipTwist};
use urdf_ik::robot::Chain;

use crate::arguments::read;
use crate::arrays::{NumberArray, shape_in_words};
use crate::poses::{Placement, tip_index};
use crate::refused;

/// Reads the pose \[m\] of the only tip, or a dict of poses by tip, in the base link's frame.
///
/// # Errors
/// A `urdfik.Error` if an entry is not a pose with an orientation, or a tip is unknown.
pub fn read_poses(value: &Bound<'_, PyAny>, chain: &Chain) -> PyResult<Vec<TipCommand>> {
    let pose = |tip: usize, value: &Bound<'_, PyAny>| {
        let Placement { at, is_position } = Placement::read(value, "pose")?;
        if is_position {
            return Err(refused("pose has no orientation; it must be x y z qx qy qz qw, or a 4×4 matrix"));
        }
        Ok(TipCommand::Pose(TipPose { tip, pose: at }))
    };
    by_tip(value, chain, "pose", pose)
}

/// Reads the twist of the only tip, or a dict of twists by tip. A twist is an array (6,): linear \[m/s\], then angular
/// velocity \[rad/s\], in the axes `axes`.
///
/// # Errors
/// A `urdfik.Error` if an entry does not have six numbers, or a tip is unknown.
pub fn read_twists(value: &Bound<'_, PyAny>, axes: Axes, chain: &Chain) -> PyResult<Vec<TipCommand>> {
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
    by_tip(value, chain, "twist", twist)
}

/// The command of the only tip, or those of a dict by tip.
fn by_tip(
    value: &Bound<'_, PyAny>,
    chain: &Chain,
    what: &str,
    command: impl Fn(usize, &Bound<'_, PyAny>) -> PyResult<TipCommand>,
) -> PyResult<Vec<TipCommand>> {
    match value.cast::<PyDict>() {
        Ok(by_tip) => by_tip
            .iter()
            .map(|(tip, value)| {
                let tip = read::<String>(&tip, &format!("a tip of {what}"))?;
                command(tip_index(chain, &tip)?, &value)
            })
            .collect(),
        Err(_) if chain.tips().len() > 1 => {
            Err(refused(format!("the arm has several tips: give a dict from tip to {what}")))
        }
        Err(_) => Ok(vec![command(0, value)?]),
    }
}
