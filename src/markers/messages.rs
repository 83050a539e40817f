//! Markers in the base link's frame: their construction, and the changes to send.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, Vector3};
use r2r::geometry_msgs::msg::{Point, Vector3 as Edges};
use r2r::std_msgs::msg::{ColorRGBA, Header};
use r2r::visualization_msgs::msg::{Marker, MarkerArray};

use crate::messages::convert;
use crate::ros::constants;

/// Red, green, blue and opacity, each in \[0, 1\].
pub(super) type Colour = [f32; 4];

constants! { i32: Marker { ADD, DELETE, DELETEALL } }
constants! { pub(super) i32: Marker {
    CUBE, SPHERE, CYLINDER, SPHERE_LIST, LINE_LIST, LINE_STRIP, TRIANGLE_LIST, TEXT_VIEW_FACING,
} }

/// The colours of the axes x, y and z.
const AXIS_COLOURS: [Colour; 3] = [[0.95, 0.25, 0.25, 1.0], [0.35, 0.85, 0.35, 1.0], [0.3, 0.55, 1.0, 1.0]];
/// Line width of axes relative to their length.
const AXIS_WIDTH: f64 = 0.1;
/// Corners of each circle.
const CIRCLE_CORNERS: u32 = 60;
/// Circles of a globe through both poles.
const MERIDIANS: u32 = 6;
/// Number of bands between the parallels of a globe.
const PARALLELS: u32 = 6;
/// Largest drawn coordinate and size \[m\]: viewers compute in single precision.
const MAX_DRAWN: f64 = 1e12;

/// Clears the topic's markers and draws all of `drawn`.
pub(super) fn all(frame: &str, drawn: &[Marker]) -> MarkerArray {
    let clear = Marker { action: DELETEALL, ..marker(String::new(), 0) };
    in_frame(frame, std::iter::once(clear).chain(drawn.iter().cloned()))
}

/// Changes from `before` to `now`: removes missing markers, and sends new or different ones.
pub(super) fn changes(frame: &str, before: &[Marker], now: &[Marker]) -> MarkerArray {
    let is_same = |one: &Marker, other: &Marker| one.id == other.id && one.ns == other.ns;
    let gone = before.iter().filter(|old| !now.iter().any(|new| is_same(old, new)));
    let removed = gone.map(|old| Marker { action: DELETE, ..marker(old.ns.clone(), old.id) });
    in_frame(frame, removed.chain(now.iter().filter(|new| !before.contains(new)).cloned()))
}

/// A zero stamp means the latest transform: markers stay with a moving base link.
fn in_frame(frame: &str, markers: impl Iterator<Item = Marker>) -> MarkerArray {
    let header = Header { frame_id: frame.to_owned(), ..Header::default() };
    MarkerArray { markers: markers.map(|marker| Marker { header: header.clone(), ..marker }).collect() }
}

/// An empty marker. Users can hide its namespace, in which `id` is unique.
fn marker(namespace: String, id: i32) -> Marker {
    let pose = convert::pose_message(&Isometry3::identity());
    Marker { ns: namespace, id, action: ADD, pose, frame_locked: true, ..Marker::default() }
}

/// A marker of points, which the form connects. The size is the line width or the diameter of balls \[m\]. There is
/// one colour for each point, or one for all.
pub(super) fn joined(
    namespace: String,
    id: i32,
    form: i32,
    size: f64,
    points: impl IntoIterator<Item = Point3<f64>>,
    colours: &[Colour],
) -> Marker {
    let across = if matches!(form, LINE_LIST | LINE_STRIP) { 0.0 } else { size };
    let colours: Vec<_> = colours.iter().copied().map(colour).collect();
    Marker {
        type_: form,
        scale: Edges { x: size, y: across, z: across },
        points: points.into_iter().map(|point| Point { x: point.x, y: point.y, z: point.z }).collect(),
        color: colours.first().cloned().unwrap_or_default(),
        colors: if colours.len() > 1 { colours } else { Vec::new() },
        ..marker(namespace, id)
    }
}

/// A solid with edge lengths \[m\] in one colour.
pub(super) fn solid(
    namespace: String,
    id: i32,
    form: i32,
    edges: [f64; 3],
    pose: &Isometry3<f64>,
    of: Colour,
) -> Marker {
    let [x, y, z] = edges;
    let (scale, pose) = (Edges { x, y, z }, convert::pose_message(pose));
    Marker { type_: form, scale, pose, color: colour(of), ..marker(namespace, id) }
}

/// A text that faces the viewer, with letters of this height \[m\] around a place.
pub(super) fn label(namespace: String, id: i32, text: String, place: &Point3<f64>, letters: f64, of: Colour) -> Marker {
    let pose = convert::pose_message(&Isometry3::translation(place.x, place.y, place.z));
    let scale = convert::text_size(letters);
    Marker { type_: TEXT_VIEW_FACING, scale, pose, text, color: colour(of), ..marker(namespace, id) }
}

fn colour([r, g, b, a]: Colour) -> ColorRGBA {
    ColorRGBA { r, g, b, a }
}

