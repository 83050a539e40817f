//! Pickling of worlds: obstacles are saved in the format of `World`, and meshes as triangles, because their files
//! may be unavailable.

use std::sync::Arc;

use nalgebra::Isometry3;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use urdf_ik::collision::Obstacle;

use crate::arrays::array;
use crate::robot::Reduced;
use crate::shared::{PyArm, PyWorld, WorldData};

/// The value of `World.__reduce__`: the constructor and its arguments.
///
/// # Errors
/// An exception of Python if an object cannot be made.
pub fn reduced<'py>(py: Python<'py>, data: &WorldData) -> PyResult<Reduced<'py, (PyArm, Vec<Bound<'py, PyDict>>)>> {
    let WorldData { arm, world, rest, options, .. } = data;
    let robot = &arm.robot.robot;
    let obstacles = world.obstacles().map(|(id, obstacle, pose)| entry(py, id, obstacle, pose));
    let attached = world.attached().map(|(id, part)| {
        let entry = entry(py, id, &part.obstacle, &part.pose)?;
        entry.set_item("link", &robot.links()[part.link].name)?;
        entry.set_item("may_touch", part.may_touch.iter().collect::<Vec<_>>())?;
        Ok(entry)
    });
    let positions = robot.movable().map(|joint| (&robot.joints()[joint].name, rest[joint]));
    let options_by_name = PyDict::new(py);
    options_by_name.set_item("attached", attached.collect::<PyResult<Vec<_>>>()?)?;
    options_by_name.set_item("rest", positions.into_py_dict(py)?)?;
    options_by_name.set_item("margin", options.margin)?;
    options_by_name.set_item("missing_shapes", options.missing_shapes.name())?;
    let partial = py.import("functools")?.getattr("partial")?;
    let constructor = partial.call((py.get_type::<PyWorld>(),), Some(&options_by_name))?;
    Ok((constructor, (PyArm(Arc::clone(arm)), obstacles.collect::<PyResult<_>>()?)))
}

/// An obstacle, which has one shape, in the format of `World`.
fn entry<'py>(py: Python<'py>, id: &str, obstacle: &Obstacle, pose: &Isometry3<f64>) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("id", id)?;
    for (geometry, _) in obstacle.parts() {
        entry.set_item("type", geometry.name())?;
        for (name, sizes) in geometry.sizes() {
            match sizes {
                [size] => entry.set_item(name, size)?,
                several => entry.set_item(name, several)?,
            }
        }
    }
    if let Some((vertices, faces)) = obstacle.triangles(0) {
        entry.set_item("vertices", array(py, [vertices.len(), 3], vertices.concat())?)?;
        entry.set_item("faces", array(py, [faces.len(), 3], faces.concat())?)?;
    }
    let place = pose.translation.vector.iter().chain(&pose.rotation.coords).copied();
    entry.set_item("pose", PyArray1::from_iter(py, place))?;
    Ok(entry)
}
