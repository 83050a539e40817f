//! Arguments and results of `urdfik.Skeleton.solve`, for all kinds of figures.

use std::collections::HashMap;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict};

use urdf_ik::skeleton::{Outcome, Residual, Root, SkeletonConfiguration};
use urdf_ik::spatial::rotation_from;
use urdf_ik_text::names::short;

use crate::answers::ANSWERS;
use crate::arrays::{NumberArray, array, shape_in_words};
use crate::refused;

/// Arguments of `Skeleton.solve`.
pub struct SkeletonRequest<'a, 'py> {
    pub targets: &'a Bound<'py, PyDict>,
    pub seed: Option<&'a Bound<'py, PyAny>>,
    pub root: Root,
    pub weights: HashMap<String, f64>,
    pub tolerance: f64,
    pub orientation_tolerance: f64,
}

/// The result of a solve.
pub struct SkeletonSolution<'a> {
    pub configuration: &'a SkeletonConfiguration,
    /// Orientations of the root and of each segment.
    pub orientations: &'a [UnitQuaternion<f64>],
    /// The residual of each target, with the name of its point.
    pub residuals: Vec<(&'a str, Residual)>,
    /// Joint positions \[rad\] by name, if every joint has one angle.
    pub positions: Option<Vec<(String, f64)>>,
    pub iterations: usize,
    pub restarts: usize,
}

impl SkeletonSolution<'_> {
    /// Converts the result into an `urdfik.SkeletonAnswer`.
    pub fn into_answer(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let numbers = self.orientations.iter().flat_map(|orientation| orientation.coords.iter().copied()).collect();
        let (reasons, errors) = (PyDict::new(py), PyDict::new(py));
        for (name, residual) in &self.residuals {
            reasons.set_item(name, residual.outcome.to_string())?;
            errors.set_item(name, (residual.distance, residual.angle))?;
        }
        CLASS.import(py, ANSWERS, "SkeletonAnswer")?.call1((
            self.residuals.iter().all(|(_, residual)| residual.outcome == Outcome::Solved),
            points_array(py, self.configuration)?,
            array(py, [self.orientations.len(), 4], numbers)?,
            self.positions.map(|positions| positions.into_py_dict(py)).transpose()?,
            reasons,
            errors,
            self.iterations,
            self.restarts,
        ))
    }
}

pub fn points_array<'py>(
    py: Python<'py>,
    configuration: &SkeletonConfiguration,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers = configuration.points.iter().flat_map(|point| point.coords.iter().copied()).collect();
    array(py, [configuration.points.len(), 3], numbers)
}

pub fn read_root(given: Option<&Bound<'_, PyAny>>) -> PyResult<Root> {
    let Some(given) = given else { return Ok(Root::Fixed) };
    match given.extract::<String>() {
        Ok(name) if name == "fixed" => Ok(Root::Fixed),
        Ok(name) if name == "free" => Ok(Root::Free),
        Ok(name) => Err(refused(format!("root is '{}'; it must be \"fixed\", \"free\" or a place", short(&name)))),
        Err(_) => {
            let (position, orientation) = read_place(given, "root")?;
            Ok(Root::At(Isometry3::from_parts(position, orientation.unwrap_or_default())))
        }
    }
}

/// Reads a position \[m\], and an orientation if present.
pub fn read_place(value: &Bound<'_, PyAny>, what: &str) -> PyResult<(Translation3<f64>, Option<UnitQuaternion<f64>>)> {
    let numbers = NumberArray::read(value, what)?;
    match numbers.to_vec()[..] {
        [x, y, z] => Ok((Translation3::new(x, y, z), None)),
        [x, y, z, qx, qy, qz, qw] => {
            let rotation = rotation_from([qx, qy, qz, qw]).map_err(|e| refused(format!("{what}: {e}")))?;
            Ok((Translation3::new(x, y, z), Some(rotation)))
        }
        _ => {
            let shape = shape_in_words(numbers.shape());
            Err(refused(format!(
                "{what} has the shape {shape}; it must be (3,) for a position, or (7,) for x y z qx qy qz qw"
            )))
        }
    }
}
