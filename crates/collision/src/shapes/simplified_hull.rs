//! Convex hulls with few vertices, inflated to contain all points: quickhull that stops early (Barber, Dobkin and
//! Huhdanpaa 1996, "The quickhull algorithm for convex hulls").

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f64x4};
use nalgebra::{Matrix3, Vector3};
use parry3d_f64::math::Vector as Point;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{ConvexPolyhedron, Triangle};
use parry3d_f64::transformation::try_convex_hull;

use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// The first vertices are the extreme points in these directions and their opposites.
const INITIAL_DIRECTIONS: [[f64; 3]; 7] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [1.0, -1.0, -1.0],
];
/// Maximum number of rounds of adding vertices.
const MAX_ROUNDS: usize = 16;
/// Maximum number of comparisons of points with facets, per permitted vertex.
const MAX_COMPARISONS_PER_CORNER: usize = 100_000;
/// Vertices are added while a point is farther outside a facet than this [m].
const HULL_TOLERANCE: f64 = 2e-5;
/// Bound for the rounding error of a distance, per metre from the origin.
const RELATIVE_ROUNDING: f64 = 1e-9;

/// At most `most` of the points, or the corners of a box, and an upper bound for the distance of all points from the
/// hull of these \[m\].
pub(crate) fn simplified_hull(points: &[Point], most: usize) -> (Vec<Point>, f64) {
    let farthest = points.iter().fold(Point::ZERO, |farthest, point| farthest.max(point.abs())).max_element();
    let (corners, apart) = chosen(points, most).unwrap_or_else(|| (box_around(points), 0.0));
    (corners, apart + RELATIVE_ROUNDING * (1.0 + farthest))
}

/// First the extreme points in a few directions, then in each round the points farthest outside a facet. `None` if the
/// points are nearly coplanar.
fn chosen(points: &[Point], most: usize) -> Option<(Vec<Point>, f64)> {
    let few = points.len() <= most;
    let mut polytope = Polytope::between(&if few { points.to_vec() } else { extremes(points) })?;
    let mut outside = polytope.outside(points);
    let mut comparisons = points.len() * polytope.facets.len();
    for _ in 0..MAX_ROUNDS {
        let room = most.saturating_sub(polytope.corners.len()).min(polytope.corners.len() / 2);
        let next = farthest_of_facets(&outside, polytope.facets.len());
        if room == 0 || next.is_empty() || comparisons > MAX_COMPARISONS_PER_CORNER * most {
            break;
        }
        let mut corners = polytope.corners;
        corners.extend(next.iter().take(room).map(|outside| outside.point));
        polytope = Polytope::between(&corners)?;
        let left: Vec<Point> = outside.iter().map(|outside| outside.point).collect();
        outside = polytope.outside(&left);
        comparisons += left.len() * polytope.facets.len();
    }
    let apart = polytope.greatest_distance(&outside)?;
    Some((polytope.corners, apart))
}

/// For each facet the point farthest outside, beyond [`HULL_TOLERANCE`], in descending order.
fn farthest_of_facets(outside: &[Outside], facets: usize) -> Vec<&Outside> {
    let mut farthest: Vec<Option<&Outside>> = vec![None; facets];
    for point in outside.iter().filter(|outside| outside.beyond > HULL_TOLERANCE) {
        let farthest = &mut farthest[point.facet];
        if farthest.is_none_or(|farthest| farthest.beyond < point.beyond) {
            *farthest = Some(point);
        }
    }
    let mut farthest: Vec<&Outside> = farthest.into_iter().flatten().collect();
    farthest.sort_by(|a, b| b.beyond.total_cmp(&a.beyond));
    farthest
}

