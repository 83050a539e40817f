//! The value of a parameter, and the sentence that refuses one.

use std::fmt;

use thiserror::Error;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value: it means the default. An empty array in a parameter file arrives as this.
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
    /// A value of a type that no parameter has, with the name of the type.
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

/// Why a value was refused: a sentence for the caller that set it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Refusal(pub String);
