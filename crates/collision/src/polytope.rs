//! A convex polytope between a few points, and which other points are outside it.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f64x4};
use parry3d_f64::math::Vector as Point;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{ConvexPolyhedron, Triangle};
use parry3d_f64::transformation::try_convex_hull;

use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// The middle is farther from each facet than this \[m\]: planes of thinner polytopes do not say what is between their edges.
const THINNEST: f64 = 1e-7;

/// A convex polytope between some points.
pub(super) struct Polytope {
    pub corners: Vec<Point>,
    /// The corners of each facet, by their indices.
    facets: Vec<[u32; 3]>,
    /// The outward normals of four facets, of length 1, and how far they are from the origin.
    planes: Vec<[Lanes; 4]>,
}

/// A point outside a polytope.
pub(super) struct Outside {
    pub point: Point,
    /// How far it is beyond the facet that it is farthest beyond \[m\].
    pub beyond: f64,
    /// The index of that facet.
    pub facet: usize,
}

impl Polytope {
    /// The hull of these points; `None` where they are nearly in a plane.
    pub fn between(points: &[Point]) -> Option<Self> {
        let (corners, facets) = try_convex_hull(points).ok()?;
        let middle = corners.iter().sum::<Point>() / f64::from(u32::try_from(corners.len()).ok()?);
        let mut planes: Vec<[f64; 4]> = Vec::with_capacity(facets.len());
        for facet in &facets {
            let [a, b, c] = facet.map(|corner| corners[corner as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            planes.push([normal.x, normal.y, normal.z, normal.dot(a)]);
            // A facet without an area has no plane, and needs none.
            if normal != Point::ZERO && normal.dot(a - middle) < THINNEST {
                return None;
            }
        }
        let lanes = |four: &[[f64; 4]], i: usize| Lanes([0, 1, 2, 3].map(|lane| four[lane.min(four.len() - 1)][i]));
        let planes = planes.chunks(LANES).map(|four| [0, 1, 2, 3].map(|i| lanes(four, i))).collect();
        is_closed(&facets).then_some(Self { corners, facets, planes })
    }

    /// Number of facets.
    pub fn facets(&self) -> usize {
        self.facets.len()
    }

    /// Those of the points that are outside.
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

    /// How far these points are from the polytope at most \[m\].
    pub fn greatest_distance(&self, outside: &[Outside]) -> Option<f64> {
        let exact = ConvexPolyhedron::from_convex_mesh(self.corners.clone(), &self.facets)?;
        Some(outside.iter().fold(0.0_f64, |greatest, outside| {
            let facet = self.facets[outside.facet].map(|corner| self.corners[corner as usize]);
            // That of the facet is no less than that of the polytope, and costs less.
            if Triangle::from(facet).distance_to_local_point(outside.point, true) <= greatest {
                return greatest;
            }
            greatest.max(exact.distance_to_local_point(outside.point, true))
        }))
    }
}

/// Whether each edge is that of a facet on either side.
fn is_closed(facets: &[[u32; 3]]) -> bool {
    let mut edges: Vec<[u32; 2]> = facets.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    edges.iter().all(|&[from, to]| edges.binary_search(&[to, from]).is_ok())
}
