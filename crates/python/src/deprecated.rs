//! Deprecated names of arguments.

use std::ffi::CString;

use pyo3::exceptions::PyDeprecationWarning;
use pyo3::prelude::*;

use crate::arguments::{Argument, named};
use crate::refused;

/// The value of an argument, also under its deprecated name, which leads to a warning.
///
/// # Errors
/// A `urdfik.Error` if the value is not a number, or the warning if it is raised as an exception.
pub fn renamed(
    py: Python<'_>,
    old: Option<Argument<'_, f64>>,
    new: Argument<'_, f64>,
    [old_name, new_name]: [&str; 2],
) -> PyResult<f64> {
    let Some(value) = named(old, old_name)? else { return new.named(new_name) };
    warn_deprecated(py, old_name, new_name)?;
    Ok(value)
}

/// Warns that the name `old` of an argument is deprecated in favour of `new`.
///
/// # Errors
/// The warning, if it is raised as an exception.
pub fn warn_deprecated(py: Python<'_>, old: &str, new: &str) -> PyResult<()> {
    let message = CString::new(format!("the argument {old} of servo is deprecated: use {new}")).map_err(refused)?;
    PyErr::warn(py, &py.get_type::<PyDeprecationWarning>(), &message, 1)
}
