//! How a handle looks, and a handle as messages: its colour and text say what became of the newest target of its tip.

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::{Point, Pose, Quaternion, Vector3};
use r2r::std_msgs::msg::{ColorRGBA, Header};
use r2r::visualization_msgs::msg::{InteractiveMarker, InteractiveMarkerControl, InteractiveMarkerPose, Marker};

use super::menu;
use crate::messages::{TargetAxes, convert};
use crate::reports::{LatestTarget, StatusColour};
use crate::ros::constants;
use urdf_ik_solver::SolverKind;
use urdf_ik_text::names;

constants! { u8: InteractiveMarkerControl { VIEW_FACING, MOVE_AXIS, ROTATE_AXIS, MOVE_3D } }

/// Diameter of the ball, relative to the size of the handle.
const BALL: f64 = 0.4;
/// How much of what is behind the ball is hidden: the robot's tool should be seen.
const BALL_OPACITY: f32 = 0.75;
/// How far the text begins below the middle, relative to the size. An arm is more often above.
const TEXT_BELOW: f64 = 1.0;
/// Height of the letters of the text, relative to the size.
const LETTERS: f64 = 0.15;
/// Width of a space, relative to the height of the letters.
const SPACE: f64 = 0.4;
/// The axes of the handle, and the turns that lead its x axis to them.
const AXES: [(&str, Quaternion); 3] = [
    ("x", Quaternion { x: 1.0, y: 0.0, z: 0.0, w: 1.0 }),
    ("y", Quaternion { x: 0.0, y: 0.0, z: 1.0, w: 1.0 }),
    ("z", Quaternion { x: 0.0, y: 1.0, z: 0.0, w: 1.0 }),
];

/// A whole marker with its controls and menu, at a pose in the frame of its look.
pub(super) fn whole(name: &str, look: &Look, pose: &Isometry3<f64>) -> InteractiveMarker {
    let mut controls = vec![ball(look)];
    if !look.text.is_empty() {
        controls.push(text(look));
    }
    controls.extend(AXES.iter().map(|(axis, turn)| about("move", axis, turn, MOVE_AXIS)));
    // A turn means something only where drags ask for the orientation of the handle.
    if look.axes == (TargetAxes::Followable { kept: None }) {
        controls.extend(AXES.iter().map(|(axis, turn)| about("turn", axis, turn, ROTATE_AXIS)));
    }
    #[expect(clippy::cast_possible_truncation, reason = "a size to look at")]
    let scale = look.size as f32;
    InteractiveMarker {
        header: header(look),
        pose: convert::pose_message(pose),
        name: name.to_owned(),
        description: look.title.clone(),
        scale,
        menu_entries: menu::entries(look.solver, look.axes),
        controls,
    }
}

/// A marker of which only the pose has changed.
pub(super) fn moved(name: &str, look: &Look, pose: &Isometry3<f64>) -> InteractiveMarkerPose {
    InteractiveMarkerPose { header: header(look), pose: convert::pose_message(pose), name: name.to_owned() }
}

/// The stamp is zero: so the marker moves with its frame, and feedback comes in the same frame.
fn header(look: &Look) -> Header {
    Header { frame_id: look.frame.clone(), ..Header::default() }
}

/// Moves the handle in the plane of the screen; with the shift key, towards it.
fn ball(look: &Look) -> InteractiveMarkerControl {
    let size = BALL * look.size;
    let ball = Marker {
        type_: Marker::SPHERE as i32,
        scale: Vector3 { x: size, y: size, z: size },
        color: colour(look, BALL_OPACITY),
        pose: at(Point::default()),
        ..Marker::default()
    };
    InteractiveMarkerControl {
        name: "ball".into(),
        orientation: UNTURNED,
        interaction_mode: MOVE_3D,
        always_visible: true,
        markers: vec![ball],
        ..InteractiveMarkerControl::default()
    }
}

/// Below the handle as it is seen, wherever it is seen from.
fn text(look: &Look) -> InteractiveMarkerControl {
    let letters = LETTERS * look.size;
    #[expect(clippy::cast_precision_loss, reason = "a few lines")]
    let lines = look.text.lines().count() as f64;
    let text = Marker {
        type_: Marker::TEXT_VIEW_FACING as i32,
        scale: Vector3 { x: SPACE * letters, y: letters, z: letters },
        color: colour(look, 1.0),
        pose: at(Point { z: -TEXT_BELOW * look.size - 0.5 * lines * letters, ..Point::default() }),
        text: look.text.clone(),
        ..Marker::default()
    };
    InteractiveMarkerControl {
        name: "text".into(),
        orientation: UNTURNED,
        orientation_mode: VIEW_FACING,
        always_visible: true,
        markers: vec![text],
        ..InteractiveMarkerControl::default()
    }
}

