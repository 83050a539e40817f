//! Errors of models, with their place in the file.

use thiserror::Error;

use super::entries::LinkEntry;
use urdf_ik_text::names::{plain_words, sentence};

/// Number of characters kept at the start of a long message of the parser.
const HEAD_CHARACTERS: usize = 300;
/// Number of characters kept at the end of it.
const TAIL_CHARACTERS: usize = 60;

/// Why a model file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}{}: {}", .line.map(|line| format!(", line {line}")).unwrap_or_default(), sentence(reason))]
pub struct ModelError {
    /// Path of the file, or `the model`.
    pub place: String,
    /// Line of the error, from 1; `None` if unknown.
    pub line: Option<usize>,
    /// Reason, as the end of a sentence.
    pub reason: String,
}

/// An error without a line.
#[expect(clippy::needless_pass_by_value, reason = "an argument of map_err")]
pub(super) fn refused(reason: impl ToString) -> ModelError {
    ModelError { place: "the model".to_owned(), line: None, reason: reason.to_string() }
}

/// An error of the YAML parser, with its line separated from the message.
pub(super) fn refused_by_reader(error: &serde_yaml::Error) -> ModelError {
    let sentence = error.to_string();
    let Some(at) = error.location() else { return refused(sentence) };
    let end = format!(" at line {} column {}", at.line(), at.column());
    let words = plain_words(&sentence.replacen(&end, "", 1));
    ModelError { line: Some(at.line()), ..refused(shortened(words)) }
}

/// Shortens a message that quotes a long text.
fn shortened(sentence: String) -> String {
    let mut bounds = sentence.char_indices().map(|(at, _)| at);
    let (Some(begin), Some(end)) = (bounds.nth(HEAD_CHARACTERS), bounds.nth_back(TAIL_CHARACTERS - 1)) else {
        return sentence;
    };
    format!("{} … {}", &sentence[..begin], &sentence[end..])
}

impl ModelError {
    /// Replaces the index in a path such as `segments[0].length` by the name of the segment.
    pub(super) fn with_names(self, links: &[LinkEntry]) -> Self {
        let named = || {
            let (index, rest) = self.reason.strip_prefix("segments[")?.split_once(']')?;
            let name = &links.get(index.parse::<usize>().ok()?)?.name;
            let rest = rest.trim_start_matches(['.', ':', ' ']);
            (!name.is_empty()).then(|| format!("segment '{}': {rest}", &**name))
        };
        Self { reason: named().unwrap_or(self.reason), ..self }
    }
}
