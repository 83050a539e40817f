//! `urdfik.Skeleton`: figures of segments, without a URDF.

use std::collections::HashMap;

use nalgebra::Point3;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::files::MAX_SETTINGS_BYTES;
use urdf_ik::skeleton::file::{Model, NamedSkeleton};
use urdf_ik::skeleton::{SkeletonConfiguration, SkeletonOptions, SkeletonProblem, SkeletonTarget};
use urdf_ik::spatial::rotation_from;
use urdf_ik_text::names::short;

use crate::arguments::{Argument, named, read};
use crate::arrays::NumberArray;
use crate::figures::{SkeletonRequest, answer, points_array, read_place, read_root};
use crate::path_or_text::{PathOrText, is_yaml};
use crate::robot::Reduced;
use crate::{pitch_yaw, refused};

/// A figure of segments that needs no URDF: a person, a hand, a noodle.
///
/// Parameters
/// ----------
/// model : str or path
///     The path of a YAML file, or the text of one, which has more than one line. docs/skeletons.md has its keys. An
///     arm of pitch and yaw (``kind: pitch_yaw``) has one target, a position of its tip.
///
/// Raises
/// ------
/// Error
///     For a file that cannot be read, or describes no skeleton; it names the line.
#[pyclass(frozen, module = "urdfik", name = "Skeleton")]
pub struct PySkeleton {
    model: Model,
    /// The source text, for pickling.
    text: String,
}

#[pymethods]
impl PySkeleton {
    #[new]
    fn new(model: Argument<'_, PathOrText>) -> PyResult<Self> {
        let (text, _) = model.named("model")?.read(is_yaml, MAX_SETTINGS_BYTES)?;
        Ok(Self { model: Model::from_yaml(&text).map_err(refused)?, text })
    }

    /// The figure's name.
    #[getter]
    fn name(&self) -> &str {
        match &self.model {
            Model::Skeleton(skeleton) => &skeleton.name,
            Model::PitchYaw(arm) => &arm.name,
        }
    }

    /// Names of the m points: the root, then the end of each segment.
    #[getter]
    fn points(&self) -> Vec<&str> {
        let points = match &self.model {
            Model::Skeleton(skeleton) => &skeleton.points,
            Model::PitchYaw(arm) => &arm.points,
        };
        points.iter().map(String::as_str).collect()
    }

    /// Names of the points that are meant to have targets.
    #[getter]
    fn ends(&self) -> Vec<&str> {
        match &self.model {
            Model::Skeleton(skeleton) => skeleton.ends.iter().map(|end| skeleton.points[*end].as_str()).collect(),
            Model::PitchYaw(arm) => arm.points.last().map(String::as_str).into_iter().collect(),
        }
    }

    /// The points (m, 3) at rest [m].
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        match &self.model {
            Model::Skeleton(skeleton) => points_array(py, &skeleton.rest),
            Model::PitchYaw(arm) => points_array(py, &arm.arm.configuration(&vec![0.0; arm.arm.variables()])),
        }
    }

    /// Finds a pose in which points are at their targets. All lengths and limits hold in every answer.
    ///
    /// Parameters
    /// ----------
    /// targets : dict from name to array
    ///     For each point its position (3,) [m], or position and orientation of the segment that ends there (7,): x
    ///     y z qx qy qz qw.
    /// seed : array (m, 3), or SkeletonAnswer, optional
    ///     The pose to start from: with the answer before, a figure that is dragged moves smoothly. By default the pose
    ///     at rest. Of an arm of pitch and yaw it is a SkeletonAnswer or joint positions [rad]: an array (2 n,), all
    ///     pitches first, or a dict by name.
    /// root : "fixed", "free", or array (3,) or (7,)
    ///     Whether the root stays, moves with the rest, or is moved to a place.
    /// weights : dict from name to float, optional
    ///     Weights of targets, 1 by default. They matter if the targets cannot be met together.
    /// tolerance, orientation_tolerance : float
    ///     Largest errors with which a target counts as met [m, rad].
    ///
    /// Returns
    /// -------
    /// SkeletonAnswer
    #[pyo3(
        signature = (
            targets, seed = None, *, root = None, weights = None, tolerance = Argument::Valid(1e-6),
            orientation_tolerance = Argument::Valid(1e-6)
        ),
        text_signature = "($self, targets, seed=None, *, root='fixed', weights=None, tolerance=1e-06, orientation_tolerance=1e-06)"
    )]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a method in Python")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        targets: Argument<'py, Bound<'py, PyDict>>,
        seed: Option<&Bound<'py, PyAny>>,
        root: Option<&Bound<'py, PyAny>>,
        weights: Option<Argument<'py, HashMap<String, f64>>>,
        tolerance: Argument<'py, f64>,
        orientation_tolerance: Argument<'py, f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = SkeletonRequest {
            targets: &targets.named("targets")?,
            seed,
            root: read_root(root)?,
            weights: named(weights, "weights")?.unwrap_or_default(),
            tolerance: tolerance.named("tolerance")?,
            orientation_tolerance: orientation_tolerance.named("orientation_tolerance")?,
        };
        match &self.model {
            Model::Skeleton(skeleton) => solve(py, skeleton, &request),
            Model::PitchYaw(arm) => pitch_yaw::solve(py, arm, &request),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&str,)> {
        (py.get_type::<Self>().into_any(), (&self.text,))
    }
}