/// The axes of the `frames` as lines of this `length` \[m\].
pub(super) fn axes(namespace: String, id: i32, frames: &[Isometry3<f64>], length: f64) -> Marker {
    let axes = || [Vector3::x(), Vector3::y(), Vector3::z()].into_iter().zip(AXIS_COLOURS);
    let ends = |frame: &Isometry3<f64>, axis| [frame * Point3::origin(), frame * Point3::from(length * axis)];
    let points = frames.iter().flat_map(|frame| axes().flat_map(|(axis, _)| ends(frame, axis)));
    let colours: Vec<Colour> = frames.iter().flat_map(|_| axes().flat_map(|(_, colour)| [colour; 2])).collect();
    joined(namespace, id, LINE_LIST, AXIS_WIDTH * length, points, &colours)
}

/// Meridians and parallels of a sphere with this `radius` \[m\] around `centre`; empty for radius 0. Not a surface:
/// RViz would catch clicks on objects inside.
pub(super) fn globe(centre: Point3<f64>, radius: f64) -> Vec<Point3<f64>> {
    if radius <= 0.0 {
        return Vec::new();
    }
    let meridians = (0..MERIDIANS).flat_map(|number| {
        let (sine, cosine) = turn(number, 2 * MERIDIANS).sin_cos();
        circle(centre, radius * Vector3::new(cosine, sine, 0.0), radius * Vector3::z())
    });
    let parallels = (1..PARALLELS).flat_map(|number| {
        let (sine, cosine) = turn(number, 2 * PARALLELS).sin_cos();
        let middle = centre + radius * cosine * Vector3::z();
        circle(middle, radius * sine * Vector3::x(), radius * sine * Vector3::y())
    });
    meridians.chain(parallels).collect()
}

/// Both ends of each line of a circle around `middle` with the perpendicular radii `across` and `along` \[m\].
pub(super) fn circle(
    middle: Point3<f64>,
    across: Vector3<f64>,
    along: Vector3<f64>,
) -> impl Iterator<Item = Point3<f64>> {
    let place = move |corner: u32| {
        let (sine, cosine) = turn(corner, CIRCLE_CORNERS).sin_cos();
        middle + cosine * across + sine * along
    };
    (0..CIRCLE_CORNERS).flat_map(move |corner| [place(corner), place(corner + 1)])
}

/// The angle of one of several corners of a circle \[rad\].
pub(super) fn turn(corner: u32, corners: u32) -> f64 {
    TAU * f64::from(corner) / f64::from(corners)
}

/// True if the marker has content, with finite and moderate coordinates and size.
pub(super) fn is_drawable(marker: &Marker) -> bool {
    // Written so that NaN fails.
    let is_near = |length: f64| length.abs() <= MAX_DRAWN;
    let is_solid = matches!(marker.type_, CUBE | SPHERE | CYLINDER | TEXT_VIEW_FACING);
    let has_form = is_solid || (!marker.points.is_empty() && marker.scale.x > 0.0 && is_near(marker.scale.x));
    let mut places = marker.points.iter().chain([&marker.pose.position]);
    has_form && places.all(|at| is_near(at.x) && is_near(at.y) && is_near(at.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes_at(namespace: &str, id: i32, place: f64) -> Marker {
        axes(namespace.into(), id, &[Isometry3::translation(place, 0.0, 0.0)], 0.1)
    }

    /// Action, namespace and id of each marker.
    fn actions(array: &MarkerArray) -> Vec<(i32, &str, i32)> {
        array.markers.iter().map(|marker| (marker.action, marker.ns.as_str(), marker.id)).collect()
    }

    #[test]
    fn only_what_has_changed_is_sent() {
        let before = [axes_at("tip", 0, 0.0), axes_at("tip", 2, 0.0), axes_at("target", 0, 0.0)];
        let now = [axes_at("tip", 0, 0.0), axes_at("tip", 2, 1.0), axes_at("path", 0, 0.0)];
        let expected = [(DELETE, "target", 0), (ADD, "tip", 2), (ADD, "path", 0)];
        assert_eq!(actions(&changes("base", &before, &now)), expected);
        assert!(changes("base", &now, &now).markers.is_empty());
    }

    #[test]
    fn all_begins_with_an_empty_scene() {
        let array = all("base", &[axes_at("tip", 0, 0.0)]);
        assert_eq!(actions(&array), [(DELETEALL, "", 0), (ADD, "tip", 0)]);
        assert!(array.markers.iter().all(|marker| marker.header.frame_id == "base"));
    }

    #[test]
    fn what_is_not_finite_is_not_drawn() {
        let drawn = |place: f64, length| {
            is_drawable(&axes("tip".into(), 0, &[Isometry3::translation(place, 0.0, 0.0)], length))
        };
        assert!(drawn(1.0, 0.1));
        for (place, length) in [(f64::NAN, 0.1), (f64::INFINITY, 0.1), (1e13, 0.1), (0.0, 0.0), (0.0, f64::NAN)] {
            assert!(!drawn(place, length), "{place} {length}");
        }
        assert!(!is_drawable(&axes("tip".into(), 0, &[], 0.1)));
    }
}
