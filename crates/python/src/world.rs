//! `urdfik.World`: what an arm keeps clear of.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::Isometry3;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use urdf_ik::collision::{Attached, BodyDistances, LinkPlaces, MissingShapes, Scene, SceneScratch, world_from_json};
use urdf_ik::robot::MeshFolders;
use urdf_ik_text::names::{list, short};

use crate::arrays::{PositionRows, array, read_positions, read_rows};
use crate::refused;
use crate::robot::RobotData;
use crate::shared::{Arm, World, WorldData};

#[pymethods]
impl World {
    #[new]
    #[pyo3(
        signature = (
            arm, obstacles = None, *, attached = None, rest = HashMap::new(), margin = 1e-4, missing_shapes = "refuse"
        ),
        text_signature = "(arm, obstacles=(), *, attached=(), rest={}, margin=0.0001, missing_shapes='refuse')"
    )]
    #[expect(clippy::needless_pass_by_value, reason = "an argument from Python")]
    fn new(
        py: Python<'_>,
        arm: &Bound<'_, Arm>,
        obstacles: Option<Bound<'_, PyAny>>,
        attached: Option<Bound<'_, PyAny>>,
        rest: HashMap<String, f64>,
        margin: f64,
        missing_shapes: &str,
    ) -> PyResult<Self> {
        let arm = Arc::clone(&arm.get().0);
        let missing: MissingShapes = missing_shapes.parse().map_err(refused)?;
        if !(margin.is_finite() && margin >= 0.0) {
            return Err(refused(format!("the margin is {margin} m; it must be a finite number, 0 or more")));
        }
        let robot = &arm.robot;
        let rest = robot.positions(&rest)?;
        // Paths of meshes are relative to the folder that Python runs in.
        let folders = MeshFolders::from_environment(Some(&PathBuf::from("obstacles")));
        let mut world = world_from_json(&plain_data(obstacles)?, &folders).map_err(refused)?;
        let Value::Array(parts) = plain_data(attached)? else {
            return Err(refused("attached must be a list of dicts"));
        };
        for part in parts {
            attach(&mut world, part, robot, &folders)?;
        }
        world.check_size().map_err(refused)?;
        py.detach(|| {
            let shapes = robot.shapes()?;
            missing.check(shapes.missing().as_ref()).map_err(refused)?;
            if shapes.links().next().is_none() {
                return Err(refused("collisions cannot be avoided: no link of the robot has a collision shape"));
            }
            let scene = Scene::new(&robot.robot, &arm.chain, shapes, arm.pairs()?, &world, &rest);
            Ok(Self(Arc::new(WorldData { arm: Arc::clone(&arm), world, rest, scene, margin })))
        })
    }

    /// The least distance that is kept [m].
    #[getter]
    fn margin(&self) -> f64 {
        self.0.margin
    }

    /// Why shapes of links are missing, as sentences, where ``missing_shapes="ignore"``. What is clear here may not be clear of these.
    #[getter]
    fn missing_shapes(&self) -> PyResult<Vec<String>> {
        Ok(self.0.arm.robot.shapes()?.faults().iter().map(ToString::to_string).collect())
    }

    /// Whether all that may not touch is farther apart than the margin.
    ///
    /// Parameters
    /// ----------
    /// q : array (n,) or (N, n), or dict by joint name
    ///     Joint positions [rad or m].
    ///
    /// Returns
    /// -------
    /// bool, or array (N,) of bool
    fn is_free<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let WorldData { arm, scene, margin, .. } = &*self.0;
        let PositionRows { numbers, rows } = read_rows(q, &arm.chain, "q")?;
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(refused("q has an entry that is not a finite number"));
        }
        let free: Vec<bool> = py.detach(|| {
            let mut scratch = SceneScratch::default();
            numbers.chunks_exact(arm.variables()).map(|q| scene.is_free(q, *margin, &mut scratch)).collect()
        });
        match rows {
            Some(rows) => Ok(array(py, [rows], free)?.into_any()),
            None => Ok(free[0].into_pyobject(py)?.to_owned().into_any()),
        }
    }

    /// The two bodies that are nearest to each other, links or obstacles; what is attached does not count.
    ///
    /// Parameters
    /// ----------
    /// q : array (n,), or dict by joint name
    ///     Joint positions [rad or m].
    ///
    /// Returns
    /// -------
    /// tuple of str, str, float, or None
    ///     Their names and their distance [m], 0 where they touch; None where there are no two.
    fn nearest(&self, py: Python<'_>, q: &Bound<'_, PyAny>) -> PyResult<Option<(String, String, f64)>> {
        let WorldData { arm, world, rest, .. } = &*self.0;
        let q = read_positions(q, &arm.chain, "q")?;
        py.detach(|| {
            let robot = &arm.robot.robot;
            let distances = BodyDistances::new(robot, arm.robot.shapes()?, arm.pairs()?, world);
            let mut joints = rest.clone();
            arm.chain.write_into(robot, &q, &mut joints);
            let least = distances.least(&LinkPlaces::new(robot, &joints).map_err(refused)?);
            Ok(least.map(|(index, distance)| {
                let [first, second] = distances.bodies()[index].each_ref().map(|body| body.name().to_owned());
                (first, second, distance)
            }))
        })
    }
}

/// Lists and dicts of Python, with arrays in them, as JSON has them.
fn plain_data(value: Option<Bound<'_, PyAny>>) -> PyResult<Value> {
    let Some(value) = value else { return Ok(json!([])) };
    let py = value.py();
    let entries = PyList::new(py, value.try_iter()?.collect::<PyResult<Vec<_>>>()?)?;
    let options = PyDict::new(py);
    options.set_item("default", py.import("operator")?.getattr("methodcaller")?.call1(("tolist",))?)?;
    let text: String = py.import("json")?.getattr("dumps")?.call((entries,), Some(&options))?.extract()?;
    serde_json::from_str(&text).map_err(refused)
}

/// Attaches a part to the link that carries it.
fn attach(
    world: &mut urdf_ik::collision::World,
    part: Value,
    robot: &RobotData,
    folders: &MeshFolders,
) -> PyResult<()> {
    let Value::Object(mut fields) = part else { return Err(refused("attached must be a list of dicts")) };
    let link = take::<String>(&mut fields, "link")?
        .ok_or_else(|| refused("an attached part needs 'link', the link that carries it"))?;
    let may_touch: BTreeSet<String> = take(&mut fields, "may_touch")?.unwrap_or_default();
    let Some(index) = robot.robot.link_index(&link) else {
        let links: Vec<&str> = robot.robot.links().iter().map(|link| link.name.as_str()).collect();
        return Err(refused(format!(
            "there is no link '{}' to attach to; the links are: {}",
            short(&link),
            list(&links)
        )));
    };
    let alone = world_from_json(&Value::Array(vec![Value::Object(fields)]), folders).map_err(refused)?;
    for (id, obstacle, pose) in alone.obstacles() {
        let pose: Isometry3<f64> = *pose;
        world.attach(id, Attached { obstacle: Arc::clone(obstacle), pose, link: index, may_touch: may_touch.clone() });
    }
    Ok(())
}

/// Takes a field out of those of an attached part.
fn take<T: DeserializeOwned>(fields: &mut Map<String, Value>, name: &str) -> PyResult<Option<T>> {
    let field = fields.remove(name).map(serde_json::from_value).transpose();
    field.map_err(|e| refused(format!("the field '{name}' of an attached part is wrong: {e}")))
}
