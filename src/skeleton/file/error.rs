//! Why a model was not read, and where.

use thiserror::Error;

use crate::names::sentence;

/// Why a model was not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}{}: {}", .line.map(|line| format!(", line {line}")).unwrap_or_default(), sentence(reason))]
pub struct ModelError {
    /// The path of the file, or what else the text is.
    pub place: String,
    /// The line where it is wrong, from 1, if one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

/// The error of a text where no line is to blame.
#[expect(clippy::needless_pass_by_value, reason = "an argument of map_err")]
pub(super) fn refused(reason: impl ToString) -> ModelError {
    ModelError { place: "the model".to_owned(), line: None, reason: reason.to_string() }
}

/// The error of the YAML reader, its line apart from its sentence.
pub(super) fn refused_by_reader(error: &serde_yaml::Error) -> ModelError {
    let sentence = error.to_string();
    let Some(at) = error.location() else { return refused(sentence) };
    let end = format!(" at line {} column {}", at.line(), at.column());
    ModelError { line: Some(at.line()), ..refused(sentence.replacen(&end, "", 1)) }
}
