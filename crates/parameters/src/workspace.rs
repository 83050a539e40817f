//! The workspace of the servo: a box in the base link's frame, in YAML text and as standing goals.

use nalgebra::{Matrix3, Vector3};
use serde::Deserialize;

use super::value::Refusal;
use urdf_ik_goals::{Between, Goal, GoalError, Place, Position};
use urdf_ik_robot::Chain;
use urdf_ik_text::names::{plain_words, sentence};
use urdf_ik_text::yaml::yaml_reader;

/// Smallest edge of a workspace \[m\].
const MIN_EDGE: f64 = 0.01;
/// Names of the axes.
const AXES: [char; 3] = ['x', 'y', 'z'];

/// A box that tips do not leave, with the axes of the base link's frame. Each side may be unbounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workspace {
    /// The lower corner: x, y, z in the base link's frame \[m\]. −∞ leaves that side unbounded.
    pub min: [f64; 3],
    /// The upper corner: x, y, z in the base link's frame \[m\]. +∞ leaves that side unbounded.
    pub max: [f64; 3],
}

impl Default for Workspace {
    /// No bounds.
    fn default() -> Self {
        Self { min: [f64::NEG_INFINITY; 3], max: [f64::INFINITY; 3] }
    }
}

/// The corners of a box \[m\], unchecked.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Corners {
    min: [f64; 3],
    max: [f64; 3],
}

impl Default for Corners {
    fn default() -> Self {
        let Workspace { min, max } = Workspace::default();
        Self { min, max }
    }
}

impl Workspace {
    /// The box between two corners.
    ///
    /// # Errors
    /// [`Refusal`] for an axis along which the box is empty or thinner than 1 cm, or a coordinate is NaN.
    fn new(min: [f64; 3], max: [f64; 3]) -> Result<Self, Refusal> {
        // Written so that NaN fails, and with it the difference of equal infinities.
        let is_wide = |axis: &usize| max[*axis] - min[*axis] >= MIN_EDGE;
        let Some(axis) = (0..3).find(|axis| !is_wide(axis)) else { return Ok(Self { min, max }) };
        Err(Refusal(format!(
            "the workspace extends from {} to {} m along {}; max must exceed min by at least {MIN_EDGE} m",
            min[axis], max[axis], AXES[axis]
        )))
    }

    /// A standing goal for each tip of `chain`: the origin of its frame, including the tool, lies inside the box. There
    /// are none for a box without bounds.
    ///
    /// # Errors
    /// [`GoalError`] if the corners are invalid.
    pub fn goals(&self, chain: &Chain) -> Result<Vec<Goal>, GoalError> {
        let tips = if *self == Self::default() { &[] } else { chain.tips() };
        let goal = |(index, tip): (usize, &urdf_ik_robot::Tip)| {
            let between = Between { link: Place::of_tip(chain, index), point: Vector3::zeros(), frame: Place::base() };
            let (centre, axes) = (Vector3::zeros(), Matrix3::identity());
            let inside = Position { between, centre, axes, lower: self.min, upper: self.max };
            Ok(Goal::new(&format!("servo.workspace of {}", tip.link), inside)?.standing())
        };
        tips.iter().enumerate().map(goal).collect()
    }
}

/// Reads a workspace from YAML; an empty text has no bounds.
///
/// # Errors
/// [`Refusal`] if the text is not a YAML mapping with corners, or they do not span a box.
pub(super) fn workspace_from_text(text: &str) -> Result<Workspace, Refusal> {
    if text.trim().is_empty() {
        return Ok(Workspace::default());
    }
    let expected = "it must be a box with two corners, such as {min: [-1, -1, 0], max: [1, 1, 1.5]}";
    let refuse = |reason: String| Refusal(format!("{expected}: {}", sentence(&plain_words(&reason))));
    let reader = yaml_reader(text).map_err(|e| refuse(e.to_string()))?;
    let Corners { min, max } = Corners::deserialize(reader).map_err(|e| refuse(e.to_string()))?;
    Workspace::new(min, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_has_two_corners_or_one() {
        let both = workspace_from_text("{min: [-1, -0.5, 0], max: [1, .inf, 2]}").unwrap();
        assert_eq!([both.min, both.max], [[-1.0, -0.5, 0.0], [1.0, f64::INFINITY, 2.0]]);
        let above_the_table = workspace_from_text("min: [-.inf, -.inf, 0.05]").unwrap();
        assert_eq!((above_the_table.min[2], above_the_table.max), (0.05, Workspace::default().max));
        for empty in ["", " ", "{}"] {
            assert_eq!(workspace_from_text(empty), Ok(Workspace::default()));
        }
    }

    #[test]
    fn a_box_has_edges() {
        let error = Workspace::new([0.0; 3], [1.0, 0.005, 1.0]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the workspace extends from 0 to 0.005 m along y; max must exceed min by at least 0.01 m"
        );
        assert!(Workspace::new([-1.0, 0.0, 0.0], [1.0, 1.0, f64::INFINITY]).is_ok());
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
