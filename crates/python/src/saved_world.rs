//! Pickling of worlds: obstacles are saved in the format of `World`, and meshes as triangles, because their files
//! may be unavailable.

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::Isometry3;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::collision::Obstacle;

use crate::arguments::Argument;
use crate::arrays::array;
use crate::robot::Reduced;
use crate::shared::{PyArm, PyWorld, WorldData};

/// The arguments of [`rebuild_world`].
pub type SavedWorld<'py> =
    (PyArm, Vec<Bound<'py, PyDict>>, Vec<Bound<'py, PyDict>>, HashMap<String, f64>, f64, &'static str);

/// The value of `World.__reduce__`.
pub fn reduced<'py>(py: Python<'py>, data: &WorldData) -> PyResult<Reduced<'py, SavedWorld<'py>>> {
    let WorldData { arm, world, rest, options, .. } = data;
    let robot = &arm.robot.robot;
    let obstacles = world.obstacles().map(|(id, obstacle, pose)| entry(py, id, obstacle, pose));
    let attached = world.attached().map(|(id, part)| {
        let entry = entry(py, id, &part.obstacle, &part.pose)?;
        entry.set_item("link", &robot.links()[part.link].name)?;
        entry.set_item("may_touch", part.may_touch.iter().collect::<Vec<_>>())?;
        Ok(entry)
    });
    let positions = robot.movable().map(|joint| (robot.joints()[joint].name.clone(), rest[joint]));
    let (obstacles, attached) = (obstacles.collect::<PyResult<_>>()?, attached.collect::<PyResult<_>>()?);
    let saved = (
        PyArm(Arc::clone(arm)),
        obstacles,
        attached,
        positions.collect(),
        options.margin,
        options.missing_shapes.name(),
    );
    Ok((py.import("urdfik._urdfik")?.getattr("rebuild_world")?, saved))
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

/// Restores a pickled world.
#[pyfunction]
pub fn rebuild_world<'py>(
    py: Python<'py>,
    arm: Bound<'py, PyArm>,
    obstacles: &Bound<'py, PyAny>,
    attached: &Bound<'py, PyAny>,
    rest: HashMap<String, f64>,
    margin: f64,
    missing_shapes: String,
) -> PyResult<PyWorld> {
    let (arm, rest, margin) = (Argument::Valid(arm), Some(Argument::Valid(rest)), Argument::Valid(margin));
    let missing_shapes = Some(Argument::Valid(missing_shapes));
    PyWorld::new(py, arm, Some(obstacles), Some(attached), rest, margin, missing_shapes)
}
