//! The appearance of a handle and its messages: colour and text show the outcome of the latest target of its tip.

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::{Quaternion, Vector3};
use r2r::std_msgs::msg::{ColorRGBA, Header};
use r2r::visualization_msgs::msg::{InteractiveMarker, InteractiveMarkerControl, InteractiveMarkerPose, Marker};

use super::menu;
use crate::messages::{TargetAxes, convert};
use crate::reports::{LatestTarget, StatusColour};
use crate::ros::constants;
use urdf_ik_solver::SolverKind;
use urdf_ik_text::names;

constants! { u8: InteractiveMarkerControl { VIEW_FACING, MOVE_AXIS, ROTATE_AXIS, MOVE_3D, ROTATE_3D } }

/// Diameter of the ball relative to the size of the handle.
const BALL: f64 = 0.4;
/// Opacity of the ball: the tool of the robot should stay visible.
const BALL_OPACITY: f32 = 0.75;
/// Distance of the text below the middle, relative to the size. The arm is usually above.
const TEXT_BELOW: f64 = 1.0;
/// Height of the letters relative to the size.
const LETTERS: f64 = 0.15;
/// The axes of the handle with their rotations from the x axis.
const AXES: [(&str, Quaternion); 3] = [
    ("x", Quaternion { x: HALF, y: 0.0, z: 0.0, w: HALF }),
    ("y", Quaternion { x: 0.0, y: 0.0, z: HALF, w: HALF }),
    ("z", Quaternion { x: 0.0, y: HALF, z: 0.0, w: HALF }),
];
/// Entry of a quaternion that rotates by a quarter turn.
const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A complete marker with its controls and menu, at a pose in the frame of its appearance.
pub(super) fn whole(name: &str, appearance: &Appearance, pose: &Isometry3<f64>) -> InteractiveMarker {
    let mut controls = vec![ball(appearance)];
    if !appearance.text.is_empty() {
        controls.push(text(appearance));
    }
    if appearance.moves {
        controls.extend(AXES.iter().map(|(axis, turn)| about("move", axis, turn, MOVE_AXIS)));
    }
    // Rotation is offered only if drags use the orientation of the handle.
    if appearance.axes == (TargetAxes::Followable { kept: None }) {
        controls.extend(AXES.iter().map(|(axis, turn)| about("turn", axis, turn, ROTATE_AXIS)));
    }
    #[expect(clippy::cast_possible_truncation, reason = "a size for display")]
    let scale = appearance.size as f32;
    InteractiveMarker {
        header: header(appearance),
        pose: convert::pose_message(pose),
        name: name.to_owned(),
        description: appearance.title.clone(),
        scale,
        menu_entries: appearance.menu.map(|solver| menu::entries(solver, appearance.axes)).unwrap_or_default(),
        controls,
    }
}

/// An update of the pose alone.
pub(super) fn moved(name: &str, appearance: &Appearance, pose: &Isometry3<f64>) -> InteractiveMarkerPose {
    InteractiveMarkerPose { header: header(appearance), pose: convert::pose_message(pose), name: name.to_owned() }
}

/// The stamp is zero: the marker moves with its frame, and feedback uses the same frame.
fn header(appearance: &Appearance) -> Header {
    Header { frame_id: appearance.frame.clone(), ..Header::default() }
}

/// Moves the handle in the screen plane; with the shift key, along the line of sight. That of an orientation turns.
fn ball(appearance: &Appearance) -> InteractiveMarkerControl {
    let size = BALL * appearance.size;
    let ball = Marker {
        type_: Marker::SPHERE as i32,
        scale: Vector3 { x: size, y: size, z: size },
        color: colour(appearance, BALL_OPACITY),
        pose: convert::pose_message(&Isometry3::identity()),
        ..Marker::default()
    };
    let interaction_mode = if appearance.moves { MOVE_3D } else { ROTATE_3D };
    InteractiveMarkerControl { interaction_mode, ..visible("ball", ball) }
}

/// Below the handle from any viewpoint.
fn text(appearance: &Appearance) -> InteractiveMarkerControl {
    let letters = LETTERS * appearance.size;
    #[expect(clippy::cast_precision_loss, reason = "a few lines")]
    let lines = appearance.text.lines().count() as f64;
    let below = TEXT_BELOW * appearance.size + 0.5 * lines * letters;
    let text = Marker {
        type_: Marker::TEXT_VIEW_FACING as i32,
        scale: convert::text_size(letters),
        color: colour(appearance, 1.0),
        pose: convert::pose_message(&Isometry3::translation(0.0, 0.0, -below)),
        text: appearance.text.clone(),
        ..Marker::default()
    };
    InteractiveMarkerControl { orientation_mode: VIEW_FACING, ..visible("text", text) }
}

/// A control that is displayed as `marker`.
fn visible(name: &str, marker: Marker) -> InteractiveMarkerControl {
    InteractiveMarkerControl {
        name: name.into(),
        orientation: Quaternion { w: 1.0, ..Quaternion::default() },
        always_visible: true,
        markers: vec![marker],
        ..InteractiveMarkerControl::default()
    }
}

