//! The workspace of the servo in YAML text.

use nalgebra::Vector3;
use serde::Deserialize;

use super::value::Refusal;
use urdf_ik_motion::Workspace;
use urdf_ik_text::names::{plain_words, sentence};
use urdf_ik_text::yaml::yaml_reader;

/// The corners of a box \[m\].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corners {
    #[serde(default = "no_lower_bound")]
    min: [f64; 3],
    #[serde(default = "no_upper_bound")]
    max: [f64; 3],
}

fn no_lower_bound() -> [f64; 3] {
    [f64::NEG_INFINITY; 3]
}

fn no_upper_bound() -> [f64; 3] {
    [f64::INFINITY; 3]
}

/// Reads a workspace from YAML; an empty text has no bounds.
///
/// # Errors
/// [`Refusal`] if the text is not a YAML mapping with corners, or they do not span a box.
pub(super) fn workspace_from_text(text: &str) -> Result<Workspace, Refusal> {
    if text.trim().is_empty() {
        return Ok(Workspace::UNBOUNDED);
    }
    let expected = "it must be a box with two corners, such as {min: [-1, -1, 0], max: [1, 1, 1.5]}";
    let refuse = |reason: String| Refusal(format!("{expected}: {}", sentence(&plain_words(&reason))));
    let reader = yaml_reader(text).map_err(|e| refuse(e.to_string()))?;
    let Corners { min, max } = Corners::deserialize(reader).map_err(|e| refuse(e.to_string()))?;
    Workspace::new(Vector3::from(min), Vector3::from(max)).map_err(|error| Refusal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_has_two_corners_or_one() {
        let both = workspace_from_text("{min: [-1, -0.5, 0], max: [1, .inf, 2]}").unwrap();
        assert_eq!([both.min(), both.max()], [[-1.0, -0.5, 0.0], [1.0, f64::INFINITY, 2.0]].map(Vector3::from));
        let above_the_table = workspace_from_text("min: [-.inf, -.inf, 0.05]").unwrap();
        assert_eq!((above_the_table.min().z, above_the_table.max()), (0.05, Workspace::UNBOUNDED.max()));
        for empty in ["", " ", "{}"] {
            assert_eq!(workspace_from_text(empty), Ok(Workspace::UNBOUNDED));
        }
    }

    #[test]
    fn a_text_that_is_no_workspace_is_refused_with_the_reason() {
        let message = |text: &str| workspace_from_text(text).unwrap_err().to_string();
        for (text, words) in [
            ("[1, 2, 3]", "it must be a box with two corners"),
            ("{min: [0, 0]}", "length 2"),
            ("{min: [0, 0, low]}", "expected a number"),
            ("{least: [0, 0, 0]}", "unknown field `least`"),
            ("{min: [0, 0, 0], min: [1, 1, 1]}", "duplicate field `min`"),
            ("{min: [0, 0, 1], max: [1, 1, 0.5]}", "from 1 to 0.5 m along z"),
            ("{min: [.nan, 0, 0]}", "from NaN to inf m along x"),
            ("{min: [.inf, 0, 0]}", "from inf to inf m along x"),
            ("{max: [0, -.inf, 0]}", "from -inf to -inf m along y"),
        ] {
            assert!(message(text).contains(words), "{text}: {}", message(text));
        }
        assert!(message(&"[".repeat(50_000)).contains("brackets"));
        assert!(message(&"x".repeat(100_000)).len() < 2000);
    }
}