/// An arrow along an axis, or a ring about it: the client draws them.
fn about(verb: &str, axis: &str, turn: &Quaternion, interaction_mode: u8) -> InteractiveMarkerControl {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let orientation = Quaternion { x: half * turn.x, y: half * turn.y, z: half * turn.z, w: half * turn.w };
    InteractiveMarkerControl {
        name: format!("{verb} {axis}"),
        orientation,
        interaction_mode,
        ..InteractiveMarkerControl::default()
    }
}

/// No rotation.
const UNTURNED: Quaternion = Quaternion { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };

fn at(position: Point) -> Pose {
    Pose { position, orientation: UNTURNED }
}

fn colour(look: &Look, a: f32) -> ColorRGBA {
    let [r, g, b] = look.colour.rgb();
    ColorRGBA { r, g, b, a }
}

/// Greatest number of characters in a line of the text, unless a word is longer.
const LINE: usize = 36;

/// All of a handle but its pose.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    /// Name of the base link's frame, in which the pose of the handle is given.
    pub frame: String,
    /// The name of the tip where there are several.
    pub title: String,
    /// Distance from the middle to about the ends of its arrows \[m\].
    pub size: f64,
    pub colour: StatusColour,
    /// Why the newest target was not reached, or the last choice was refused.
    pub text: String,
    pub solver: SolverKind,
    pub axes: TargetAxes,
}

/// The colour and the text for the newest target of a tip. A `notice` on the menu is newer.
pub(super) fn colour_and_text(newest: Option<&LatestTarget>, notice: Option<&str>) -> (StatusColour, String) {
    if let Some(notice) = notice {
        return (StatusColour::Refused, short(notice));
    }
    let Some(newest) = newest else { return (StatusColour::Neutral, String::new()) };
    let colour = StatusColour::of(newest.verdict);
    let text = match colour {
        StatusColour::Neutral | StatusColour::OnItsWay | StatusColour::Reached => String::new(),
        // The numbers of its sentence change all the time during a drag.
        StatusColour::OutOfReach => "out of reach".into(),
        StatusColour::HeldBack | StatusColour::Refused => short(&newest.sentence),
    };
    (colour, text)
}

/// What a sentence says before its first semicolon, cut and in short lines.
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
    use crate::reports::report::Verdict;

    fn of(verdict: Verdict, sentence: &str) -> (StatusColour, String) {
        let newest = LatestTarget {
            tip_link: "tool0".into(),
            pose: None,
            has_orientation: true,
            verdict,
            sentence: sentence.into(),
        };
        colour_and_text(Some(&newest), None)
    }

    #[test]
    fn only_failures_have_a_text() {
        assert_eq!(colour_and_text(None, None), (StatusColour::Neutral, String::new()));
        assert_eq!(of(Verdict::Solved, "solved: 0 m"), (StatusColour::Reached, String::new()));
        assert_eq!(of(Verdict::StepLimited, "the arm arrives in 2 s"), (StatusColour::OnItsWay, String::new()));
        assert_eq!(of(Verdict::OutOfReach, "out of reach: by far"), (StatusColour::OutOfReach, "out of reach".into()));
        let limits = "these joints are at their limits: shoulder, elbow; the closest configuration found is far off";
        assert_eq!(
            of(Verdict::JointLimits, limits),
            (StatusColour::HeldBack, "these joints are at their limits:\nshoulder, elbow".into())
        );
        for verdict in [Verdict::Invalid, Verdict::UnknownFrame, Verdict::NoRobot] {
            assert_eq!(of(verdict, "no"), (StatusColour::Refused, "no".into()));
        }
        assert_eq!(colour_and_text(None, Some("it has none")), (StatusColour::Refused, "it has none".into()));
    }

    #[test]
    fn texts_from_outside_are_cut() {
        let (_, text) = of(Verdict::Invalid, &"x ".repeat(100_000));
        assert!(text.lines().count() <= 4 && text.lines().all(|line| line.chars().count() <= LINE), "{text}");
        assert!(of(Verdict::Invalid, &"x".repeat(100_000)).1.chars().count() < 120);
        assert!(!of(Verdict::Invalid, "a\0b").1.contains('\0'));
    }
}
