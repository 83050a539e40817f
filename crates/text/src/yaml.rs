//! The reader of YAML texts from outside, after a check that it will not take long.

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::files::MAX_SETTINGS_BYTES;

/// Greatest number of opening brackets in a YAML text. They bound its depth, and the reader takes a time that grows
/// with the square of that: with this number some hundredths of a second.
const MAX_BRACKETS: usize = 4096;

/// Why a YAML text is rejected: its size or nesting, before parsing, or its content.
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

/// The JSON value of a YAML text, which may also be JSON.
///
/// # Errors
/// [`YamlError`] as for [`yaml_reader`], and if the text is not YAML, repeats a key, or has a number that is not
/// finite: JSON would have null in its place.
pub fn json_from_yaml(text: &str) -> Result<Value, YamlError> {
    let value = serde_yaml::Value::deserialize(yaml_reader(text)?).map_err(|e| YamlError(e.to_string()))?;
    if let Some(number) = not_finite(&value) {
        return Err(YamlError(format!("it has the number {number}; numbers must be finite")));
    }
    serde_json::to_value(value).map_err(|e| YamlError(e.to_string()))
}

/// A number that is NaN or infinite, at any depth.
fn not_finite(value: &serde_yaml::Value) -> Option<f64> {
    match value {
        serde_yaml::Value::Number(number) => number.as_f64().filter(|number| !number.is_finite()),
        serde_yaml::Value::Sequence(values) => values.iter().find_map(not_finite),
        serde_yaml::Value::Mapping(fields) => fields.values().find_map(not_finite),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_and_yaml_have_the_same_value() {
        let expected = json!({"type": "cone", "axis": [0, 0, 1], "angle": 0.1, "link": null});
        for text in [&expected.to_string(), "{type: cone, axis: [0, 0, 1], angle: 0.1, link: }"] {
            assert_eq!(json_from_yaml(text), Ok(expected.clone()));
        }
    }

    #[test]
    fn numbers_and_keys_are_not_lost() {
        let message = |text: &str| json_from_yaml(text).unwrap_err().to_string();
        for (text, words) in [
            ("{lower: [0, .nan, 0]}", "NaN"),
            ("{lower: {a: [.inf]}}", "inf"),
            ("{a: 1, a: 2}", "duplicate"),
            ("{a: ", "line 2"),
            ("--- {a: 1}\n--- {a: 2}\n", "more than one document"),
        ] {
            assert!(message(text).contains(words), "{text}: {}", message(text));
        }
        assert!(message(&"[".repeat(50_000)).contains("brackets"));
    }
}
