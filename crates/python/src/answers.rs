//! Converts solver results into the classes of `urdfik._answers`.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;

use urdf_ik::robot::Chain;
use urdf_ik::solver::{Outcome, Reason, Solution};

use crate::options::SolveOptions;

/// The code of an outcome in `urdfik.Outcome` and in the node's `SolveStatus`.
pub fn code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Solved => 0,
        Outcome::PositionOnly => 10,
        Outcome::Closest(Reason::OutOfReach { .. } | Reason::Unreachable { .. }) => 1,
        Outcome::Closest(Reason::JointLimits) => 2,
        Outcome::Closest(Reason::StepLimited) => 3,
        Outcome::Closest(Reason::Collision { .. }) => 9,
        Outcome::Closest(Reason::Conflict { .. }) => 12,
        _ => 4,
    }
}

/// The code of an invalid problem in `urdfik.Outcome`.
pub const INVALID: u8 = 5;

/// Name of the Python module with the answer classes.
pub const ANSWERS: &str = "urdfik._answers";

/// The member of `urdfik.Outcome` with that code.
fn outcome(py: Python<'_>, code: u8) -> PyResult<Bound<'_, PyAny>> {
    static MEMBERS: PyOnceLock<Py<PyList>> = PyOnceLock::new();
    let members = || {
        let class = py.import(ANSWERS)?.getattr("Outcome")?;
        let member = |code: u8| class.call1((code,)).unwrap_or_else(|_| py.None().into_bound(py));
        PyList::new(py, (0..=12).map(member)).map(Bound::unbind)
    };
    MEMBERS.get_or_try_init(py, members)?.bind(py).get_item(code.into())
}

/// Converts a solution to a `urdfik.Answer`.
///
/// # Errors
/// An exception of Python if the answer class cannot be imported or called.
pub fn answer<'py>(
    py: Python<'py>,
    solution: &Solution,
    chain: &Chain,
    options: &SolveOptions,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let scene = options.clearance().map(|clearance| clearance.scene);
    let worst = solution.worst_residual();
    CLASS.import(py, ANSWERS, "Answer")?.call1((
        solution.is_solved(),
        PyArray1::from_slice(py, &solution.positions),
        solution.sentence_in(chain, scene),
        outcome(py, code(&solution.outcome))?,
        worst.position,
        worst.orientation,
        PyArray1::from_slice(py, &solution.violations),
        solution.iterations,
        solution.attempts,
    ))
}
