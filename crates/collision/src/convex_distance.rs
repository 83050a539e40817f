//! The distance between two convex shapes, and between one and a triangle mesh.

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::{ClosestPoints, DefaultQueryDispatcher, QueryDispatcher};
use parry3d_f64::shape::{Shape, TriMesh};

use super::boxes::{box_gap, half_extents};
use super::open_spheres::NearPoints;

/// Greatest number of rounds of the refinement.
const MAX_ROUNDS: usize = 1000;
/// It ends where a round gains less than this \[m\].
const LEAST_GAIN: f64 = 1e-11;

/// The distance between two shapes, where `pose` is that of the second in the frame of the first; 0 where they touch.
///
/// parry's search (GJK) ends up to 1e-4 of the distance too early on a cylinder. From its nearest points on, each point is moved to the
/// nearest one of its shape to the other point (von Neumann's alternating projections), which ends at the nearest points of convex shapes.
pub(super) fn convex_distance(first: &dyn Shape, second: &dyn Shape, pose: &Pose) -> f64 {
    convex_nearest(first, second, pose).map_or(0.0, |[p, q]| (p - q).length())
}

/// The nearest points of two shapes in the frame of the first, where `pose` is that of the second; `None` where they touch.
pub(super) fn convex_nearest(first: &dyn Shape, second: &dyn Shape, pose: &Pose) -> Option<[Vector; 2]> {
    // Shapes without a measurable distance, which are deep in each other or beyond the search, count as touching.
    let Ok(ClosestPoints::WithinMargin(on_first, on_second)) =
        DefaultQueryDispatcher.closest_points(pose, first, second, f64::MAX)
    else {
        return None;
    };
    let back = pose.inverse();
    let on_second = pose * on_second;
    let to_second = |point| pose * second.project_local_point(back * point, true).point;
    let to_first = |point| first.project_local_point(point, true).point;
    let found = ((on_first - on_second).length(), [on_first, on_second]);
    Some(alternate(found, MAX_ROUNDS, to_second, to_first, |least| least - LEAST_GAIN).1)
}

/// Nearer points of two shapes than those that were `found`: from the point of the first to the nearest one of the second, from there to the
/// nearest of the first, and so on, until a round finds no less than what is `enough` after the least distance so far.
pub(super) fn alternate(
    found: NearPoints,
    rounds: usize,
    to_second: impl Fn(Vector) -> Vector,
    to_first: impl Fn(Vector) -> Vector,
    enough: impl Fn(f64) -> f64,
) -> NearPoints {
    let (mut least, mut nearest) = found;
    let [mut on_first, _] = nearest;
    for _ in 0..rounds {
        let on_second = to_second(on_first);
        on_first = to_first(on_second);
        let apart: f64 = Vector::length(on_first - on_second);
        let was_enough = apart >= enough(least);
        if apart < least {
            (least, nearest) = (apart, [on_first, on_second]);
        }
        if was_enough {
            break;
        }
    }
    (least, nearest)
}

/// The distance between a shape and a mesh, where `pose` is that of the mesh in the frame of the shape; 0 where they touch.
pub(super) fn distance_to_mesh(shape: &dyn Shape, mesh: &TriMesh, pose: &Pose) -> f64 {
    let around = shape.compute_aabb(&pose.inverse());
    let (centre, half) = (around.center(), around.half_extents());
    let nearest = mesh.bvh().find_best(
        f64::MAX,
        |node, _| box_gap(node.center() - centre, half + half_extents(node)),
        |part, _| Some(convex_distance(shape, &mesh.triangle(part), pose)),
    );
    nearest.map_or(f64::MAX, |(_, distance)| distance)
}
