//! Pairs of bodies as messages.

use nalgebra::{Isometry3, Point3};
use r2r::geometry_msgs::msg::Point;
use r2r::urdf_ik::msg::BodyPair;

use urdf_ik_collision::{Body, Near, Scene};

/// Two bodies of `scene` that are near each other. `root_in_base` is the pose of the root link's frame in the base link's.
pub(crate) fn message(scene: &Scene, near: &Near, root_in_base: &Isometry3<f64>) -> BodyPair {
    let Some([first, second]) = scene.pairs().nth(near.pair) else { return BodyPair::default() };
    let point = |point: &Point3<f64>| {
        let point = root_in_base * point;
        Point { x: point.x, y: point.y, z: point.z }
    };
    BodyPair {
        first: first.name().to_owned(),
        first_kind: kind(first),
        second: second.name().to_owned(),
        second_kind: kind(second),
        distance: near.distance,
        depth: near.depth,
        first_point: point(&near.points[0]),
        second_point: point(&near.points[1]),
    }
}

fn kind(body: &Body) -> u8 {
    match body {
        Body::Link(_) => BodyPair::LINK as u8,
        Body::Obstacle(_) => BodyPair::OBSTACLE as u8,
        Body::Attached(_) => BodyPair::ATTACHED as u8,
    }
}
