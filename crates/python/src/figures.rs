//! Arguments and results of `urdfik.Skeleton.solve`, for all kinds of figures.

use std::collections::HashMap;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict};

use urdf_ik::skeleton::file::NamedSolution;
use urdf_ik::skeleton::{Outcome, Root, SkeletonConfiguration};
use urdf_ik::spatial::rotation_from;
use urdf_ik_text::names::short;

use crate::answers::ANSWERS;
use crate::arrays::{NumberArray, array, shape_in_words};
use crate::refused;

/// Arguments of `Skeleton.solve`.
pub struct SkeletonRequest<'a, 'py> {
    /// Targets by the name of the point, as given.
    pub targets: &'a Bound<'py, PyDict>,
    /// Start of the solve, as given.
    pub seed: Option<&'a Bound<'py, PyAny>>,
    pub root: Root,
    /// Weights of targets by the name of the point.
    pub weights: HashMap<String, f64>,
    /// Largest distance from a target at which it is met \[m\].
    pub tolerance: f64,
    /// Largest angle from a target at which it is met \[rad\].
    pub orientation_tolerance: f64,
}

/// Converts a solution to a `urdfik.SkeletonAnswer`. `names` are the points of the targets, in their order.
///
/// # Errors
/// An exception of Python if the answer class cannot be imported or called.
pub fn answer(
    py: Python<'_>,
    found: NamedSolution,
    names: impl IntoIterator<Item = impl AsRef<str>>,
) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let NamedSolution { configuration, positions, residuals, iterations, restarts } = found;
    let turns = &configuration.orientations;
    let (reasons, errors) = (PyDict::new(py), PyDict::new(py));
    for (name, residual) in names.into_iter().zip(&residuals) {
        reasons.set_item(name.as_ref(), residual.outcome.to_string())?;
        errors.set_item(name.as_ref(), (residual.distance, residual.angle))?;
    }
    CLASS.import(py, ANSWERS, "SkeletonAnswer")?.call1((
        residuals.iter().all(|residual| residual.outcome == Outcome::Solved),
        points_array(py, &configuration)?,
        array(py, [turns.len(), 4], turns.iter().flat_map(|turn| turn.coords.iter().copied()).collect())?,
        positions.map(|positions| positions.into_py_dict(py)).transpose()?,
        reasons,
        errors,
        iterations,
        restarts,
    ))
}

/// The points of a configuration \[m\] as an array (n + 1, 3), the root first.
///
/// # Errors
/// A `urdfik.Error` if the array cannot be made.
pub fn points_array<'py>(
    py: Python<'py>,
    configuration: &SkeletonConfiguration,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers = configuration.points.iter().flat_map(|point| point.coords.iter().copied()).collect();
    array(py, [configuration.points.len(), 3], numbers)
}

/// Reads the argument `root`: `"fixed"` (also by default), `"free"`, or a place \[m\].
///
/// # Errors
/// A `urdfik.Error` for anything else.
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

/// Reads a position \[m\] from an array (3,), or a position and an orientation from (7,): x y z qx qy qz qw.
///
/// # Errors
/// A `urdfik.Error` that names the argument `what`.
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
