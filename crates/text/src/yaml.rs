//! The reader of YAML texts from outside, after a check that it will not take long.

use thiserror::Error;

use crate::files::MAX_SETTINGS_BYTES;

/// Greatest number of opening brackets in a YAML text. They bound its depth, and the reader takes a time that grows
/// with the square of that: with this number some hundredths of a second.
const MAX_BRACKETS: usize = 4096;

/// Reason for which a YAML text is rejected before parsing: its size, or its nesting.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct YamlError(String);

/// A deserializer for a YAML text whose size and nesting are bounded, so that parsing is fast.
///
/// # Errors
/// [`YamlError`] if the text is too long, or may be nested too deeply.
pub fn yaml_reader(text: &str) -> Result<serde_yaml::Deserializer<'_>, YamlError> {
    if text.len() > MAX_SETTINGS_BYTES {
        return Err(YamlError(format!("it has {} bytes; at most {MAX_SETTINGS_BYTES} are read", text.len())));
    }
    let brackets = text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    if brackets > MAX_BRACKETS {
        return Err(YamlError(format!("it opens {brackets} brackets; at most {MAX_BRACKETS} are read")));
    }
    Ok(serde_yaml::Deserializer::from_str(text))
}