/// Solves for targets of points of a tree of segments. Returns a `urdfik.SkeletonAnswer`.
fn solve<'py>(
    py: Python<'py>,
    model: &NamedSkeleton,
    request: &SkeletonRequest<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let SkeletonRequest { root, tolerance, orientation_tolerance, .. } = *request;
    let targets = read_targets(request.targets, &request.weights, model)?;
    let seed = match request.seed {
        Some(seed) => read_configuration(seed, model.points.len())?,
        None => model.rest.clone(),
    };
    let options =
        SkeletonOptions::default().with_tolerance(tolerance).with_orientation_tolerance(orientation_tolerance);
    let problem = SkeletonProblem { targets: &targets, root, seed: &seed, options };
    let found = py.detach(|| model.solve(&problem)).map_err(refused)?;
    answer(py, found, targets.iter().map(|target| &model.points[target.point]))
}

fn read_targets(
    given: &Bound<'_, PyDict>,
    weights: &HashMap<String, f64>,
    model: &NamedSkeleton,
) -> PyResult<Vec<SkeletonTarget>> {
    let mut targets = Vec::with_capacity(given.len());
    for (name, value) in given {
        let name: String = read(&name, "a point of targets")?;
        let point = model.target_point(&name).map_err(refused)?;
        let (position, orientation) = read_place(&value, &format!("the target of '{}'", short(&name)))?;
        targets.push(SkeletonTarget { orientation, ..SkeletonTarget::new(point, position.vector.into()) });
    }
    for (name, weight) in weights {
        let point = model.target_point(name).map_err(refused)?;
        let target = targets.iter_mut().find(|target| target.point == point);
        target
            .ok_or_else(|| refused(format!("there is a weight for '{}', which has no target", short(name))))?
            .weight = *weight;
    }
    Ok(targets)
}

/// The configuration of this many points, or of an answer.
fn read_configuration(given: &Bound<'_, PyAny>, count: usize) -> PyResult<SkeletonConfiguration> {
    let rows = |value: &Bound<'_, PyAny>, columns: usize| {
        NumberArray::read_shaped(value, &[count, columns], "seed", ": one row for each of the points")
    };
    let rotation = |q: &[f64]| rotation_from([q[0], q[1], q[2], q[3]]).map_err(|e| refused(format!("seed: {e}")));
    let (points, turns) = given.getattr("points").ok().zip(given.getattr("orientations").ok()).unzip();
    let points = rows(points.as_ref().unwrap_or(given), 3)?.chunks_exact(3).map(Point3::from_slice).collect();
    let turns = turns.map(|turns| rows(&turns, 4)).transpose()?.unwrap_or_default();
    let orientations = turns.chunks_exact(4).map(rotation).collect::<PyResult<_>>()?;
    Ok(SkeletonConfiguration { points, orientations })
}