/// The extreme points along the initial directions.
fn extremes(points: &[Point]) -> Vec<Point> {
    let mut extremes = Vec::with_capacity(2 * INITIAL_DIRECTIONS.len());
    for axis in INITIAL_DIRECTIONS.map(Point::from) {
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

/// The corners of an oriented bounding box, along the principal axes of the points.
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

/// Minimum distance of the centroid from each facet \[m\]: the planes of thinner polytopes are inaccurate.
const MIN_HALF_THICKNESS: f64 = 1e-7;

/// A convex polytope spanned by points.
pub(crate) struct Polytope {
    pub corners: Vec<Point>,
    /// The corners of each facet, by index.
    facets: Vec<[u32; 3]>,
    /// The outward unit normals of four facets, and their distances from the origin.
    planes: Vec<[Lanes; 4]>,
}

/// A point outside a polytope.
pub(crate) struct Outside {
    pub point: Point,
    /// Maximum distance beyond the plane of a facet \[m\].
    pub beyond: f64,
    /// Index of that facet.
    pub facet: usize,
}

impl Polytope {
    /// The convex hull of the points \[m\]; `None` if they are nearly coplanar.
    pub fn between(points: &[Point]) -> Option<Self> {
        let (corners, facets) = try_convex_hull(points).ok()?;
        let middle = corners.iter().sum::<Point>() / f64::from(u32::try_from(corners.len()).ok()?);
        let mut planes: Vec<[f64; 4]> = Vec::with_capacity(facets.len());
        for facet in &facets {
            let [a, b, c] = facet.map(|corner| corners[corner as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            planes.push([normal.x, normal.y, normal.z, normal.dot(a)]);
            // A facet of zero area has no plane, and needs none.
            if normal != Point::ZERO && normal.dot(a - middle) < MIN_HALF_THICKNESS {
                return None;
            }
        }
        let lanes = |four: &[[f64; 4]], i: usize| Lanes([0, 1, 2, 3].map(|lane| four[lane.min(four.len() - 1)][i]));
        let planes = planes.chunks(LANES).map(|four| [0, 1, 2, 3].map(|i| lanes(four, i))).collect();
        is_closed(&facets).then_some(Self { corners, facets, planes })
    }

    /// The points \[m\] outside the polytope.
    pub fn outside(&self, points: &[Point]) -> Vec<Outside> {
        dispatch!(Level::new(), simd => self.beyond_planes(simd, points))
    }

    #[inline(always)]
    fn beyond_planes<S: Simd>(&self, simd: S, points: &[Point]) -> Vec<Outside> {
        let mut outside = Vec::new();
        for &point in points {
            let mut most = f64x4::splat(simd, 0.0);
            let mut best = f64x4::splat(simd, 0.0);
            let (mut at, next) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
            for [x, y, z, plane] in &self.planes {
                let along = x.load(simd) * point.x + y.load(simd) * point.y + z.load(simd) * point.z;
                let beyond = along - plane.load(simd);
                let farther = beyond.simd_gt(most);
                most = farther.select(beyond, most);
                best = farther.select(at, best);
                at += next;
            }
            let (most, best): ([f64; LANES], [f64; LANES]) = (most.into(), best.into());
            let lane = (1..LANES).fold(0, |best, lane| if most[lane] > most[best] { lane } else { best });
            if most[lane] > 0.0 {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
                let facet = (best[lane] as usize * LANES + lane).min(self.facets.len() - 1);
                outside.push(Outside { point, beyond: most[lane], facet });
            }
        }
        outside
    }

    /// The largest distance of the points from the polytope \[m\]; `None` if it cannot be computed.
    pub fn greatest_distance(&self, outside: &[Outside]) -> Option<f64> {
        let exact = ConvexPolyhedron::from_convex_mesh(self.corners.clone(), &self.facets)?;
        Some(outside.iter().fold(0.0_f64, |greatest, outside| {
            let facet = self.facets[outside.facet].map(|corner| self.corners[corner as usize]);
            // The distance from the facet is an upper bound, and cheaper.
            if Triangle::from(facet).distance_to_local_point(outside.point, true) <= greatest {
                return greatest;
            }
            greatest.max(exact.distance_to_local_point(outside.point, true))
        }))
    }
}

/// True if each edge has a facet on either side.
fn is_closed(facets: &[[u32; 3]]) -> bool {
    let mut edges: Vec<[u32; 2]> = facets.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    edges.iter().all(|&[from, to]| edges.binary_search(&[to, from]).is_ok())
}
