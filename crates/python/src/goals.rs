//! Goals besides poses: the argument `goals` of the solving methods, and its alias `constraints`.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use urdf_ik::goals::{Goal, GoalContext};

use crate::arguments::shown;
use crate::plain_data::plain_data;
use crate::poses::{Placement, to_numbers};
use crate::refused;
use crate::shared::{ArmData, WorldData};

/// Names of the argument for goals; the second is an alias.
pub const GOALS: [&str; 2] = ["goals", "constraints"];

/// Bounds by field, with the infinite value that NumPy arrays contain in place of None.
const UNBOUNDED: [(&str, f64); 2] = [("lower", f64::NEG_INFINITY), ("upper", f64::INFINITY)];

/// The goals of one problem or of many.
pub struct GoalLists {
    lists: Vec<Vec<Goal>>,
    /// True if there is a list for each problem of a batch, false for a single one that all problems share.
    per_problem: bool,
}

impl Default for GoalLists {
    fn default() -> Self {
        Self { lists: vec![Vec::new()], per_problem: false }
    }
}

impl GoalLists {
    /// Reads the argument `name`: a list of goals, or a list of such lists. Joints outside the chain are at the
    /// positions in `world`, or at their neutral positions without one.
    ///
    /// # Errors
    /// A `urdfik.Error` that names the argument, the goal and the field.
    pub fn read(value: &Bound<'_, PyAny>, name: &str, arm: &ArmData, world: Option<&WorldData>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self::default());
        }
        let robot = &arm.robot.robot;
        let positions = world.map_or_else(|| robot.neutral_positions(), |world| world.rest.clone());
        let context = &GoalContext { robot, chain: &arm.chain, positions: &positions, frames: &[] };
        let entries = entries(value, name)?;
        let per_problem = entries.first().is_some_and(is_list);
        let lists = if per_problem {
            let list = |(row, value): (usize, &Bound<'_, PyAny>)| read_list(value, &format!("{name}[{row}]"), context);
            entries.iter().enumerate().map(list).collect::<PyResult<_>>()?
        } else {
            vec![read_list(value, name, context)?]
        };
        Ok(Self { lists, per_problem })
    }

    /// Number of lists if each problem has its own; `None` for one list that all problems share.
    pub fn problems(&self) -> Option<usize> {
        self.per_problem.then_some(self.lists.len())
    }

    /// The goals of a problem, by its index.
    pub fn of(&self, problem: usize) -> &[Goal] {
        &self.lists[if self.per_problem { problem } else { 0 }]
    }

    /// The goals of the only problem.
    ///
    /// # Errors
    /// A `urdfik.Error` if each problem of a batch has a list.
    pub fn of_one(&self) -> PyResult<&[Goal]> {
        if self.per_problem {
            return Err(refused("goals is a list of lists, which only solve_batch takes; give one list of goals"));
        }
        Ok(self.of(0))
    }

    /// The greatest number of goals that a problem has.
    pub fn most(&self) -> usize {
        self.lists.iter().map(Vec::len).max().unwrap_or_default()
    }
}

fn is_list(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()
}

fn entries<'py>(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if !is_list(value) {
        return Err(refused(format!("{what} is {}; it must be a list of goals", shown(value))));
    }
    value.try_iter()?.collect()
}

fn read_list(value: &Bound<'_, PyAny>, what: &str, context: &GoalContext) -> PyResult<Vec<Goal>> {
    let mut goals = Vec::new();
    for (index, entry) in entries(value, what)?.iter().enumerate() {
        let what = format!("{what}[{index}]");
        for fields in dicts(entry, &what)? {
            let goal = plain_data(without_infinity(&fields)?.as_any(), &what)?;
            goals.push(Goal::read(&goal, context).map_err(|e| refused(format!("{what}: {e}")))?);
        }
    }
    Goal::make_names_distinct(&mut goals);
    Ok(goals)
}

/// A dict, or the dicts of an object of `urdfik.goals`.
fn dicts<'py>(entry: &Bound<'py, PyAny>, what: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    if let Ok(fields) = entry.cast::<PyDict>() {
        return Ok(vec![fields.clone()]);
    }
    let dicts = entry
        .getattr("dicts")
        .map_err(|_| refused(format!("{what} is {}; it must be a dict, or a goal of urdfik.goals", shown(entry))))?;
    dicts.call0().and_then(|dicts| dicts.extract()).map_err(|e| refused(format!("{what}: {}", e.value(entry.py()))))
}

/// A copy of the fields with None for infinite bounds, which JSON does not have.
fn without_infinity<'py>(fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let copy = fields.copy()?;
    for (name, unbounded) in UNBOUNDED {
        let Some(bound) = fields.get_item(name)? else { continue };
        let is_unbounded = |bound: &Bound<'py, PyAny>| bound.extract::<f64>().is_ok_and(|bound| bound == unbounded);
        if is_unbounded(&bound) {
            copy.set_item(name, fields.py().None())?;
        } else if let Ok(bounds) = bound.try_iter() {
            let bounds = bounds.map(|bound| bound.map(|bound| Some(bound).filter(|bound| !is_unbounded(bound))));
            copy.set_item(name, bounds.collect::<PyResult<Vec<_>>>()?)?;
        }
    }
    Ok(copy)
}

/// The error if there are neither poses (the argument `what`) nor goals.
pub fn nothing_requested(what: &str) -> PyErr {
    refused(format!("{what} is None, and there are no goals; give poses, goals, or both"))
}

/// The position [m] and quaternion (7,) of a pose (4, 4) or (7,): x y z qx qy qz qw.
#[pyfunction]
pub fn pose_numbers<'py>(py: Python<'py>, pose: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let Placement { at, is_position } = Placement::read(pose, "pose")?;
    if is_position {
        return Err(refused("pose has no orientation; give (4, 4) or (7,), or a PositionGoal"));
    }
    Ok(PyArray1::from_slice(py, &to_numbers(&at)))
}
