//! Why a model was not read, and where.

use thiserror::Error;

use super::entries::Link;
use urdf_ik_text::names::{plain_words, sentence};

/// Greatest number of characters before what is left out of a sentence of the reader.
const BEGIN: usize = 300;
/// Number of characters after what is left out of a sentence of the reader.
const END: usize = 60;

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
    let words = plain_words(&sentence.replacen(&end, "", 1));
    ModelError { line: Some(at.line()), ..refused(without_middle(words)) }
}

/// A sentence without the middle of a long text that it quotes.
fn without_middle(sentence: String) -> String {
    let mut bounds = sentence.char_indices().map(|(at, _)| at);
    let (Some(begin), Some(end)) = (bounds.nth(BEGIN), bounds.nth_back(END - 1)) else { return sentence };
    format!("{} … {}", &sentence[..begin], &sentence[end..])
}

impl ModelError {
    /// The error with the name of the segment where the reader counts: `segments[0].length` is the length of the first of `links`.
    pub(super) fn with_names(self, links: &[Link]) -> Self {
        let named = || {
            let (index, rest) = self.reason.strip_prefix("segments[")?.split_once(']')?;
            let name = &links.get(index.parse::<usize>().ok()?)?.name;
            let rest = rest.trim_start_matches(['.', ':', ' ']);
            (!name.is_empty()).then(|| format!("segment '{}': {rest}", &**name))
        };
        Self { reason: named().unwrap_or(self.reason), ..self }
    }
}
