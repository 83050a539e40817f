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
        let name = self.name;
        let value = match (self.default, value) {
            (_, Value::NotSet) => self.default_value(),
            (Double(_), value) => value.number_as_double(),
            (Integer(_), value) => value.number_as_integer(),
            (_, value) => value,
        };
        let expected = self.default_value().type_name();
        if value.type_name() != expected {
            return Err(Refusal(format!("{name} takes a {expected}, not a {}", value.type_name())));
        }
        if self.allows(&value) {
            return Ok(value);
        }
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        Err(Refusal(format!(
            "{name} must be {} {}{unit}; it was set to {}",
            self.bounds_kind(),
            self.bounds_text(),
            sentence(&value.to_string())
        )))
    }

    /// Whether a value of the parameter's type satisfies the bounds.
    fn allows(&self, value: &Value) -> bool {
        match (value, self.bounds) {
            (_, Any) => true,
            (Value::Double(number), Range(least, greatest)) => (least..=greatest).contains(number),
            #[expect(clippy::cast_precision_loss, reason = "the nearest double decides the same way")]
            (Value::Integer(number), Range(least, greatest)) => (least..=greatest).contains(&(*number as f64)),
            (Value::Text(text), OneOf(words)) => words.contains(&text.as_str()),
            // A list of one empty text is how launch files write an empty list.
            (Value::Texts(texts), OneOf(words)) => {
                texts.iter().all(|text| text.is_empty() || words.contains(&text.as_str()))
            }
            _ => false,
        }
    }
}

/// A parameter that can be set while the node runs; the next target uses it.
pub(super) const fn live(
    name: &'static str,
    default: DefaultValue,
    unit: &'static str,
    bounds: Bounds,
    sentence: &'static str,
) -> Definition {
    Definition { name, default, unit, bounds, takes_effect: TakesEffect::WithNextTarget, sentence }
}

/// The same for a parameter that takes effect without a target.
pub(super) const fn at_once(live: Definition) -> Definition {
    Definition { takes_effect: TakesEffect::AtOnce, ..live }
}

/// A parameter that is read when the node starts.
pub(super) const fn at_start(
    name: &'static str,
    default: DefaultValue,
    bounds: Bounds,
    sentence: &'static str,
) -> Definition {
    Definition { name, default, unit: "", bounds, takes_effect: TakesEffect::AtStart, sentence }
}
