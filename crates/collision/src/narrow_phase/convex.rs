//! The distance between two convex shapes, and between one and a triangle mesh.

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::partitioning::BvhNode;
use parry3d_f64::query::details::distance_support_map_support_map;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::query::{ClosestPoints, DefaultQueryDispatcher, QueryDispatcher};
use parry3d_f64::shape::{Shape, SupportMap, TriMesh, Triangle};

use crate::narrow_phase::mesh_and_solid::NearPoints;

/// Greatest number of rounds of the refinement.
const MAX_ROUNDS: usize = 1000;
/// It ends where a round gains less than this \[m\].
const LEAST_GAIN: f64 = 1e-11;

/// The distance between two shapes, where `pose` is that of the second in the frame of the first; 0 where they touch.
///
/// parry's search (GJK) ends up to 1e-4 of the distance too early on a cylinder. From its nearest points on, each point is moved to the
/// nearest one of its shape to the other point (von Neumann's alternating projections), which ends at the nearest points of convex shapes.
pub(crate) fn convex_distance(first: &dyn Shape, second: &dyn Shape, pose: &Pose) -> f64 {
    convex_nearest(first, second, pose).map_or(0.0, |[p, q]| (p - q).length())
}

/// The nearest points of two shapes in the frame of the first, where `pose` is that of the second; `None` where they touch.
pub(crate) fn convex_nearest(first: &dyn Shape, second: &dyn Shape, pose: &Pose) -> Option<[Vector; 2]> {
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
pub(crate) fn alternate(
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
pub(crate) fn distance_to_mesh(shape: &dyn Shape, mesh: &TriMesh, pose: &Pose) -> f64 {
    let around = shape.compute_aabb(&pose.inverse());
    let (centre, half) = (around.center(), around.half_extents());
    let nearest = mesh.bvh().find_best(
        f64::MAX,
        |node, _| box_gap(node.center() - centre, half + half_extents(node)),
        |part, _| Some(convex_distance(shape, &mesh.triangle(part), pose)),
    );
    nearest.map_or(f64::MAX, |(_, distance)| distance)
}

/// Whether two triangles are no farther apart than `margin`.
pub(crate) fn are_triangles_within(first: &Triangle, second: &Triangle, margin: f64) -> bool {
    if is_beyond_box(first, second, margin)
        || is_beyond_centres(first, second, margin)
        || is_beyond_plane(first, second, margin)
        || is_beyond_plane(second, first, margin)
        || is_beyond_edges(first, second, margin)
    {
        return false;
    }
    distance_support_map_support_map(&Pose::IDENTITY, first, second) <= margin
}

/// Whether a coordinate proves that two triangles are farther apart than `margin`.
fn is_beyond_box(first: &Triangle, second: &Triangle, margin: f64) -> bool {
    let around =
        |triangle: &Triangle| (triangle.a.min(triangle.b).min(triangle.c), triangle.a.max(triangle.b).max(triangle.c));
    let ((low, high), (other_low, other_high)) = (around(first), around(second));
    (other_low - high).max(low - other_high).max_element() > margin
}

/// Whether the direction from centre to centre proves that two triangles are farther apart than `margin`.
fn is_beyond_centres(first: &Triangle, second: &Triangle, margin: f64) -> bool {
    let direction = (second.a + second.b + second.c) - (first.a + first.b + first.c);
    let [high, low] = [
        first.a.dot(direction).max(first.b.dot(direction)).max(first.c.dot(direction)),
        second.a.dot(direction).min(second.b.dot(direction)).min(second.c.dot(direction)),
    ];
    let gap = low - high;
    gap > 0.0 && gap * gap > margin * margin * direction.length_squared()
}

/// Whether all of `second` is farther than `margin` on one side of the plane of `first`.
fn is_beyond_plane(first: &Triangle, second: &Triangle, margin: f64) -> bool {
    let normal = (first.b - first.a).cross(first.c - first.a);
    let [a, b, c] = [second.a, second.b, second.c].map(|corner| normal.dot(corner - first.a));
    let most = margin * normal.length();
    a.min(b).min(c) > most || a.max(b).max(c) < -most
}

/// Whether a direction across an edge of each proves that two triangles are farther apart than `margin`.
fn is_beyond_edges(first: &Triangle, second: &Triangle, margin: f64) -> bool {
    let edges = |triangle: &Triangle| [triangle.b - triangle.a, triangle.c - triangle.b, triangle.a - triangle.c];
    let [a, b, c] = [second.a, second.b, second.c].map(|corner| corner - first.a);
    let [p, q] = [first.b - first.a, first.c - first.a];
    edges(first).into_iter().any(|edge| {
        edges(second).into_iter().any(|other| {
            let across = edge.cross(other);
            let [low, high] =
                [0.0_f64.min(across.dot(p)).min(across.dot(q)), 0.0_f64.max(across.dot(p)).max(across.dot(q))];
            let [a, b, c] = [a, b, c].map(|corner| across.dot(corner));
            let gap = (a.min(b).min(c) - high).max(low - a.max(b).max(c));
            gap > margin * across.length()
        })
    })
}

/// Whether a triangle is no farther from `shape` than `margin`, in the frame of that.
pub(crate) fn is_within_of_triangle(shape: &dyn Shape, triangle: &Triangle, margin: f64) -> bool {
    !is_certainly_apart(shape, triangle, margin) && convex_distance(shape, triangle, &Pose::IDENTITY) <= margin
}

/// Whether a direction proves that a shape and a triangle are farther apart than `margin`.
fn is_certainly_apart(shape: &dyn Shape, triangle: &Triangle, margin: f64) -> bool {
    let Some(shape) = shape.as_support_map() else { return false };
    let towards = triangle.center().try_normalize().unwrap_or(Vector::Y);
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&Pose::IDENTITY, shape, triangle, towards));
    let found = closest_points(&Pose::IDENTITY, shape, triangle, margin, false, &mut simplex);
    let GJKResult::NoIntersection(direction) = found else { return false };
    let least = triangle.local_support_point(-direction).dot(direction);
    least - shape.local_support_point(direction).dot(direction) > margin
}

pub(crate) fn half_extents(node: &BvhNode) -> Vector {
    (node.maxs() - node.mins()) * 0.5
}

/// The distance between two boxes, from that between their centres and the sum of their half extents.
pub(crate) fn box_gap(apart: Vector, half: Vector) -> f64 {
    (apart.abs() - half).max(Vector::ZERO).length()
}
