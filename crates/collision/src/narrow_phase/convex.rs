//! Nearest points of convex shapes, and margin tests of triangles.

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::details::distance_support_map_support_map;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::query::{ClosestPoints, DefaultQueryDispatcher, QueryDispatcher};
use parry3d_f64::shape::{Shape, SupportMap, Triangle};

/// Maximum number of rounds of the refinement.
const MAX_ROUNDS: usize = 1000;
/// The refinement stops when a round gains less than this \[m\].
const MIN_GAIN: f64 = 1e-11;

/// A point of each of two shapes, in the frame of the second, and their distance \[m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearPoints {
    pub distance: f64,
    pub on_first: Vector,
    pub on_second: Vector,
}

/// The nearest points of two convex shapes in the frame of the first, with `pose` that of the second; `None` if they
/// touch.
///
/// parry's search (GJK) stops up to 1e-4 of the distance too early on a cylinder. From its result, each point is
/// projected to the other shape in turn (von Neumann's alternating projections), which converges to the nearest points
/// of convex shapes.
pub(crate) fn convex_nearest(first: &dyn Shape, second: &dyn Shape, pose: &Pose) -> Option<[Vector; 2]> {
    // Shapes without a measurable distance, deep in each other or out of range, count as touching.
    let Ok(ClosestPoints::WithinMargin(on_first, on_second)) =
        DefaultQueryDispatcher.closest_points(pose, first, second, f64::MAX)
    else {
        return None;
    };
    let back = pose.inverse();
    let on_second = pose * on_second;
    let to_second = |point, _| Some(pose * second.project_local_point(back * point, true).point);
    let to_first = |point, _| Some(first.project_local_point(point, true).point);
    let found = NearPoints { distance: (on_first - on_second).length(), on_first, on_second };
    let found = alternate(found, MAX_ROUNDS, to_second, to_first, |least| least - MIN_GAIN);
    Some([found.on_first, found.on_second])
}

/// Alternating projections: from the point on the first shape to the nearest point of the second, from there to the
/// nearest of the first, and so on, until a round finds no distance below `enough` of the smallest so far. Projections
/// farther than the smallest distance are cut off.
pub(crate) fn alternate(
    found: NearPoints,
    rounds: usize,
    to_second: impl Fn(Vector, f64) -> Option<Vector>,
    to_first: impl Fn(Vector, f64) -> Option<Vector>,
    enough: impl Fn(f64) -> f64,
) -> NearPoints {
    let mut nearest = found;
    let mut on_first = found.on_first;
    for _ in 0..rounds {
        let Some(on_second) = to_second(on_first, nearest.distance) else { break };
        let Some(next) = to_first(on_second, nearest.distance) else { break };
        on_first = next;
        let distance: f64 = Vector::length(on_first - on_second);
        let was_enough = distance >= enough(nearest.distance);
        if distance < nearest.distance {
            nearest = NearPoints { distance, on_first, on_second };
        }
        if was_enough {
            break;
        }
    }
    nearest
}

/// True if two triangles, whose boxes are within `margin`, are within `margin`.
pub(crate) fn are_triangles_within(first: &Triangle, second: &Triangle, margin: f64) -> bool {
    !is_beyond_centres(first, second, margin)
        && !is_beyond_plane(first, second, margin)
        && !is_beyond_plane(second, first, margin)
        && !is_beyond_edges(first, second, margin)
        && distance_support_map_support_map(&Pose::IDENTITY, first, second) <= margin
}

/// True if the direction between the centroids proves that two triangles are farther apart than `margin`.
fn is_beyond_centres(first: &Triangle, second: &Triangle, margin: f64) -> bool {
    let direction = (second.a + second.b + second.c) - (first.a + first.b + first.c);
    let [high, low] = [
        first.a.dot(direction).max(first.b.dot(direction)).max(first.c.dot(direction)),
        second.a.dot(direction).min(second.b.dot(direction)).min(second.c.dot(direction)),
    ];
    let gap = low - high;
    gap > 0.0 && gap * gap > margin * margin * direction.length_squared()
}

/// True if `second` is entirely beyond `margin` on one side of the plane of `first`.
fn is_beyond_plane(first: &Triangle, second: &Triangle, margin: f64) -> bool {
    let normal = (first.b - first.a).cross(first.c - first.a);
    let [a, b, c] = [second.a, second.b, second.c].map(|corner| normal.dot(corner - first.a));
    let most = margin * normal.length();
    a.min(b).min(c) > most || a.max(b).max(c) < -most
}

/// True if the cross product of two edges proves that two triangles are farther apart than `margin`.
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

/// True if a triangle, in the frame of `shape`, is within `margin` of it.
pub(crate) fn is_within_of_triangle(shape: &dyn Shape, triangle: &Triangle, margin: f64) -> bool {
    let is_near = |[p, q]: [Vector; 2]| (p - q).length() <= margin;
    !is_certainly_apart(shape, triangle, margin) && convex_nearest(shape, triangle, &Pose::IDENTITY).is_none_or(is_near)
}

/// True if a direction found by GJK proves that a shape and a triangle are farther apart than `margin`.
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