/// An arrow along an axis, or a ring about it, drawn by the client.
fn about(verb: &str, axis: &str, turn: &Quaternion, interaction_mode: u8) -> InteractiveMarkerControl {
    InteractiveMarkerControl {
        name: format!("{verb} {axis}"),
        orientation: turn.clone(),
        interaction_mode,
        ..InteractiveMarkerControl::default()
    }
}

fn colour(appearance: &Appearance, a: f32) -> ColorRGBA {
    let [r, g, b] = appearance.colour.rgb();
    ColorRGBA { r, g, b, a }
}

/// Maximum number of characters per line, unless a word is longer.
const LINE: usize = 36;

/// The state of a handle without its pose.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Appearance {
    /// Name of the base link's frame, the reference of the pose.
    pub frame: String,
    /// The name of the tip if there are several.
    pub title: String,
    /// Distance from the middle to the ends of its arrows \[m\].
    pub size: f64,
    pub colour: StatusColour,
    /// Why the latest target was not reached, or the last choice or drag was refused.
    pub text: String,
    /// The solver in use; `None` for a handle without a menu.
    pub menu: Option<SolverKind>,
    pub axes: TargetAxes,
    /// False for an orientation, which turns in its place.
    pub moves: bool,
}

/// The colour and text for the latest target of a tip. A `notice` of the menu takes precedence.
pub(super) fn colour_and_text(newest: Option<&LatestTarget>, notice: Option<&str>) -> (StatusColour, String) {
    if let Some(notice) = notice {
        return (StatusColour::Refused, short(notice));
    }
    let Some(newest) = newest else { return (StatusColour::Neutral, String::new()) };
    let colour = StatusColour::of(newest.outcome);
    let text = match colour {
        StatusColour::Neutral | StatusColour::OnItsWay | StatusColour::Reached => String::new(),
        // Its numbers would change continuously during a drag.
        StatusColour::OutOfReach => "out of reach".into(),
        StatusColour::HeldBack | StatusColour::Refused => short(&newest.sentence),
    };
    (colour, text)
}

/// The colour and text of a standing goal. A `notice` on a refused drag takes precedence.
pub(super) fn colour_and_text_of_goal(is_violated: bool, notice: Option<&str>) -> (StatusColour, String) {
    match notice {
        Some(notice) => (StatusColour::Refused, short(notice)),
        None => (StatusColour::of_goal(is_violated), String::new()),
    }
}

/// The first clause of a sentence, truncated and wrapped.
fn short(sentence: &str) -> String {
    let clause = names::short(sentence.split(';').next().unwrap_or_default());
    let mut lines = vec![String::new()];
    let mut last = 0;
    for word in clause.split_whitespace() {
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > LINE {
            lines.push(String::new());
            last += 1;
        }
        if !lines[last].is_empty() {
            lines[last].push(' ');
        }
        lines[last].push_str(word);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::report::TargetOutcome;

    fn of(outcome: TargetOutcome, sentence: &str) -> (StatusColour, String) {
        let newest = LatestTarget {
            tip_link: "tool0".into(),
            pose: None,
            has_orientation: true,
            outcome,
            sentence: sentence.into(),
        };
        colour_and_text(Some(&newest), None)
    }

    #[test]
    fn only_failures_have_a_text() {
        assert_eq!(colour_and_text(None, None), (StatusColour::Neutral, String::new()));
        assert_eq!(of(TargetOutcome::Solved, "solved: 0 m"), (StatusColour::Reached, String::new()));
        assert_eq!(of(TargetOutcome::StepLimited, "the arm arrives in 2 s"), (StatusColour::OnItsWay, String::new()));
        assert_eq!(
            of(TargetOutcome::OutOfReach, "out of reach: by far"),
            (StatusColour::OutOfReach, "out of reach".into())
        );
        let limits = "these joints are at their limits: shoulder, elbow; the closest configuration found is far off";
        assert_eq!(
            of(TargetOutcome::JointLimits, limits),
            (StatusColour::HeldBack, "these joints are at their limits:\nshoulder, elbow".into())
        );
        for outcome in [TargetOutcome::Invalid, TargetOutcome::UnknownFrame, TargetOutcome::NoRobot] {
            assert_eq!(of(outcome, "no"), (StatusColour::Refused, "no".into()));
        }
        assert_eq!(colour_and_text(None, Some("it has none")), (StatusColour::Refused, "it has none".into()));
    }

    #[test]
    fn texts_from_outside_are_cut() {
        let (_, text) = of(TargetOutcome::Invalid, &"x ".repeat(100_000));
        assert!(text.lines().count() <= 4 && text.lines().all(|line| line.chars().count() <= LINE), "{text}");
        assert!(of(TargetOutcome::Invalid, &"x".repeat(100_000)).1.chars().count() < 120);
        assert!(!of(TargetOutcome::Invalid, "a\0b").1.contains('\0'));
    }
}
