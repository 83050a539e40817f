//! `urdfik.Skeleton`: figures of segments, without a URDF.

use std::collections::HashMap;

use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use urdf_ik::files::MAX_SETTINGS_BYTES;
use urdf_ik::skeleton::file::{Model, NamedSkeleton};
use urdf_ik::skeleton::{Configuration, Options, Problem, Root, Solution, Target};
use urdf_ik::spatial::rotation_from;
use urdf_ik_text::names::short;

use crate::answers::ANSWERS;
use crate::arrays::{Numbers, array, shape_in_words};
use crate::path_or_text::{PathOrText, is_yaml};
use crate::refused;

/// A figure of segments that needs no URDF: a person, a hand, a noodle.
///
/// Parameters
/// ----------
/// model : str or path
///     The path of a YAML file, or the text of one, which has more than one line. docs/skeletons.md has its keys.
///
/// Raises
/// ------
/// Error
///     For a file that cannot be read, or describes no skeleton; it names the line.
#[pyclass(frozen, module = "urdfik")]
pub struct Skeleton(NamedSkeleton);

#[pymethods]
impl Skeleton {
    #[new]
    fn new(model: PathOrText) -> PyResult<Self> {
        let (text, _) = model.read(is_yaml, MAX_SETTINGS_BYTES)?;
        match Model::from_yaml(&text).map_err(refused)? {
            Model::Skeleton(skeleton) => Ok(Self(skeleton)),
            Model::PitchYaw(_) => {
                Err(refused("the model is an arm of pitch and yaw, and no skeleton: `urdf_ik skeleton` moves it"))
            }
        }
    }

    /// The figure's name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Names of the m points: the root, then the end of each segment.
    #[getter]
    fn points(&self) -> Vec<&str> {
        self.0.points.iter().map(String::as_str).collect()
    }

    /// Names of the points that are meant to have targets.
    #[getter]
    fn ends(&self) -> Vec<&str> {
        self.0.ends.iter().map(|end| self.0.points[*end].as_str()).collect()
    }

    /// The points (m, 3) at rest [m].
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points_array(py, &self.0.rest)
    }

    /// Finds a pose in which points are at their targets. All lengths and limits hold in every answer.
    ///
    /// Parameters
    /// ----------
    /// targets : dict from name to array
    ///     For each point its position (3,) [m], or position and orientation of the segment that ends there (7,): x y z qx qy qz qw.
    /// seed : array (m, 3), or SkeletonAnswer, optional
    ///     The pose to start from: with the answer before, a figure that is dragged moves smoothly. By default the pose at rest.
    /// root : "fixed", "free", or array (3,) or (7,)
    ///     Whether the root stays, moves with the rest, or is moved to a place.
    /// weights : dict from name to float, optional
    ///     Weights of targets, 1 for those that are not named. They decide what cannot be met at once.
    /// tolerance, orientation_tolerance : float
    ///     Largest errors with which a target counts as met [m, rad].
    ///
    /// Returns
    /// -------
    /// SkeletonAnswer
    #[pyo3(signature = (targets, seed = None, *, root = None, weights = None, tolerance = 1e-6, orientation_tolerance = 1e-6),
           text_signature = "($self, targets, seed=None, *, root='fixed', weights=None, tolerance=1e-06, orientation_tolerance=1e-06)")]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a method in Python")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        targets: &Bound<'py, PyDict>,
        seed: Option<&Bound<'py, PyAny>>,
        root: Option<&Bound<'py, PyAny>>,
        weights: Option<HashMap<String, f64>>,
        tolerance: f64,
        orientation_tolerance: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let NamedSkeleton { skeleton, .. } = &self.0;
        let targets = self.targets(targets, &weights.unwrap_or_default())?;
        let seed = match seed {
            Some(seed) => self.configuration(seed)?,
            None => self.0.rest.clone(),
        };
        let options = Options { tolerance, orientation_tolerance, ..Options::default() };
        let problem = Problem { targets: &targets, root: read_root(root)?, seed: &seed, options };
        let solution = py.detach(|| {
            let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
            skeleton.solve(&problem, &mut scratch, &mut solution).map_err(refused).map(|()| solution)
        })?;
        self.answer(py, &targets, &solution)
    }
}

