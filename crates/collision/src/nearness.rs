//! Whether triangles come within a margin of something.

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::details::distance_support_map_support_map;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::{Shape, SupportMap, Triangle};

use super::convex_distance::convex_distance;

/// Whether two triangles are no farther apart than `margin`.
pub(super) fn are_triangles_within(first: &Triangle, second: &Triangle, margin: f64) -> bool {
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
pub(super) fn is_within_of_triangle(shape: &dyn Shape, triangle: &Triangle, margin: f64) -> bool {
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
