//! `urdfik.World`: the surroundings of an arm for collision avoidance.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use urdf_ik::collision::{
    BodyDistances, LinkPoses, MissingShapes, Scene, SceneScratch, attach_from_json, world_from_json,
};
use urdf_ik::robot::MeshFolders;
use urdf_ik_text::names::short;

use crate::arguments::{Argument, named, parsed, read};
use crate::arrays::{PositionRows, array, read_positions, read_rows};
use crate::plain_data::plain_data;
use crate::poses::Placement;
use crate::refused;
use crate::robot::Reduced;
use crate::saved_world::reduced;
use crate::shared::{ArmData, PyArm, PyWorld, WorldData, WorldOptions};

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(
        signature = (
            arm, obstacles = None, *, attached = None, rest = None, margin = Argument::Valid(1e-4), missing_shapes = None
        ),
        text_signature = "(arm, obstacles=(), *, attached=(), rest={}, margin=0.0001, missing_shapes='refuse')"
    )]
    fn new<'py>(
        py: Python<'py>,
        arm: Argument<'py, Bound<'py, PyArm>>,
        obstacles: Option<&Bound<'py, PyAny>>,
        attached: Option<&Bound<'py, PyAny>>,
        rest: Option<Argument<'py, HashMap<String, f64>>>,
        margin: Argument<'py, f64>,
        missing_shapes: Option<Argument<'py, String>>,
    ) -> PyResult<Self> {
        let (arm, margin) = (Arc::clone(&arm.named("arm")?.get().0), margin.named("margin")?);
        let missing_shapes = named(missing_shapes, "missing_shapes")?.map(|text| parsed(&text, "missing_shapes"));
        let missing_shapes = missing_shapes.transpose()?.unwrap_or(MissingShapes::Refuse);
        if !(margin.is_finite() && margin >= 0.0) {
            return Err(refused(format!("the margin is {margin} m; it must be a finite number, 0 or more")));
        }
        let rest = arm.robot.positions(&named(rest, "rest")?.unwrap_or_default())?;
        // Mesh paths are relative to the working directory.
        let folders = MeshFolders::from_environment(Some(&PathBuf::from("obstacles")));
        let mut world = world_from_json(&list_of(obstacles, "obstacles")?, &folders).map_err(refused)?;
        attach_from_json(&mut world, &list_of(attached, "attached")?, &arm.robot.robot, &folders).map_err(refused)?;
        Self::prepare(py, arm, world, rest, WorldOptions { margin, missing_shapes })
    }

    /// The required clearance [m].
    #[getter]
    fn margin(&self) -> f64 {
        self.0.options.margin
    }

    /// With ``missing_shapes="ignore"``: a sentence for each shape that could not be loaded and is not checked.
    #[getter]
    fn missing_shapes(&self) -> PyResult<Vec<String>> {
        Ok(self.0.arm.robot.shapes()?.faults().iter().map(ToString::to_string).collect())
    }

    /// Returns a world with some obstacles moved. It shares their shapes with this one, which does not change.
    ///
    /// Parameters
    /// ----------
    /// poses : dict from id to array
    ///     Their new poses in the frame of the robot's root link: (4, 4), (7,), or (3,), which keeps the
    ///     orientation [m].
    ///
    /// Returns
    /// -------
    /// World
    fn moved<'py>(&self, py: Python<'py>, poses: Argument<'py, Bound<'py, PyDict>>) -> PyResult<Self> {
        let WorldData { arm, rest, options, .. } = &*self.0;
        let mut world = self.0.world.clone();
        for (id, pose) in poses.named("poses")? {
            let id: String = read(&id, "an id of poses")?;
            let mut pose = Placement::read(&pose, &format!("the pose of '{}'", short(&id)))?;
            if let (true, Some((_, before))) = (pose.is_position, world.obstacle(&id)) {
                pose.at.rotation = before.rotation;
            }
            world.move_to(&id, pose.at).map_err(refused)?;
        }
        Self::prepare(py, Arc::clone(arm), world, rest.clone(), *options)
    }

    /// True if all pairs that may collide are farther apart than the margin.
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
        let WorldData { arm, scene, options, .. } = &*self.0;
        let PositionRows { numbers, rows } = read_rows(q, &arm.chain, "q")?;
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(refused("q has an entry that is not a finite number"));
        }
        let free: Vec<bool> = py.detach(|| {
            let mut scratch = SceneScratch::default();
            numbers.chunks_exact(arm.variables()).map(|q| scene.is_free(q, options.margin, &mut scratch)).collect()
        });
        match rows {
            Some(rows) => Ok(array(py, [rows], free)?.into_any()),
            None => Ok(free[0].into_pyobject(py)?.to_owned().into_any()),
        }
    }

    /// The closest pair of bodies, links or obstacles, without attached parts.
    ///
    /// Parameters
    /// ----------
    /// q : array (n,), or dict by joint name
    ///     Joint positions [rad or m].
    ///
    /// Returns
    /// -------
    /// tuple of str, str, float, or None
    ///     Their names and their distance [m], 0 in contact; None without a pair.
    fn nearest(&self, py: Python<'_>, q: &Bound<'_, PyAny>) -> PyResult<Option<(String, String, f64)>> {
        let WorldData { arm, world, rest, .. } = &*self.0;
        let q = read_positions(q, &arm.chain, "q")?;
        py.detach(|| {
            let robot = &arm.robot.robot;
            let distances = BodyDistances::new(robot, arm.robot.shapes()?, arm.pairs()?, world).map_err(refused)?;
            let mut joints = rest.clone();
            arm.chain.write_into(robot, &q, &mut joints);
            let least = distances.least(&LinkPoses::new(robot, &joints).map_err(refused)?);
            Ok(least.map(|(index, distance)| {
                let [first, second] = distances.bodies()[index].each_ref().map(|body| body.name().to_owned());
                (first, second, distance)
            }))
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (PyArm, Vec<Bound<'py, PyDict>>)>> {
        reduced(py, &self.0)
    }
}

impl PyWorld {
    /// Reads the shapes of the links on first use, and builds the scene.
    fn prepare(
        py: Python<'_>,
        arm: Arc<ArmData>,
        world: urdf_ik::collision::World,
        rest: Vec<f64>,
        options: WorldOptions,
    ) -> PyResult<Self> {
        py.detach(|| {
            let shapes = arm.robot.shapes()?;
            options.missing_shapes.check(shapes.missing().as_ref()).map_err(refused)?;
            shapes.check_not_empty().map_err(refused)?;
            let scene =
                Scene::new(&arm.robot.robot, &arm.chain, shapes, arm.pairs()?, &world, &rest).map_err(refused)?;
            Ok(Self(Arc::new(WorldData { arm, world, rest, scene, options })))
        })
    }
}

/// Converts a list of dicts.
fn list_of(value: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Value> {
    let list = value.map(|value| plain_data(value, what)).transpose()?.unwrap_or_else(|| Value::Array(Vec::new()));
    let is_list = list.as_array().is_some_and(|entries| entries.iter().all(Value::is_object));
    if is_list { Ok(list) } else { Err(refused(format!("{what} must be a list of dicts"))) }
}
