//! The reader of YAML texts from outside, after a check that it will not take long.

use crate::files::MAX_SETTINGS_BYTES;

/// Greatest number of opening brackets in a YAML text. They bound its depth, and the reader takes a time that grows with the square of
/// that: with this number some hundredths of a second.
const MAX_BRACKETS: usize = 4096;

/// The reader of a YAML text, after a check that it will not take long.
///
/// # Errors
/// A sentence about a text that is too long, or that may be nested too deep.
pub fn yaml_reader(text: &str) -> Result<serde_yaml::Deserializer<'_>, String> {
    if text.len() > MAX_SETTINGS_BYTES {
        return Err(format!("it has {} bytes; at most {MAX_SETTINGS_BYTES} are read", text.len()));
    }
    let brackets = text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    if brackets > MAX_BRACKETS {
        return Err(format!("it opens {brackets} brackets; at most {MAX_BRACKETS} are read"));
    }
    Ok(serde_yaml::Deserializer::from_str(text))
}
