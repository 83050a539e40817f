//! Obstacles and attached parts as they stand around the robot, and where it comes near to something.

use nalgebra::{Isometry3, Point3, Vector3};

use super::shape::{Colour, Form, Shape, Solid};
use crate::robot_in_use::configuration::Configuration;
use crate::surroundings::Known;
use urdf_ik_collision::{Geometry, Near, Obstacle};

const OBSTACLE: Colour = [0.45, 0.6, 0.55, 0.85];
const ATTACHED: Colour = [0.7, 0.55, 0.8, 0.9];
const NEAR: Colour = [1.0, 0.1, 0.1, 1.0];
/// Width of the line between two bodies that are near each other \[m\].
const NEAR_LINE: f64 = 0.004;
/// Greatest number of triangles of a mesh that is drawn as it is. Of a larger one the box around it is drawn.
const MAX_TRIANGLES: usize = 10_000;

/// All obstacles and attached parts of `known`, in the base link's frame, with the robot at `now`.
pub(super) fn shapes(known: &Known, now: &Configuration) -> Vec<Shape> {
    let links = now.loaded.robot.link_poses(&now.positions);
    let root_in_base = now.root_in_base();
    let mut shapes = Vec::new();
    for (_, obstacle, pose) in known.world.obstacles() {
        add(&mut shapes, "obstacles", OBSTACLE, obstacle, &(root_in_base * pose));
    }
    let first = shapes.len();
    for (_, part) in known.world.attached() {
        let pose = root_in_base * links[part.link] * part.pose;
        add(&mut shapes, "attached", ATTACHED, &part.obstacle, &pose);
    }
    number(&mut shapes[..first]);
    number(&mut shapes[first..]);
    shapes
}

/// A line between the nearest points of two bodies.
pub(super) fn nearest(near: &Near, now: &Configuration) -> Shape {
    let root_in_base = now.root_in_base();
    let points = near.points.iter().map(|point| root_in_base * point).collect();
    let (namespace, colours) = ("nearest".into(), vec![NEAR]);
    Shape { namespace, id: 0, form: Form::Strip, size: NEAR_LINE, points, colours }
}

/// Gives each shape of a namespace its number.
fn number(shapes: &mut [Shape]) {
    for (id, shape) in shapes.iter_mut().enumerate() {
        shape.id = i32::try_from(id).unwrap_or(i32::MAX);
    }
}

fn add(shapes: &mut Vec<Shape>, namespace: &str, colour: Colour, obstacle: &Obstacle, pose: &Isometry3<f64>) {
    for (index, (geometry, place)) in obstacle.parts().enumerate() {
        let pose = pose * place;
        let (form, points) = match *geometry {
            Geometry::Mesh { triangles, .. } => mesh(obstacle, index, triangles, &pose),
            Geometry::Box { size } => solid(Solid::Box, size, &pose),
            Geometry::Sphere { radius } => solid(Solid::Ball, [2.0 * radius; 3], &pose),
            // No message makes a capsule.
            Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => {
                solid(Solid::Cylinder, [2.0 * radius, 2.0 * radius, length], &pose)
            }
        };
        // Scale 1: the corners of triangles are where they are.
        shapes.push(Shape { namespace: namespace.into(), id: 0, form, size: 1.0, points, colours: vec![colour] });
    }
}

fn solid(solid: Solid, edges: [f64; 3], pose: &Isometry3<f64>) -> (Form, Vec<Point3<f64>>) {
    (Form::Solid(solid, edges, pose.rotation), vec![pose.translation.vector.into()])
}

/// The triangles of a mesh, or the box around them where they are many.
fn mesh(obstacle: &Obstacle, index: usize, count: usize, pose: &Isometry3<f64>) -> (Form, Vec<Point3<f64>>) {
    let (vertices, faces) = obstacle.triangles(index).unwrap_or_default();
    if count <= MAX_TRIANGLES {
        let corners = faces.iter().flatten().map(|&corner| pose * Point3::from(vertices[corner as usize]));
        return (Form::Triangles, corners.collect());
    }
    let fold = |pick: fn(f64, f64) -> f64, first: f64| {
        vertices.iter().fold(Vector3::repeat(first), |bound, &at| bound.zip_map(&Vector3::from(at), pick))
    };
    let (least, greatest) = (fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY));
    let middle = pose * Point3::from((least + greatest) / 2.0);
    let around = Isometry3::from_parts(middle.coords.into(), pose.rotation);
    solid(Solid::Box, (greatest - least).into(), &around)
}
