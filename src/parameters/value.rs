//! Parameter values and their check against the table.

use std::fmt;

use thiserror::Error;

use super::table::{Bounds, DefaultValue, Definition, TABLE};

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value; stands for the default. An empty array in a parameter file arrives so.
    NotSet,
    /// `bool`
    Bool(bool),
    /// `integer`
    Integer(i64),
    /// `double`
    Double(f64),
    /// `string`
    Text(String),
    /// `string_array`
    Texts(Vec<String>),
    /// A type that no parameter has, by name.
    Other(&'static str),
}

impl Value {
    /// ROS 2's name of the type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::NotSet => "not set",
            Self::Bool(_) => "bool",
            Self::Integer(_) => "integer",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Texts(_) => "string_array",
            Self::Other(name) => name,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NotSet | Self::Other(_) => f.write_str(self.type_name()),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Double(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "\"{value}\""),
            Self::Texts(values) => write!(f, "{values:?}"),
        }
    }
}

/// Why a value was refused: the sentence that goes back to whoever set it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Refusal(pub String);

impl Definition {
    /// The value as the parameter takes it: not set means the default, an integer passes for a double.
    ///
    /// # Errors
    /// A [`Refusal`] that names the parameter, and the type or bounds that the value misses.
    pub fn check(&self, value: Value) -> Result<Value, Refusal> {
        let name = self.name;
        let value = match (self.default, value) {
            (_, Value::NotSet) => self.default_value(),
            #[expect(clippy::cast_precision_loss, reason = "bounds of doubles lie far below 2^52")]
            (DefaultValue::Double(_), Value::Integer(value)) => Value::Double(value as f64),
            (_, value) => value,
        };
        let expected = self.default_value().type_name();
        if value.type_name() != expected {
            return Err(Refusal(format!("{name} takes a {expected}, not a {}", value.type_name())));
        }
        let fits = match (&value, self.bounds) {
            (_, Bounds::Any) => true,
            (Value::Double(number), Bounds::Range(least, greatest)) => (least..=greatest).contains(number),
            #[expect(clippy::cast_precision_loss, reason = "the nearest double decides the same way")]
            (Value::Integer(number), Bounds::Range(least, greatest)) => (least..=greatest).contains(&(*number as f64)),
            (Value::Text(text), Bounds::OneOf(words)) => words.contains(&text.as_str()),
            // A list of one empty text is how launch files write an empty list.
            (Value::Texts(texts), Bounds::OneOf(words)) => {
                texts.iter().all(|text| text.is_empty() || words.contains(&text.as_str()))
            }
            _ => false,
        };
        if fits {
            return Ok(value);
        }
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        Err(Refusal(format!(
            "{name} must be {} {}{unit}; it was set to {value}",
            self.bounds_kind(),
            self.bounds_text()
        )))
    }
}

/// A value for every parameter of the [`TABLE`].
#[derive(Debug, Clone, PartialEq)]
pub struct Values(Vec<Value>);

impl Default for Values {
    fn default() -> Self {
        Self(TABLE.iter().map(Definition::default_value).collect())
    }
}

impl Values {
    /// The value of the parameter `name`; `None` where there is no such parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        index_of(name).map(|index| &self.0[index])
    }

    /// Sets a parameter after checking the value.
    ///
    /// # Errors
    /// A [`Refusal`] where there is no such parameter or the value does not fit it; nothing is changed then.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), Refusal> {
        let index = index_of(name).ok_or_else(|| Refusal(format!("there is no parameter {name}")))?;
        self.0[index] = TABLE[index].check(value)?;
        Ok(())
    }
}

fn index_of(name: &str) -> Option<usize> {
    TABLE.iter().position(|parameter| parameter.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str, value: Value) -> String {
        Values::default().set(name, value).unwrap_err().0
    }

    #[test]
    fn an_integer_passes_for_a_double_and_nothing_for_the_default() {
        let mut values = Values::default();
        values.set("publish_rate", Value::Integer(10)).unwrap();
        assert_eq!(values.get("publish_rate"), Some(&Value::Double(10.0)));
        values.set("publish_rate", Value::NotSet).unwrap();
        assert_eq!(values.get("publish_rate"), Some(&Value::Double(50.0)));
        values.set("tip_links", Value::NotSet).unwrap();
        assert_eq!(values.get("tip_links"), Some(&Value::Texts(Vec::new())));
    }

    #[test]
    fn refusals_name_parameter_and_bounds() {
        assert_eq!(
            refusal("position_tolerance", Value::Double(-1.0)),
            "position_tolerance must be from 0.000000001 to 1 m; it was set to -1.0"
        );
        assert_eq!(
            refusal("on_unreachable", Value::Text("panic".into())),
            "on_unreachable must be one of closest, hold; it was set to \"panic\""
        );
        assert_eq!(refusal("timeout", Value::Text("long".into())), "timeout takes a double, not a string");
        assert_eq!(refusal("colour", Value::Bool(true)), "there is no parameter colour");
        assert!(refusal("timeout", Value::Double(f64::NAN)).contains("must be from 0.0001 to 60 s"));
        assert!(refusal("attempts", Value::Integer(0)).contains("must be from 1"));
        assert_eq!(
            refusal("free_axes", Value::Texts(vec!["rz".into(), "yaw".into()])),
            "free_axes must be some of x, y, z, rx, ry, rz; it was set to [\"rz\", \"yaw\"]"
        );
    }
}
