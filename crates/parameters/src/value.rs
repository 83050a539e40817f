//! Parameter values and their refusal.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use urdf_ik_text::names;

/// Largest magnitude below which a double represents all integers.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Not set: the default applies. Parameter files encode an empty array as an unset value.
    NotSet,
    /// A `bool`.
    Bool(bool),
    /// An `integer`.
    Integer(i64),
    /// A `double`.
    Double(f64),
    /// A `string`.
    Text(Cow<'static, str>),
    /// A `string_array`.
    Texts(Vec<String>),
    /// A value of a type that no parameter has, with the ROS 2 name of that type.
    Other(&'static str),
}

impl Value {
    /// ROS 2 name of the type.
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

    /// An integer or the text of a number as a double. `ros2 param` sends `1e-5` as a text.
    pub(super) fn number_as_double(self) -> Self {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "bounds of doubles lie far below 2^52")]
            Self::Integer(value) => Self::Double(value as f64),
            Self::Text(text) => text.trim().parse().map_or(Self::Text(text), Self::Double),
            other => other,
        }
    }

    /// The text of a whole number, such as `1e6`, as an integer.
    pub(super) fn number_as_integer(self) -> Self {
        let Self::Text(text) = self else { return self };
        if let Ok(value) = text.trim().parse() {
            return Self::Integer(value);
        }
        match text.trim().parse::<f64>() {
            #[expect(clippy::cast_possible_truncation, reason = "whole and small enough to be exact")]
            Ok(value) if value.fract() == 0.0 && value.abs() <= MAX_EXACT_INTEGER => Self::Integer(value as i64),
            _ => Self::Text(text),
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
            Self::Text(value) => write!(f, "\"{}\"", names::short(value)),
            Self::Texts(values) => write!(f, "[{}]", names::list(values)),
        }
    }
}

/// Why a value is rejected, as a message for the caller.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Refusal(pub String);
