//! The fields of a JSON object from outside, with errors that name them.

use serde_json::{Map, Value};

use urdf_ik_text::names::short;

/// The fields of an object, which are asked for one after the other. What was not asked for is unknown.
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of `object`.
    pub fn new(object: &'a Map<String, Value>) -> Self {
        Self { object, asked: Vec::new() }
    }

    pub fn text(&mut self, name: &'static str) -> Result<&'a str, String> {
        let value = self.value(name)?;
        value.as_str().ok_or_else(|| wrong(name, "a text", value))
    }

    pub fn number(&mut self, name: &'static str) -> Result<f64, String> {
        let value = self.value(name)?;
        value.as_f64().ok_or_else(|| wrong(name, "a number", value))
    }

    pub fn numbers<const N: usize>(&mut self, name: &'static str) -> Result<[f64; N], String> {
        let value = self.value(name)?;
        let numbers: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| wrong(name, &format!("{N} numbers"), value))
    }

    /// The numbers, or `default` where there is no such field.
    pub fn numbers_or<const N: usize>(&mut self, name: &'static str, default: [f64; N]) -> Result<[f64; N], String> {
        self.asked.push(name);
        if self.object.contains_key(name) { self.numbers(name) } else { Ok(default) }
    }

    /// Refuses fields that were not asked for.
    pub fn finish(self) -> Result<(), String> {
        match self.object.keys().find(|key| !self.asked.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                Err(format!("the field '{}' is unknown here; there are: {}", short(key), self.asked.join(", ")))
            }
        }
    }

    fn value(&mut self, name: &'static str) -> Result<&'a Value, String> {
        self.asked.push(name);
        self.object.get(name).ok_or_else(|| format!("the field '{name}' is missing"))
    }
}

fn wrong(name: &str, wanted: &str, found: &Value) -> String {
    format!("its '{name}' is {}; it must be {wanted}", short(&found.to_string()))
}
