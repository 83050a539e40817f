//! `urdfik.Skeleton` for pitch-yaw arms.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::skeleton::Root;
use urdf_ik::skeleton::file::NamedArm;
use urdf_ik::skeleton::pitch_yaw::{PitchYawOptions, PitchYawProblem};
use urdf_ik_text::names::short;

use crate::arrays::{NumberArray, by_joint};
use crate::figures::{SkeletonRequest, answer, read_place};
use crate::refused;

/// Solves for a position of the tip of a pitch-yaw arm. Returns a `urdfik.SkeletonAnswer`.
///
/// # Errors
/// A `urdfik.Error` if the request is invalid for such an arm.
pub fn solve<'py>(
    py: Python<'py>,
    model: &NamedArm,
    request: &SkeletonRequest<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let NamedArm { arm, points, .. } = model;
    if !matches!(request.root, Root::Fixed) {
        return Err(refused("root must be \"fixed\": an arm of pitch and yaw stands where its file says"));
    }
    let tip = points.last().map_or("", String::as_str);
    let only_tip =
        || refused(format!("targets of an arm of pitch and yaw are one position, that of its tip '{}'", short(tip)));
    if request.targets.len() != 1 || request.weights.keys().any(|name| name != tip) {
        return Err(only_tip());
    }
    let target = request.targets.get_item(tip)?.ok_or_else(only_tip)?;
    let (position, None) = read_place(&target, &format!("the target of '{}'", short(tip)))? else {
        return Err(only_tip());
    };
    let seed = match request.seed {
        Some(seed) => positions(seed, model)?,
        None => vec![0.0; arm.variables()],
    };
    let options = PitchYawOptions::default().with_tolerance(request.tolerance);
    let problem = PitchYawProblem { target: position.vector.into(), seed: &seed, options };
    let found = py.detach(|| model.solve(&problem)).map_err(refused)?;
    answer(py, found, [tip])
}

/// The joint positions of a seed: an answer, a dict or an array [rad].
fn positions(seed: &Bound<'_, PyAny>, model: &NamedArm) -> PyResult<Vec<f64>> {
    let names: Vec<String> = model.variable_names().collect();
    let of_answer = seed.getattr("positions").ok();
    match of_answer.as_ref().unwrap_or(seed).cast::<PyDict>() {
        Ok(by_name) => by_joint(by_name, &names, "seed"),
        Err(_) => NumberArray::read_shaped(seed, &[names.len()], "seed", ", all pitches and then all yaws"),
    }
}
