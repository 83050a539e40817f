//! The distance between two convex shapes, and between one and a triangle mesh.

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::{ClosestPoints, DefaultQueryDispatcher, QueryDispatcher};
use parry3d_f64::shape::{Shape, TriMesh};

use super::boxes::{box_gap, half_extents};

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
    let Ok(ClosestPoints::WithinMargin(mut on_first, on_second)) =
        DefaultQueryDispatcher.closest_points(pose, first, second, f64::MAX)
    else {
        return None;
    };
    let back = pose.inverse();
    let mut nearest = [on_first, pose * on_second];
    let mut least = (nearest[0] - nearest[1]).length();
    for _ in 0..MAX_ROUNDS {
        let on_second = pose * second.project_local_point(back * on_first, true).point;
        on_first = first.project_local_point(on_second, true).point;
        let apart: f64 = Vector::length(on_first - on_second);
        let gain = least - apart;
        if gain > 0.0 {
            (least, nearest) = (apart, [on_first, on_second]);
        }
        if gain < LEAST_GAIN {
            break;
        }
    }
    Some(nearest)
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
