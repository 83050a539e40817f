//! Numbers that come in as arrays or lists, and go out as arrays.

use std::ops::Range;

use nalgebra::Isometry3;
use numpy::ndarray::{Array, Axis, Dimension, IntoDimension};
use numpy::{AllowTypeChange, IntoPyArray, PyArray, PyArray2, PyArrayLikeDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::refused;

/// Numbers of any shape, as they were given: an array, or what NumPy makes one of.
pub struct Numbers<'py>(PyArrayLikeDyn<'py, f64, AllowTypeChange>);

impl<'py> Numbers<'py> {
    /// Reads the numbers of `what`.
    pub fn read(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        let numbers = value.extract::<PyArrayLikeDyn<'py, f64, AllowTypeChange>>();
        numbers.map(Self).map_err(|e| refused(format!("{what} must be an array of numbers: {}", e.value(value.py()))))
    }

    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// All of them, the last index first.
    pub fn to_vec(&self) -> Vec<f64> {
        let all = self.0.as_array();
        all.as_slice().map_or_else(|| all.iter().copied().collect(), <[f64]>::to_vec)
    }

    /// Those of the rows in `range`, where the first index counts rows.
    pub fn rows(&self, range: &Range<usize>) -> Vec<f64> {
        let of_row: usize = self.shape()[1..].iter().product();
        let all = self.0.as_array();
        match all.as_slice() {
            Some(numbers) => numbers[range.start * of_row..range.end * of_row].to_vec(),
            None => all.slice_axis(Axis(0), range.clone().into()).iter().copied().collect(),
        }
    }
}

/// A shape in a sentence, as Python writes it.
pub fn shape_in_words(shape: &[impl ToString]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    if sizes.len() == 1 { format!("({},)", sizes[0]) } else { format!("({})", sizes.join(", ")) }
}

/// An array of that shape. It takes over the numbers.
pub fn array<T: numpy::Element, D: Dimension>(
    py: Python<'_>,
    shape: impl IntoDimension<Dim = D>,
    numbers: Vec<T>,
) -> PyResult<Bound<'_, PyArray<T, D>>> {
    Ok(Array::from_shape_vec(shape.into_dimension(), numbers).map_err(refused)?.into_pyarray(py))
}

/// Adds the rows of a pose as a homogeneous matrix.
pub fn push_pose(pose: &Isometry3<f64>, numbers: &mut Vec<f64>) {
    numbers.extend(pose.to_homogeneous().transpose().iter());
}

/// A pose as an array (4, 4).
pub fn pose_array<'py>(py: Python<'py>, pose: &Isometry3<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut numbers = Vec::with_capacity(16);
    push_pose(pose, &mut numbers);
    array(py, [4, 4], numbers)
}
