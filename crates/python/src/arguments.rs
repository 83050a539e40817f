//! Conversion of Python arguments. Every error names the argument.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyString};
use urdf_ik_text::names::short;

use crate::path_or_text::PathOrText;
use crate::refused;

/// A converted argument, or the object that could not be converted. The latter allows for an error that names the
/// argument, as the `TypeError` or `OverflowError` of pyo3 does not always do.
pub enum Argument<'py, T> {
    Valid(T),
    Invalid(Bound<'py, PyAny>),
}

/// A type that arguments are converted to.
pub trait ArgumentType {
    /// The expected type, for error messages.
    const WORDS: &'static str;
}

macro_rules! expected {
    ($($type:ty: $words:literal)*) => { $(impl ArgumentType for $type { const WORDS: &'static str = $words; })* };
}

expected! {
    f64: "a number"
    usize: "a whole number from 0 to 2^64 - 1"
    u64: "a whole number from 0 to 2^64 - 1"
    bool: "True or False"
    String: "a string"
    Vec<String>: "a list of strings"
    Vec<PathBuf>: "a list of paths"
    HashMap<String, f64>: "a dict from names to numbers"
    StringOrList: "a string, or a list of strings"
    PathOrText: "a path, or a text"
    Bound<'_, PyDict>: "a dict"
}

impl<'a, 'py, T: FromPyObject<'a, 'py>> FromPyObject<'a, 'py> for Argument<'py, T> {
    type Error = Infallible;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(given.extract().map_or_else(|_| Self::Invalid(given.to_owned()), Self::Valid))
    }
}

impl<T: ArgumentType> Argument<'_, T> {
    /// The converted argument.
    ///
    /// # Errors
    /// A `urdfik.Error` that names the argument.
    pub fn named(self, name: &str) -> PyResult<T> {
        match self {
            Self::Valid(value) => Ok(value),
            Self::Invalid(given) => Err(refused(format!("{name} is {}; it must be {}", shown(&given), T::WORDS))),
        }
    }
}

/// The converted argument; `None` if omitted.
///
/// # Errors
/// A `urdfik.Error` that names the argument.
pub fn named<T: ArgumentType>(argument: Option<Argument<'_, T>>, name: &str) -> PyResult<Option<T>> {
    argument.map(|argument| argument.named(name)).transpose()
}

/// Converts an argument, or an entry of one.
///
/// # Errors
/// A `urdfik.Error` that contains `name`.
pub fn read<'a, 'py, T: FromPyObject<'a, 'py> + ArgumentType>(value: &'a Bound<'py, PyAny>, name: &str) -> PyResult<T> {
    let Ok(argument) = value.extract::<Argument<'py, T>>();
    argument.named(name)
}

/// Parses an argument that names a value, such as a solver.
///
/// # Errors
/// A `urdfik.Error` that names the argument.
pub fn parsed<T: FromStr<Err: Display>>(text: &str, name: &str) -> PyResult<T> {
    text.parse().map_err(|e| refused(format!("{name}: {e}")))
}

/// One string, or a list of strings.
#[derive(FromPyObject)]
pub enum StringOrList {
    One(String),
    Several(Vec<String>),
}

impl StringOrList {
    pub fn as_strs(&self) -> Vec<&str> {
        match self {
            Self::One(name) => vec![name],
            Self::Several(names) => names.iter().map(String::as_str).collect(),
        }
    }
}

/// Describes an object in an error message: by its repr if it is a number, a string or None, otherwise by its type.
pub fn shown(given: &Bound<'_, PyAny>) -> String {
    let is_plain = given.is_none()
        || given.is_instance_of::<PyInt>()
        || given.is_instance_of::<PyFloat>()
        || given.is_instance_of::<PyString>();
    // repr() fails for integers of many thousand digits.
    let written = if is_plain { given.repr().ok() } else { None };
    match written {
        Some(written) => short(&written.to_string_lossy()).into_owned(),
        None => format!("of type {}", given.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string())),
    }
}
