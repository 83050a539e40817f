//! Markers of obstacles, attached parts, and the nearest bodies.

use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use r2r::visualization_msgs::msg::Marker;

use super::messages::{CUBE, CYLINDER, Colour, LINE_STRIP, SPHERE, TRIANGLE_LIST, joined, solid};
use crate::reports::{Fault, fault};
use crate::robot_in_use::Configuration;
use crate::surroundings::Environment;
use urdf_ik_collision::{Geometry, Near, Obstacle};

/// Colour of obstacles.
const OBSTACLE: Colour = [0.45, 0.6, 0.55, 0.85];
/// Colour of attached parts.
const ATTACHED: Colour = [0.7, 0.55, 0.8, 0.9];
/// Colour of the line between close bodies.
const NEAR: Colour = [1.0, 0.1, 0.1, 1.0];
/// Width of the line between close bodies \[m\].
const NEAR_LINE: f64 = 0.004;
/// Largest number of triangles of a drawn mesh. A larger mesh is drawn as its bounding box.
const MAX_TRIANGLES: usize = 10_000;

/// All obstacles and attached parts of `environment` in the base link's frame, with the robot at `now`.
///
/// # Errors
/// [`Fault`] with the name of a shape that is not drawn.
pub(super) fn markers(environment: &Environment, now: &Configuration) -> Result<Vec<Marker>, Fault> {
    let links = now.loaded.robot.link_poses(&now.positions);
    let root_in_base = now.root_in_base();
    let mut obstacles = Vec::new();
    for (_, obstacle, pose) in environment.world.obstacles() {
        add(&mut obstacles, "obstacles", OBSTACLE, obstacle, &(root_in_base * pose))?;
    }
    let mut attached = Vec::new();
    for (_, part) in environment.world.attached() {
        let pose = root_in_base * links[part.link] * part.pose;
        add(&mut attached, "attached", ATTACHED, &part.obstacle, &pose)?;
    }
    Ok([obstacles, attached].concat())
}

/// A line between the nearest points of two bodies.
pub(super) fn nearest(near: &Near, now: &Configuration) -> Marker {
    let root_in_base = now.root_in_base();
    let points = near.points.iter().map(|point| root_in_base * point);
    joined("nearest".into(), 0, LINE_STRIP, NEAR_LINE, points, &[NEAR])
}

/// Adds the parts of an obstacle to the markers of a namespace.
fn add(
    markers: &mut Vec<Marker>,
    namespace: &str,
    colour: Colour,
    obstacle: &Obstacle,
    pose: &Isometry3<f64>,
) -> Result<(), Fault> {
    for (index, (geometry, place)) in obstacle.parts().enumerate() {
        let (pose, id) = (pose * place, i32::try_from(markers.len()).unwrap_or(i32::MAX));
        let solid = |form, edges, pose: &_| solid(namespace.into(), id, form, edges, pose, colour);
        markers.push(match *geometry {
            Geometry::Box { size } => solid(CUBE, size, &pose),
            Geometry::Sphere { radius } => solid(SPHERE, [2.0 * radius; 3], &pose),
            // There is no message for a capsule.
            Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => {
                solid(CYLINDER, [2.0 * radius, 2.0 * radius, length], &pose)
            }
            Geometry::Mesh { triangles, .. } if triangles > MAX_TRIANGLES => {
                let (middle, edges) = box_around(&obstacle.triangles(index).unwrap_or_default().0);
                solid(CUBE, edges, &(pose * middle))
            }
            Geometry::Mesh { .. } => {
                let (vertices, faces) = obstacle.triangles(index).unwrap_or_default();
                let corners = faces.iter().flatten().map(|&corner| pose * Point3::from(vertices[corner as usize]));
                // Scale 1: the points are the corners.
                joined(namespace.into(), id, TRIANGLE_LIST, 1.0, corners, &[colour])
            }
            ref other => return Err(fault!("there is no marker for the shape '{}'", other.name())),
        });
    }
    Ok(())
}

/// Centre and edge lengths of the axis-aligned bounding box of points.
fn box_around(points: &[[f64; 3]]) -> (Translation3<f64>, [f64; 3]) {
    let fold = |pick: fn(f64, f64) -> f64, first: f64| {
        points.iter().fold(Vector3::repeat(first), |bound, &at| bound.zip_map(&Vector3::from(at), pick))
    };
    let (least, greatest) = (fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY));
    (((least + greatest) / 2.0).into(), (greatest - least).into())
}
