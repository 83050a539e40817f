//! Joint positions from Python: an array in the order of the arm, or a dict by joint name.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::robot::Chain;
use urdf_ik_text::names::{list, short};

use crate::arrays::{Numbers, shape_in_words};
use crate::refused;

/// Joint positions, one row after the other.
pub struct PositionRows {
    pub numbers: Vec<f64>,
    /// Number of rows; `None` where the array has no index of rows.
    pub rows: Option<usize>,
}

/// One number for each variable of the chain, of an array (n,) or a dict that names all of them.
pub fn read_positions(value: &Bound<'_, PyAny>, chain: &Chain, what: &str) -> PyResult<Vec<f64>> {
    match read_rows(value, chain, what)? {
        PositionRows { numbers, rows: None } => Ok(numbers),
        PositionRows { rows: Some(rows), .. } => Err(wrong_shape(&[rows, chain.variables().len()], chain, what, false)),
    }
}

/// Joint positions of an array (n,) or (N, n), or a dict.
pub fn read_rows(value: &Bound<'_, PyAny>, chain: &Chain, what: &str) -> PyResult<PositionRows> {
    let variables = chain.variables().len();
    if let Ok(by_name) = value.cast::<PyDict>() {
        return Ok(PositionRows { numbers: by_joint(by_name, chain, what)?, rows: None });
    }
    let numbers = Numbers::read(value, what)?;
    match *numbers.shape() {
        [count] if count == variables => Ok(PositionRows { numbers: numbers.to_vec(), rows: None }),
        [rows, count] if count == variables => Ok(PositionRows { numbers: numbers.to_vec(), rows: Some(rows) }),
        _ => Err(wrong_shape(numbers.shape(), chain, what, true)),
    }
}

fn wrong_shape(shape: &[usize], chain: &Chain, what: &str, many: bool) -> PyErr {
    let (count, shape) = (chain.variables().len(), shape_in_words(shape));
    let or = if many { format!(", or (N, {count})") } else { String::new() };
    refused(format!(
        "{what} has the shape {shape}; it must be ({count},){or}, one number for each of the arm's joint_names"
    ))
}

/// The positions of a dict. It may have other joints, too, as joint states of a whole robot do.
fn by_joint(by_name: &Bound<'_, PyDict>, chain: &Chain, what: &str) -> PyResult<Vec<f64>> {
    let position = |name: &str| match by_name.get_item(name)? {
        Some(position) => position.extract::<f64>(),
        None => Err(refused(format!(
            "{what} does not name joint '{}'; the arm's joints are: {}",
            short(name),
            list(&chain.variable_names())
        ))),
    };
    chain.variables().iter().map(|variable| position(&variable.name)).collect()
}
