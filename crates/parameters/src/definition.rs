//! Definition of a parameter (name, type, default, unit, bounds, description), validation of values, and
//! the set of values.

use std::collections::BTreeMap;
use std::fmt::Display;

use ValueBounds::{Any, OneOf, Range};

use super::value::{Refusal, Value};
use urdf_ik_text::named_values;
use urdf_ik_text::names::{number, sentence};

/// Constraint of a parameter's value beyond its type.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ValueBounds {
    /// No constraint.
    Any,
    /// A number in this closed interval (lower and upper end), in the parameter's unit.
    Range(f64, f64),
    /// One of these words; for a list, each element is one of them.
    OneOf(&'static [&'static str]),
}

named_values! {
    /// Time at which a parameter's value takes effect, named as in the documentation.
    #[non_exhaustive]
    pub enum TakesEffect("time", "times") {
        /// At start-up only: read-only at run time.
        AtStart = "start",
        /// At the next target, request or reset.
        WithNextTarget = "live",
        /// Immediately.
        AtOnce = "at once",
    }
}

/// The definition of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Name of the parameter, including its groups, separated by dots.
    pub name: &'static str,
    /// Default value, which also determines the type.
    pub default: Value,
    /// Unit as text, such as `m/s`; empty if dimensionless.
    pub unit: &'static str,
    /// Constraint of the value.
    pub bounds: ValueBounds,
    /// Time at which a value takes effect.
    pub takes_effect: TakesEffect,
    /// Description of the parameter as a sentence.
    pub sentence: &'static str,
}

impl Definition {
    /// The words that precede the bounds in a sentence: `from`, `one of` or `some of`.
    pub fn bounds_kind(&self) -> &'static str {
        match (self.bounds, &self.default) {
            (OneOf(_), Value::Texts(_)) => "some of",
            (OneOf(_), _) => "one of",
            _ => "from",
        }
    }

    /// The bounds as text, in the parameter's unit; empty if there are none.
    pub fn bounds_text(&self) -> String {
        match self.bounds {
            Any => String::new(),
            Range(least, greatest) => format!("{} to {}", number(least), number(greatest)),
            OneOf(words) => words.join(", "),
        }
    }

    /// Validates and converts a value. An unset value becomes the default; where the type requires it, an integer
    /// becomes a double, and the text of a number becomes that number.
    ///
    /// # Errors
    /// [`Refusal`] if the value has the wrong type or is out of bounds, with the name of the parameter.
    pub fn check(&self, value: Value) -> Result<Value, Refusal> {
        let value = match (&self.default, value) {
            (default, Value::NotSet) => default.clone(),
            (Value::Double(_), value) => value.number_as_double(),
            (Value::Integer(_), value) => value.number_as_integer(),
            // Launch files write an empty list as a list of one empty text.
            (_, Value::Texts(texts)) => Value::Texts(texts.into_iter().filter(|text| !text.is_empty()).collect()),
            (_, value) => value,
        };
        if value.type_name() != self.default.type_name() {
            return Err(self.of_wrong_type(&value));
        }
        if self.allows(&value) { Ok(value) } else { Err(self.out_of_bounds(&value)) }
    }

    /// The refusal of a value of this parameter, with the `reason`.
    pub fn refuse(&self, reason: impl Display) -> Refusal {
        Refusal(format!("{}: {reason}", self.name))
    }

    pub(super) fn of_wrong_type(&self, value: &Value) -> Refusal {
        let expected = self.default.type_name();
        let article = if expected == "integer" { "an" } else { "a" };
        Refusal(format!("{} takes {article} {expected}, not a {}", self.name, value.type_name()))
    }

    pub(super) fn out_of_bounds(&self, value: &Value) -> Refusal {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let bounds = format!("{} {}{unit}", self.bounds_kind(), self.bounds_text());
        Refusal(format!("{} must be {bounds}; it was set to {}", self.name, sentence(&value.to_string())))
    }

    /// True if a value of the parameter's type satisfies the bounds.
    fn allows(&self, value: &Value) -> bool {
        match (value, self.bounds) {
            (_, Any) => true,
            (Value::Double(number), Range(least, greatest)) => (least..=greatest).contains(number),
            #[expect(clippy::cast_precision_loss, reason = "the nearest double decides the same way")]
            (Value::Integer(number), Range(least, greatest)) => (least..=greatest).contains(&(*number as f64)),
            (Value::Text(text), OneOf(words)) => words.contains(&&**text),
            (Value::Texts(texts), OneOf(words)) => texts.iter().all(|text| words.contains(&text.as_str())),
            _ => false,
        }
    }
}

