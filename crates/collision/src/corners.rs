//! Chooses a few of many points, so that all are nearly in the convex hull of these: quickhull that ends early (Barber, Dobkin and Huhdanpaa
//! 1996, "The quickhull algorithm for convex hulls").

use nalgebra::{Matrix3, Vector3};
use parry3d_f64::math::Vector as Point;

use super::polytope::{Outside, Polytope};

/// The first are the farthest along these and against them.
const AXES: [[f64; 3]; 7] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [1.0, -1.0, -1.0],
];
/// Points are chosen at most so many times.
const ROUNDS: usize = 16;
/// And while fewer points than this were compared with a facet, for each corner that there may be.
const COMPARISONS: usize = 100_000;
/// The hull is enough where no point is farther beyond a facet [m].
const ENOUGH: f64 = 2e-5;
/// What rounding may do to a distance, for each metre from the origin.
const ROUNDING: f64 = 1e-9;

/// At most `most` of these points, or the corners of a box, and how far the points are from the hull of these at most \[m\].
pub(super) fn few_corners(points: &[Point], most: usize) -> (Vec<Point>, f64) {
    let farthest = points.iter().fold(Point::ZERO, |farthest, point| farthest.max(point.abs())).max_element();
    let (corners, apart) = chosen(points, most).unwrap_or_else(|| (box_around(points), 0.0));
    (corners, apart + ROUNDING * (1.0 + farthest))
}

/// The first are the farthest in a few directions; then follow those that are farthest beyond a facet. `None` where they are nearly in a
/// plane.
fn chosen(points: &[Point], most: usize) -> Option<(Vec<Point>, f64)> {
    let few = points.len() <= most;
    let mut polytope = Polytope::between(&if few { points.to_vec() } else { extremes(points) })?;
    let mut outside = polytope.outside(points);
    let mut comparisons = points.len() * polytope.facets();
    for _ in 0..ROUNDS {
        let room = most.saturating_sub(polytope.corners.len()).min(polytope.corners.len() / 2);
        let next = farthest_of_facets(&outside, polytope.facets());
        if room == 0 || next.is_empty() || comparisons > COMPARISONS * most {
            break;
        }
        let mut corners = polytope.corners;
        corners.extend(next.iter().take(room).map(|outside| outside.point));
        polytope = Polytope::between(&corners)?;
        let left: Vec<Point> = outside.iter().map(|outside| outside.point).collect();
        outside = polytope.outside(&left);
        comparisons += left.len() * polytope.facets();
    }
    let apart = polytope.greatest_distance(&outside)?;
    Some((polytope.corners, apart))
}

/// The points that are farthest beyond some facet, and by more than [`ENOUGH`], the farthest first.
fn farthest_of_facets(outside: &[Outside], facets: usize) -> Vec<&Outside> {
    let mut farthest: Vec<Option<&Outside>> = vec![None; facets];
    for point in outside.iter().filter(|outside| outside.beyond > ENOUGH) {
        let farthest = &mut farthest[point.facet];
        if farthest.is_none_or(|farthest| farthest.beyond < point.beyond) {
            *farthest = Some(point);
        }
    }
    let mut farthest: Vec<&Outside> = farthest.into_iter().flatten().collect();
    farthest.sort_by(|a, b| b.beyond.total_cmp(&a.beyond));
    farthest
}

/// The points that are farthest along the axes.
fn extremes(points: &[Point]) -> Vec<Point> {
    let mut extremes = Vec::with_capacity(2 * AXES.len());
    for axis in AXES.map(Point::from) {
        let (mut least, mut most) = ((f64::INFINITY, Point::ZERO), (f64::NEG_INFINITY, Point::ZERO));
        for &point in points {
            let along = axis.dot(point);
            if along < least.0 {
                least = (along, point);
            }
            if along > most.0 {
                most = (along, point);
            }
        }
        extremes.extend([least.1, most.1]);
    }
    extremes
}

/// The corners of a box around points, along the axes in which they are spread.
fn box_around(points: &[Point]) -> Vec<Point> {
    let vector = |point: &Point| Vector3::from(point.to_array());
    let share = 1.0 / f64::from(u32::try_from(points.len()).unwrap_or(u32::MAX));
    let middle = points.iter().map(vector).sum::<Vector3<f64>>() * share;
    let spread: Matrix3<f64> = points.iter().map(|point| vector(point) - middle).map(|p| p * p.transpose()).sum();
    let axes = (spread * share).symmetric_eigen().eigenvectors;
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for point in points {
        let along = axes.tr_mul(&(vector(point) - middle));
        (low, high) = (low.inf(&along), high.sup(&along));
    }
    let corner = |i: usize| Vector3::from_fn(|axis, _| if i >> axis & 1 == 0 { low[axis] } else { high[axis] });
    (0..8).map(|i| Point::from(<[f64; 3]>::from(middle + axes * corner(i)))).collect()
}
