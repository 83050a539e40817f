//! What a parameter is: name, type, default, unit, bounds and sentence; and the check of a value against it.

use super::value::{Refusal, Value};
use Bounds::{Any, OneOf, Range};
use DefaultValue::{Bool, Double, Integer, NoTexts, Text};
use urdf_ik_text::names::{number, sentence};

/// A parameter's default, which also fixes its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DefaultValue {
    /// `bool`
    Bool(bool),
    /// `integer`
    Integer(i64),
    /// `double`
    Double(f64),
    /// `string`
    Text(&'static str),
    /// `string_array`, empty
    NoTexts,
}

/// What a parameter's value must satisfy beyond its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bounds {
    /// Nothing.
    Any,
    /// A number between both, included.
    Range(f64, f64),
    /// One of these words; of a list, each.
    OneOf(&'static [&'static str]),
}

/// When a parameter's value takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakesEffect {
    /// It is read when the node starts, and cannot be set later.
    AtStart,
    /// It can be set while the node runs. The next target, request or reset uses it.
    WithNextTarget,
    /// It can be set while the node runs, and takes effect without a target.
    AtOnce,
}

impl TakesEffect {
    /// The word for it in the table: `start`, `live` or `at once`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::AtStart => "start",
            Self::WithNextTarget => "live",
            Self::AtOnce => "at once",
        }
    }
}

/// One parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Definition {
    /// Name, nested by dots.
    pub name: &'static str,
    /// Default and type.
    pub default: DefaultValue,
    /// Unit, or nothing.
    pub unit: &'static str,
    /// What a value must satisfy.
    pub bounds: Bounds,
    /// When a value takes effect.
    pub takes_effect: TakesEffect,
    /// What it does.
    pub sentence: &'static str,
}

impl Definition {
    /// The default as a value.
    #[must_use]
    pub fn default_value(&self) -> Value {
        match self.default {
            Bool(value) => Value::Bool(value),
            Integer(value) => Value::Integer(value),
            Double(value) => Value::Double(value),
            Text(value) => Value::Text(value.to_owned()),
            NoTexts => Value::Texts(Vec::new()),
        }
    }

    /// The words before the bounds in a sentence: `from`, `one of` or `some of`.
    #[must_use]
    pub fn bounds_kind(&self) -> &'static str {
        match (self.bounds, self.default) {
            (OneOf(_), NoTexts) => "some of",
            (OneOf(_), _) => "one of",
            _ => "from",
        }
    }

    /// The bounds as text.
    #[must_use]
    pub fn bounds_text(&self) -> String {
        match self.bounds {
            Any => String::new(),
            Range(least, greatest) => format!("{} to {}", number(least), number(greatest)),
            OneOf(words) => words.join(", "),
        }
    }

    /// The value as the parameter takes it: not set means the default, an integer passes for a double, and the text of a number for the
    /// number.
    ///
    /// # Errors
    /// A [`Refusal`] that names the parameter, and the type or bounds that the value misses.
    pub fn check(&self, value: Value) -> Result<Value, Refusal> {
        let value = match (self.default, value) {
            (_, Value::NotSet) => self.default_value(),
            (Double(_), value) => value.number_as_double(),
            (Integer(_), value) => value.number_as_integer(),
            // Launch files write an empty list as a list of one empty text.
            (NoTexts, Value::Texts(texts)) => Value::Texts(texts.into_iter().filter(|text| !text.is_empty()).collect()),
            (_, value) => value,
        };
        if value.type_name() != self.default_value().type_name() {
            return Err(self.of_wrong_type(&value));
        }
        if self.allows(&value) { Ok(value) } else { Err(self.out_of_bounds(&value)) }
    }

    pub(super) fn of_wrong_type(&self, value: &Value) -> Refusal {
        let expected = self.default_value().type_name();
        let article = if expected == "integer" { "an" } else { "a" };
        Refusal(format!("{} takes {article} {expected}, not a {}", self.name, value.type_name()))
    }

    pub(super) fn out_of_bounds(&self, value: &Value) -> Refusal {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let bounds = format!("{} {}{unit}", self.bounds_kind(), self.bounds_text());
        Refusal(format!("{} must be {bounds}; it was set to {}", self.name, sentence(&value.to_string())))
    }

    /// Whether a value of the parameter's type satisfies the bounds.
    fn allows(&self, value: &Value) -> bool {
        match (value, self.bounds) {
            (_, Any) => true,
            (Value::Double(number), Range(least, greatest)) => (least..=greatest).contains(number),
            #[expect(clippy::cast_precision_loss, reason = "the nearest double decides the same way")]
            (Value::Integer(number), Range(least, greatest)) => (least..=greatest).contains(&(*number as f64)),
            (Value::Text(text), OneOf(words)) => words.contains(&text.as_str()),
            (Value::Texts(texts), OneOf(words)) => texts.iter().all(|text| words.contains(&text.as_str())),
            _ => false,
        }
    }
}