/// Values of all parameters in the [`TABLE`](super::TABLE); unset ones have their defaults.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values(pub(super) BTreeMap<&'static str, Value>);

impl Values {
    /// The value of the parameter `parameter`.
    pub fn of(&self, parameter: &Definition) -> Value {
        self.0.get(parameter.name).cloned().unwrap_or_else(|| parameter.default.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn refusal(name: &str, value: Value) -> String {
        Values::default().set(name, value).unwrap_err().0
    }

    #[test]
    fn an_integer_passes_for_a_double_and_nothing_for_the_default() {
        let mut values = Values::default();
        values.set("publish_rate", Value::Integer(10)).unwrap();
        assert_eq!(values.of(Settings::publish_rate()), Value::Double(10.0));
        values.set("publish_rate", Value::NotSet).unwrap();
        assert_eq!(values.of(Settings::publish_rate()), Value::Double(50.0));
        values.set("tip_links", Value::NotSet).unwrap();
        assert_eq!(values.of(Settings::tip_links()), Value::Texts(Vec::new()));
    }

    #[test]
    fn the_text_of_a_number_passes_for_the_number() {
        let mut values = Values::default();
        for (name, text, value) in [
            ("position_tolerance", "1e-05", Value::Double(1e-5)),
            ("timeout", " 1 ", Value::Double(1.0)),
            ("attempts", "7", Value::Integer(7)),
            ("attempts", "1e6", Value::Integer(1_000_000)),
            ("random_seed", "9000000000000000", Value::Integer(9_000_000_000_000_000)),
        ] {
            let parameter = values.set(name, Value::Text(text.into())).unwrap();
            assert_eq!(values.of(parameter), value);
        }
        for (name, text) in [("attempts", "2.5"), ("attempts", "many"), ("attempts", "1e300"), ("attempts", "")] {
            assert_eq!(refusal(name, Value::Text(text.into())), format!("{name} takes an integer, not a string"));
        }
        assert!(refusal("timeout", Value::Text("nan".into())).contains("from 0.0001 to 60 s; it was set to NaN"));
        assert!(refusal("timeout", Value::Text("1e300".into())).ends_with("it was set to 1e300"));
        assert!(refusal("solver", Value::Text("x".repeat(1_000_000).into())).len() < 300);
        assert!(refusal(&"x".repeat(1_000_000), Value::NotSet).len() < 300);
    }

    #[test]
    fn refusals_name_parameter_and_bounds() {
        assert_eq!(
            refusal("position_tolerance", Value::Double(-1.0)),
            "position_tolerance must be from 0.000000001 to 1 m; it was set to -1.0"
        );
        assert_eq!(
            refusal("on_unreachable", Value::Text("panic".into())),
            "on_unreachable must be one of closest, position, hold; it was set to \"panic\""
        );
        assert_eq!(refusal("timeout", Value::Text("long".into())), "timeout takes a double, not a string");
        assert_eq!(refusal("colour", Value::Bool(true)), "there is no parameter colour");
        assert!(refusal("timeout", Value::Double(f64::NAN)).contains("must be from 0.0001 to 60 s"));
        assert!(refusal("attempts", Value::Integer(0)).contains("must be from 1"));
        assert_eq!(
            refusal("free_axes", Value::Texts(vec!["rz".into(), "yaw".into()])),
            "free_axes must be some of x, y, z, rx, ry, rz; it was set to [rz, yaw]"
        );
    }
}
