//! Conversion of dicts, lists and arrays to JSON values.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use serde_json::{Map, Value};
use urdf_ik_text::names::short;

use crate::arguments::read;
use crate::refused;

/// Maximum nesting depth: lists can contain themselves.
const MAX_DEPTH: u32 = 8;

/// Converts an argument to a JSON value.
///
/// # Errors
/// A `urdfik.Error` that names the argument `what`.
pub fn plain_data(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Value> {
    convert(value, what, MAX_DEPTH)
}

fn convert(value: &Bound<'_, PyAny>, what: &str, depth: u32) -> PyResult<Value> {
    let Some(depth) = depth.checked_sub(1) else { return Err(refused(format!("{what} is nested too deeply"))) };
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(boolean) = value.cast::<PyBool>() {
        return Ok(boolean.is_true().into());
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        return number(value, what);
    }
    if value.is_instance_of::<PyString>() {
        return Ok(read::<String>(value, what)?.into());
    }
    if let Ok(path) = value.extract::<PathBuf>() {
        return Ok(path.to_string_lossy().into());
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let entry = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let name: String = read(&name, &format!("a name in {what}"))?;
            let data = convert(&value, &format!("'{}' of {what}", short(&name)), depth)?;
            Ok((name, data))
        };
        return Ok(Value::Object(dict.iter().map(entry).collect::<PyResult<Map<_, _>>>()?));
    }
    if let Ok(listed) = value.call_method0("tolist") {
        return convert(&listed, what, depth);
    }
    let entries = value.try_iter().map_err(|_| refused(format!("{what} must be numbers, strings, lists and dicts")))?;
    Ok(Value::Array(entries.map(|entry| convert(&entry?, what, depth)).collect::<PyResult<_>>()?))
}

fn number(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Value> {
    if let Ok(whole) = value.extract::<i64>() {
        return Ok(whole.into());
    }
    let number: f64 = read(value, what)?;
    let number = serde_json::Number::from_f64(number).map(Value::Number);
    number.ok_or_else(|| refused(format!("{what} has an entry that is not a finite number")))
}
