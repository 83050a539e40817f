//! The reader of YAML texts from outside, after a check that it will not take long.

use thiserror::Error;

use crate::files::MAX_SETTINGS_BYTES;

/// Greatest number of opening brackets in a YAML text. They bound its depth, and the reader takes a time that grows
/// with the square of that: with this number some hundredths of a second.
const MAX_BRACKETS: usize = 4096;

/// Why a YAML text is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum YamlError {
    /// It is too long for a text of settings.
    #[error("it has {bytes} bytes; at most {MAX_SETTINGS_BYTES} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It may be nested too deep.
    #[error("it opens {brackets} brackets; at most {MAX_BRACKETS} are read")]
    TooManyBrackets {
        /// How many it opens.
        brackets: usize,
    },
}

/// The reader of a YAML text, after a check that it will not take long.
///
/// # Errors
/// [`YamlError`] for a text that is too long, or that may be nested too deep.
pub fn yaml_reader(text: &str) -> Result<serde_yaml::Deserializer<'_>, YamlError> {
    if text.len() > MAX_SETTINGS_BYTES {
        return Err(YamlError::TooLong { bytes: text.len() });
    }
    let brackets = text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    if brackets > MAX_BRACKETS {
        return Err(YamlError::TooManyBrackets { brackets });
    }
    Ok(serde_yaml::Deserializer::from_str(text))
}
