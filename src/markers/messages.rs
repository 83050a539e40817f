//! Shapes as messages: all of them, or what has changed.

use nalgebra::{Isometry3, Point3};
use r2r::geometry_msgs::msg::{Point, Pose, Quaternion, Vector3};
use r2r::std_msgs::msg::{ColorRGBA, Header};
use r2r::visualization_msgs::msg::{Marker, MarkerArray};

use super::shape::{Colour, Form, Shape, Solid};
use crate::messages::convert;

// The actions in the type of their field.
const ADD: i32 = Marker::ADD as i32;
const DELETE: i32 = Marker::DELETE as i32;
const DELETE_ALL: i32 = Marker::DELETEALL as i32;

/// Removes whatever was drawn on this topic before, and draws all `shapes`.
pub(super) fn all(frame: &str, shapes: &[Shape]) -> MarkerArray {
    let clear = Marker { action: DELETE_ALL, ..marker(frame, "", 0) };
    MarkerArray { markers: std::iter::once(clear).chain(shapes.iter().map(|shape| drawn(frame, shape))).collect() }
}

/// Turns what `before` has drawn into `now`: removes what is gone, and draws what is new or different.
pub(super) fn changes(frame: &str, before: &[Shape], now: &[Shape]) -> MarkerArray {
    let is_same = |one: &Shape, other: &Shape| one.id == other.id && one.namespace == other.namespace;
    let gone = before.iter().filter(|old| !now.iter().any(|new| is_same(old, new)));
    let removed = gone.map(|old| Marker { action: DELETE, ..marker(frame, &old.namespace, old.id) });
    let new = now.iter().filter(|new| !before.contains(new));
    MarkerArray { markers: removed.chain(new.map(|new| drawn(frame, new))).collect() }
}

/// Without a time, which means the newest transform: so what is drawn stays with the base link when that moves.
fn marker(frame: &str, namespace: &str, id: i32) -> Marker {
    let header = Header { frame_id: frame.to_owned(), ..Header::default() };
    let pose = Pose { orientation: Quaternion { w: 1.0, ..Quaternion::default() }, ..Pose::default() };
    Marker { header, ns: namespace.to_owned(), id, pose, frame_locked: true, ..Marker::default() }
}

fn drawn(frame: &str, shape: &Shape) -> Marker {
    let mut marker = marker(frame, &shape.namespace, shape.id);
    marker.action = ADD;
    marker.type_ = match shape.form {
        Form::Sphere | Form::Solid(Solid::Ball, ..) => Marker::SPHERE as i32,
        Form::Spheres => Marker::SPHERE_LIST as i32,
        Form::Lines => Marker::LINE_LIST as i32,
        Form::Strip => Marker::LINE_STRIP as i32,
        Form::Triangles => Marker::TRIANGLE_LIST as i32,
        Form::Solid(Solid::Box, ..) => Marker::CUBE as i32,
        Form::Solid(Solid::Cylinder, ..) => Marker::CYLINDER as i32,
    };
    let [x, y, z] = match shape.form {
        Form::Solid(_, edges, _) => edges,
        Form::Lines | Form::Strip => [shape.size, 0.0, 0.0],
        Form::Sphere | Form::Spheres | Form::Triangles => [shape.size; 3],
    };
    marker.scale = Vector3 { x, y, z };
    marker.color = colour(shape.colours.first().copied().unwrap_or_default());
    match (shape.form, shape.points.as_slice()) {
        (Form::Sphere, [centre]) => marker.pose.position = point(centre),
        (Form::Solid(_, _, rotation), [centre]) => {
            marker.pose = convert::pose_message(&Isometry3::from_parts(centre.coords.into(), rotation));
        }
        (_, points) => marker.points = points.iter().map(point).collect(),
    }
    if shape.colours.len() > 1 {
        marker.colors = shape.colours.iter().copied().map(colour).collect();
    }
    marker
}

fn point(point: &Point3<f64>) -> Point {
    Point { x: point.x, y: point.y, z: point.z }
}

fn colour([r, g, b, a]: Colour) -> ColorRGBA {
    ColorRGBA { r, g, b, a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(namespace: &str, id: i32, place: f64) -> Shape {
        Shape::axes(namespace.into(), id, &[Isometry3::translation(place, 0.0, 0.0)], 0.1)
    }

    /// Action, namespace and id of each marker.
    fn actions(array: &MarkerArray) -> Vec<(i32, &str, i32)> {
        array.markers.iter().map(|marker| (marker.action, marker.ns.as_str(), marker.id)).collect()
    }

    #[test]
    fn only_what_has_changed_is_sent() {
        let before = [axes("tip", 0, 0.0), axes("tip", 2, 0.0), axes("target", 0, 0.0)];
        let now = [axes("tip", 0, 0.0), axes("tip", 2, 1.0), axes("path", 0, 0.0)];
        let expected = [(DELETE, "target", 0), (ADD, "tip", 2), (ADD, "path", 0)];
        assert_eq!(actions(&changes("base", &before, &now)), expected);
        assert!(changes("base", &now, &now).markers.is_empty());
    }

    #[test]
    fn all_begins_with_an_empty_scene() {
        let array = all("base", &[axes("tip", 0, 0.0)]);
        assert_eq!(actions(&array), [(DELETE_ALL, "", 0), (ADD, "tip", 0)]);
        assert!(array.markers.iter().all(|marker| marker.header.frame_id == "base"));
    }
}
