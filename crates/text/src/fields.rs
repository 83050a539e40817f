//! Reads the fields of a JSON object from outside.

use serde_json::{Map, Value};

use crate::malformed::Malformed;
use crate::names::short;

/// Reads the fields of an object one after the other. Fields that were never read are unknown.
#[derive(Debug)]
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of `object`.
    pub fn new(object: &'a Map<String, Value>) -> Self {
        Self { object, asked: Vec::new() }
    }

    /// True if there is a field of that name.
    pub fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// The value of a field of any type; `None` if it is missing or null.
    pub fn optional(&mut self, name: &'static str) -> Option<&'a Value> {
        self.ask(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    ///
    /// # Errors
    /// [`Malformed`] if it is missing or of another type.
    pub fn text(&mut self, name: &'static str) -> Result<&'a str, Malformed> {
        let value = self.value(name)?;
        value.as_str().ok_or_else(|| wrong(name, "a text", value))
    }

    /// A number.
    ///
    /// # Errors
    /// [`Malformed`] if it is missing or of another type.
    pub fn number(&mut self, name: &'static str) -> Result<f64, Malformed> {
        let value = self.value(name)?;
        value.as_f64().ok_or_else(|| wrong(name, "a number", value))
    }

    /// N numbers.
    ///
    /// # Errors
    /// [`Malformed`] if they are missing or of another type.
    pub fn numbers<const N: usize>(&mut self, name: &'static str) -> Result<[f64; N], Malformed> {
        numbers(name, self.value(name)?)
    }

    /// The N numbers of an optional field, or `default`.
    ///
    /// # Errors
    /// [`Malformed`] for any other value.
    pub fn numbers_or<const N: usize>(&mut self, name: &'static str, default: [f64; N]) -> Result<[f64; N], Malformed> {
        self.optional(name).map_or(Ok(default), |value| numbers(name, value))
    }

    /// N numbers of which each, or all together, may be null or missing, which means `none`.
    ///
    /// # Errors
    /// [`Malformed`] for any other value.
    pub fn bounds<const N: usize>(&mut self, name: &'static str, none: f64) -> Result<[f64; N], Malformed> {
        let Some(value) = self.optional(name) else { return Ok([none; N]) };
        let bound = |value: &Value| if value.is_null() { Some(none) } else { value.as_f64() };
        row(value, bound).ok_or_else(|| wrong(name, &format!("{N} numbers, or null for none"), value))
    }

    /// True or false; false if it is missing.
    ///
    /// # Errors
    /// [`Malformed`] for any other value.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, Malformed> {
        let Some(value) = self.optional(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| wrong(name, "true or false", value))
    }

    /// A number that may be null or missing, which means `none`.
    ///
    /// # Errors
    /// [`Malformed`] for any other value.
    pub fn number_or(&mut self, name: &'static str, none: f64) -> Result<f64, Malformed> {
        let Some(value) = self.optional(name) else { return Ok(none) };
        value.as_f64().ok_or_else(|| wrong(name, "a number", value))
    }

    /// A list of rows of N numbers each.
    ///
    /// # Errors
    /// [`Malformed`] if it is missing or of another type.
    pub fn rows<const N: usize, T>(
        &mut self,
        name: &'static str,
        number: fn(&Value) -> Option<T>,
    ) -> Result<Vec<[T; N]>, Malformed> {
        let value = self.value(name)?;
        let rows = value.as_array().and_then(|rows| rows.iter().map(|value| row(value, number)).collect());
        rows.ok_or_else(|| wrong(name, &format!("a list of rows of {N} numbers, of indices whole ones"), value))
    }

    /// An object with a number for each name.
    ///
    /// # Errors
    /// [`Malformed`] if it is missing or of another type.
    pub fn named_numbers(&mut self, name: &'static str) -> Result<Vec<(&'a str, f64)>, Malformed> {
        let value = self.value(name)?;
        let entries = value.as_object().and_then(|object| {
            object.iter().map(|(name, value)| Some((name.as_str(), value.as_f64()?))).collect::<Option<_>>()
        });
        entries.ok_or_else(|| wrong(name, "a number for each name", value))
    }

    /// The value of a field of any type.
    ///
    /// # Errors
    /// [`Malformed`] if it is missing.
    pub fn value(&mut self, name: &'static str) -> Result<&'a Value, Malformed> {
        self.ask(name);
        self.object.get(name).ok_or_else(|| format!("the field '{name}' is missing").into())
    }

    fn ask(&mut self, name: &'static str) {
        if !self.asked.contains(&name) {
            self.asked.push(name);
        }
    }

    /// Checks that each field was read.
    ///
    /// # Errors
    /// [`Malformed`] for the first field that was not.
    pub fn finish(self) -> Result<(), Malformed> {
        let Some(key) = self.object.keys().find(|key| !self.asked.contains(&key.as_str())) else { return Ok(()) };
        Err(format!("the field '{}' is unknown here; there are: {}", short(key), self.asked.join(", ")).into())
    }
}

fn numbers<const N: usize>(name: &str, value: &Value) -> Result<[f64; N], Malformed> {
    row(value, Value::as_f64).ok_or_else(|| wrong(name, &format!("{N} numbers"), value))
}

/// The N entries of an array; `None` for another number of them, or another type.
pub fn row<const N: usize, T>(value: &Value, entry: impl Fn(&Value) -> Option<T>) -> Option<[T; N]> {
    let entries: Vec<T> = value.as_array()?.iter().map(entry).collect::<Option<_>>()?;
    entries.try_into().ok()
}

/// The error for a field with a value of another type.
pub fn wrong(name: &str, wanted: &str, found: &Value) -> Malformed {
    format!("its '{name}' is {}; it must be {wanted}", short(&found.to_string())).into()
}
