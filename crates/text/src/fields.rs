//! Reads the fields of a JSON object from outside.

use serde_json::{Map, Value};

use crate::malformed::Malformed;
use crate::names::short;

/// Reads the fields of an object one after the other. [`Fields::finish`] rejects those that were never read.
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

    /// True if there is a field named `name`.
    pub fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// The value of the field `name`, of any type; `None` if it is missing or null.
    pub fn optional(&mut self, name: &'static str) -> Option<&'a Value> {
        self.ask(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// The text in the field `name`.
    ///
    /// # Errors
    /// [`Malformed`] if it is missing or of another type.
    pub fn text(&mut self, name: &'static str) -> Result<&'a str, Malformed> {
        let value = self.value(name)?;
        value.as_str().ok_or_else(|| wrong(name, "a text", value))
    }

    /// The number in the field `name`.
    ///
    /// # Errors
    /// [`Malformed`] if it is missing or of another type.
    pub fn number(&mut self, name: &'static str) -> Result<f64, Malformed> {
        let value = self.value(name)?;
        value.as_f64().ok_or_else(|| wrong(name, "a number", value))
    }

    /// The array of `N` numbers in the field `name`.
    ///
    /// # Errors
    /// [`Malformed`] if they are missing or of another type.
    pub fn numbers<const N: usize>(&mut self, name: &'static str) -> Result<[f64; N], Malformed> {
        numbers(name, self.value(name)?)
    }

    /// The array of `N` numbers in the field `name`; `default` if it is missing or null.
    ///
    /// # Errors
    /// [`Malformed`] for any other value.
    pub fn numbers_or<const N: usize>(&mut self, name: &'static str, default: [f64; N]) -> Result<[f64; N], Malformed> {
        self.optional(name).map_or(Ok(default), |value| numbers(name, value))
    }

    /// The array of `N` numbers in the field `name`. A null number is `none`, and so is each number if the field is
    /// missing or null.
    ///
    /// # Errors
    /// [`Malformed`] for any other value.
    pub fn bounds<const N: usize>(&mut self, name: &'static str, none: f64) -> Result<[f64; N], Malformed> {
        let Some(value) = self.optional(name) else { return Ok([none; N]) };
        let bound = |value: &Value| if value.is_null() { Some(none) } else { value.as_f64() };
        row(value, bound).ok_or_else(|| wrong(name, &format!("{N} numbers, or null for none"), value))
    }

    /// The truth value in the field `name`; false if it is missing or null.
    ///
    /// # Errors
    /// [`Malformed`] for any other value.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, Malformed> {
        let Some(value) = self.optional(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| wrong(name, "true or false", value))
    }

    /// The number in the field `name`; `none` if it is missing or null.
    ///
    /// # Errors
    /// [`Malformed`] for any other value.
    pub fn number_or(&mut self, name: &'static str, none: f64) -> Result<f64, Malformed> {
        let Some(value) = self.optional(name) else { return Ok(none) };
        value.as_f64().ok_or_else(|| wrong(name, "a number", value))
    }

    /// The list of rows in the field `name`, each an array of `N` numbers. `number` converts one; `None` rejects it.
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

    /// The names and numbers of the object in the field `name`.
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

    /// The value of the field `name`, of any type, including null.
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
    /// [`Malformed`] for the first field that was never read.
    pub fn finish(self) -> Result<(), Malformed> {
        let Some(key) = self.object.keys().find(|key| !self.asked.contains(&key.as_str())) else { return Ok(()) };
        Err(format!("the field '{}' is unknown here; there are: {}", short(key), self.asked.join(", ")).into())
    }
}

fn numbers<const N: usize>(name: &str, value: &Value) -> Result<[f64; N], Malformed> {
    row(value, Value::as_f64).ok_or_else(|| wrong(name, &format!("{N} numbers"), value))
}

/// The `N` entries of an array, each converted by `entry`. `None` for another number of entries, another type, or an
/// entry that cannot be converted.
pub fn row<const N: usize, T>(value: &Value, entry: impl Fn(&Value) -> Option<T>) -> Option<[T; N]> {
    let entries: Vec<T> = value.as_array()?.iter().map(entry).collect::<Option<_>>()?;
    entries.try_into().ok()
}

/// The error that the field `name` has the value `found` instead of the `wanted` one, which is described in words.
pub fn wrong(name: &str, wanted: &str, found: &Value) -> Malformed {
    format!("its '{name}' is {}; it must be {wanted}", short(&found.to_string())).into()
}