impl Skeleton {
    fn targets(&self, given: &Bound<'_, PyDict>, weights: &HashMap<String, f64>) -> PyResult<Vec<Target>> {
        let mut targets = Vec::with_capacity(given.len());
        for (name, value) in given {
            let name: String = name.extract()?;
            let point = self.0.target_point(&name).map_err(refused)?;
            let (position, orientation) = read_place(&value, &format!("the target of '{}'", short(&name)))?;
            targets.push(Target { orientation, ..Target::new(point, position.vector.into()) });
        }
        for (name, weight) in weights {
            let point = self.0.target_point(name).map_err(refused)?;
            let target = targets.iter_mut().find(|target| target.point == point);
            target
                .ok_or_else(|| refused(format!("there is a weight for '{}', which has no target", short(name))))?
                .weight = *weight;
        }
        Ok(targets)
    }

    /// The configuration of points, or of an answer.
    fn configuration(&self, given: &Bound<'_, PyAny>) -> PyResult<Configuration> {
        let of_answer = |name: &str| given.getattr(name).ok();
        let (points, orientations) = match (of_answer("points"), of_answer("orientations")) {
            (Some(points), Some(orientations)) => (points, Some(orientations)),
            _ => (given.clone(), None),
        };
        let rows = |value: &Bound<'_, PyAny>, columns: usize| {
            let numbers = Numbers::read(value, "seed")?;
            let expected = [self.0.points.len(), columns];
            if numbers.shape() == expected {
                Ok(numbers.to_vec())
            } else {
                let [shape, expected] = [numbers.shape(), &expected].map(shape_in_words);
                Err(refused(format!(
                    "seed has the shape {shape}; it must be {expected}: one row for each of the points"
                )))
            }
        };
        let points = rows(&points, 3)?.chunks_exact(3).map(Point3::from_slice).collect();
        let rotation = |q: &[f64]| UnitQuaternion::new_unchecked(Quaternion::new(q[3], q[0], q[1], q[2]));
        let orientations = match orientations {
            Some(orientations) => rows(&orientations, 4)?.chunks_exact(4).map(rotation).collect(),
            None => Vec::new(),
        };
        Ok(Configuration { points, orientations })
    }

    fn answer<'py>(&self, py: Python<'py>, targets: &[Target], solution: &Solution) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let configuration = &solution.configuration;
        let orientations = self.0.skeleton.orientations(configuration).map_err(refused)?;
        let numbers = orientations.iter().flat_map(|orientation| orientation.coords.iter().copied()).collect();
        let (reasons, errors) = (PyDict::new(py), PyDict::new(py));
        for (target, residual) in targets.iter().zip(&solution.residuals) {
            let name = &self.0.points[target.point];
            reasons.set_item(name, residual.outcome.to_string())?;
            errors.set_item(name, (residual.distance, residual.angle))?;
        }
        CLASS.import(py, ANSWERS, "SkeletonAnswer")?.call1((
            solution.is_solved(),
            points_array(py, configuration)?,
            array(py, [orientations.len(), 4], numbers)?,
            reasons,
            errors,
            solution.iterations,
            solution.restarts,
        ))
    }
}

fn points_array<'py>(py: Python<'py>, configuration: &Configuration) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers = configuration.points.iter().flat_map(|point| point.coords.iter().copied()).collect();
    array(py, [configuration.points.len(), 3], numbers)
}

fn read_root(given: Option<&Bound<'_, PyAny>>) -> PyResult<Root> {
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

/// A position, and an orientation where there is one.
fn read_place(value: &Bound<'_, PyAny>, what: &str) -> PyResult<(Translation3<f64>, Option<UnitQuaternion<f64>>)> {
    let numbers = Numbers::read(value, what)?;
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
