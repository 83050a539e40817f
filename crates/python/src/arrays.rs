//! Conversion of NumPy arrays, and of joint positions as an array or a dict by joint name.

use std::ops::Range;

use nalgebra::Isometry3;
use numpy::ndarray::{Array, Axis, Dimension, IntoDimension};
use numpy::{AllowTypeChange, IntoPyArray, PyArray, PyArray2, PyArrayLikeDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use urdf_ik::robot::Chain;
use urdf_ik_text::names::{list, short};

use crate::arguments::read;
use crate::refused;

/// A float64 array of any shape, from an array or any object that NumPy converts to one.
pub struct NumberArray<'py>(PyArrayLikeDyn<'py, f64, AllowTypeChange>);

impl<'py> NumberArray<'py> {
    /// Converts an argument.
    ///
    /// # Errors
    /// A `urdfik.Error` that names the argument `what`.
    pub fn read(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        let numbers = value.extract::<PyArrayLikeDyn<'py, f64, AllowTypeChange>>();
        numbers.map(Self).map_err(|e| refused(format!("{what} must be an array of numbers: {}", e.value(value.py()))))
    }

    /// The numbers of an argument with this shape, in row-major order. `meaning` continues the error message.
    ///
    /// # Errors
    /// A `urdfik.Error` that names the argument `what`, if it is not an array of numbers with this shape.
    pub fn read_shaped(value: &Bound<'py, PyAny>, shape: &[usize], what: &str, meaning: &str) -> PyResult<Vec<f64>> {
        let numbers = Self::read(value, what)?;
        if numbers.shape() == shape {
            return Ok(numbers.to_vec());
        }
        let [found, expected] = [numbers.shape(), shape].map(shape_in_words);
        Err(refused(format!("{what} has the shape {found}; it must be {expected}{meaning}")))
    }

    /// The size along each axis.
    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// All numbers, in row-major order.
    pub fn to_vec(&self) -> Vec<f64> {
        let all = self.0.as_array();
        all.as_slice().map_or_else(|| all.iter().copied().collect(), <[f64]>::to_vec)
    }

    /// The numbers at the indices in `range` of the first axis, in row-major order.
    pub fn rows(&self, range: &Range<usize>) -> Vec<f64> {
        let of_row: usize = self.shape()[1..].iter().product();
        let all = self.0.as_array();
        match all.as_slice() {
            Some(numbers) => numbers[range.start * of_row..range.end * of_row].to_vec(),
            None => all.slice_axis(Axis(0), range.clone().into()).iter().copied().collect(),
        }
    }
}

/// A shape as a tuple in Python notation.
pub fn shape_in_words(shape: &[impl ToString]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    if sizes.len() == 1 { format!("({},)", sizes[0]) } else { format!("({})", sizes.join(", ")) }
}

/// A NumPy array of this shape. It takes ownership of `numbers`, in row-major order.
///
/// # Errors
/// A `urdfik.Error` if the number of `numbers` does not fit the shape.
pub fn array<T: numpy::Element, D: Dimension>(
    py: Python<'_>,
    shape: impl IntoDimension<Dim = D>,
    numbers: Vec<T>,
) -> PyResult<Bound<'_, PyArray<T, D>>> {
    Ok(Array::from_shape_vec(shape.into_dimension(), numbers).map_err(refused)?.into_pyarray(py))
}

/// Appends the 16 numbers of a pose to `numbers`: its homogeneous matrix in row-major order, with a translation \[m\].
pub fn push_pose(pose: &Isometry3<f64>, numbers: &mut Vec<f64>) {
    numbers.extend(pose.to_homogeneous().transpose().iter());
}

/// A pose as a homogeneous matrix, an array (4, 4) with a translation \[m\].
///
/// # Errors
/// A `urdfik.Error` if the array cannot be made.
pub fn pose_array<'py>(py: Python<'py>, pose: &Isometry3<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut numbers = Vec::with_capacity(16);
    push_pose(pose, &mut numbers);
    array(py, [4, 4], numbers)
}

/// Joint positions of one or several configurations.
pub struct PositionRows {
    /// The positions \[rad or m\], one per variable of the chain, in row-major order.
    pub numbers: Vec<f64>,
    /// Number of rows; `None` for a one-dimensional array.
    pub rows: Option<usize>,
}

/// Joint positions \[rad or m\], one per variable of the chain, from an array (n,) or a dict with all joint names.
///
/// # Errors
/// A `urdfik.Error` that names the argument `what`, if its shape differs or a joint is missing.
pub fn read_positions(value: &Bound<'_, PyAny>, chain: &Chain, what: &str) -> PyResult<Vec<f64>> {
    match read_rows(value, chain, what)? {
        PositionRows { numbers, rows: None } => Ok(numbers),
        PositionRows { rows: Some(rows), .. } => Err(wrong_shape(&[rows, chain.variables().len()], chain, what, false)),
    }
}

/// Joint positions \[rad or m\] from an array (n,) or (N, n), or a dict with all joint names.
///
/// # Errors
/// A `urdfik.Error` that names the argument `what`, if its shape differs or a joint is missing.
pub fn read_rows(value: &Bound<'_, PyAny>, chain: &Chain, what: &str) -> PyResult<PositionRows> {
    let variables = chain.variables().len();
    if let Ok(by_name) = value.cast::<PyDict>() {
        return Ok(PositionRows { numbers: by_joint(by_name, &chain.variable_names(), what)?, rows: None });
    }
    let numbers = NumberArray::read(value, what)?;
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

/// The positions in a dict \[rad or m\], in the order of the joints in `names`. Other joints are ignored, because the
/// joint state of a whole robot may have more.
///
/// # Errors
/// A `urdfik.Error` that names the argument `what` and the joint that is missing or is not a number.
pub fn by_joint(by_name: &Bound<'_, PyDict>, names: &[impl AsRef<str>], what: &str) -> PyResult<Vec<f64>> {
    let position = |name: &str| match by_name.get_item(name)? {
        Some(position) => read(&position, &format!("{what} of joint '{}'", short(name))),
        None => {
            Err(refused(format!("{what} does not name joint '{}'; the arm's joints are: {}", short(name), list(names))))
        }
    };
    names.iter().map(|name| position(name.as_ref())).collect()
}
