//! Conversion of joint bounds and joint weights.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use urdf_ik::robot::Chain;
use urdf_ik::solver::{JointBounds, list_by_joint};

use crate::arrays::{NumberArray, read_positions};
use crate::refused;

/// Joint bounds \[rad or m\] from a dict by joint with (lower, upper), a tuple of two arrays (n,), lower then upper, or
/// an array (n, 2).
///
/// # Errors
/// A `urdfik.Error` if the argument has another form, names an unknown joint, or bounds are invalid.
pub fn joint_bounds(value: &Bound<'_, PyAny>, chain: &Chain) -> PyResult<JointBounds> {
    let bounds = if let Ok(by_joint) = value.cast::<PyDict>() {
        by_name(by_joint, chain, "bounds", JointBounds::NONE, "a pair of numbers")?
    } else if let Ok(lists) = value.cast::<PyTuple>()
        && lists.len() == 2
    {
        let lower = read_positions(&lists.get_item(0)?, chain, "the lower bounds")?;
        let upper = read_positions(&lists.get_item(1)?, chain, "the upper bounds")?;
        lower.into_iter().zip(upper).map(|(lower, upper)| [lower, upper]).collect()
    } else {
        let count = chain.variables().len();
        let or = format!(", a tuple of two arrays ({count},), or a dict by joint name");
        let numbers = NumberArray::read_shaped(value, &[count, 2], "bounds", &or)?;
        numbers.chunks_exact(2).map(|row| [row[0], row[1]]).collect()
    };
    JointBounds::new(chain, &bounds).map_err(refused)
}

/// Move weights \[1/rad² or 1/m²\], one per variable, from a dict by joint name, with 0 for omitted joints, or from an
/// array (n,).
///
/// # Errors
/// A `urdfik.Error` if the argument has another form or names an unknown joint.
pub fn move_weights(value: &Bound<'_, PyAny>, chain: &Chain) -> PyResult<Vec<f64>> {
    match value.cast::<PyDict>() {
        Ok(by_joint) => by_name(by_joint, chain, "move_weights", 0.0, "a number"),
        Err(_) => read_positions(value, chain, "move_weights"),
    }
}

/// One value per variable from a dict by joint name. `expected` describes the type of a value.
fn by_name<'py, T: Copy + FromPyObjectOwned<'py>>(
    by_joint: &Bound<'py, PyDict>,
    chain: &Chain,
    what: &'static str,
    default: T,
    expected: &str,
) -> PyResult<Vec<T>> {
    let mut named: Vec<(String, T)> = Vec::with_capacity(by_joint.len());
    for (joint, value) in by_joint {
        let joint: String =
            joint.extract().map_err(|_| refused(format!("{what} must be a dict from names of joints")))?;
        let value = value.extract::<T>().map_err(|_| refused(format!("{what} of '{joint}' must be {expected}")))?;
        named.push((joint, value));
    }
    list_by_joint(chain, what, default, named.iter().map(|(joint, value)| (joint.as_str(), *value))).map_err(refused)
}
