//! A handle as messages.

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::{Point, Pose, Quaternion, Vector3};
use r2r::std_msgs::msg::{ColorRGBA, Header};
use r2r::visualization_msgs::msg::{InteractiveMarker, InteractiveMarkerControl, InteractiveMarkerPose, Marker};

use super::look::Look;
use super::menu;
use crate::messages::{TargetAxes, convert};
use crate::ros::constants;

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
