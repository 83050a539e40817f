//! Convex bounds: hulls around meshes, and primitives.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f64x4};
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::SupportMap;

use super::primitive::Primitive;
use super::simplified_hull::simplified_hull;
use super::transform::{point, vector};
use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// A convex bound of a shape.
#[derive(Clone, Copy)]
pub(crate) enum ConvexBound<'a> {
    Primitive(Primitive),
    Hull(&'a Hull),
}

impl ConvexBound<'_> {
    /// Radius by which the bound is inflated \[m\].
    pub fn rounding(self) -> f64 {
        if let Self::Hull(hull) = self { hull.rounding } else { 0.0 }
    }

    /// The core of the bound and the inflation radius \[m\]: a capsule, and so a sphere, is an inflated line segment.
    pub fn core(self) -> (Self, f64) {
        let Self::Primitive(Primitive::Capsule { radius, half }) = self else { return (self, self.rounding()) };
        (Self::Primitive(Primitive::Capsule { radius: 0.0, half }), radius)
    }

    /// Points and an inflation radius \[m\], such that the inflated convex hull of the points contains the shape.
    pub fn corners(self) -> (Vec<Vector3<f64>>, f64) {
        match self {
            Self::Primitive(solid) => solid.corners(),
            Self::Hull(hull) => (hull.corners(), hull.rounding),
        }
    }

    /// Support point \[m\]: the point farthest along `direction`, without inflation.
    #[inline(always)]
    pub fn farthest<S: Simd>(self, simd: S, direction: &Vector3<f64>) -> Vector3<f64> {
        let direction = point(direction);
        vector(match self {
            Self::Primitive(solid) => solid.local_support_point(direction),
            Self::Hull(hull) => hull.farthest(simd, direction),
        })
    }

    /// Minimum coordinate along the unit vector `direction` \[m\].
    #[inline(always)]
    pub fn least<S: Simd>(self, simd: S, direction: &Vector3<f64>) -> f64 {
        match self {
            Self::Primitive(solid) => -solid.reach(&-direction),
            Self::Hull(hull) => hull.least(simd, direction) - hull.rounding,
        }
    }
}

impl SupportMap for ConvexBound<'_> {
    fn local_support_point(&self, direction: Point) -> Point {
        match self {
            Self::Primitive(solid) => solid.local_support_point(direction),
            Self::Hull(hull) => hull.local_support_point(direction),
        }
    }
}

/// Vertices of a convex polytope that, inflated by `rounding`, contains a mesh \[m\].
#[derive(Debug, Clone)]
pub(crate) struct Hull {
    level: Level,
    points: Vec<[Lanes; 3]>,
    pub rounding: f64,
}

impl Hull {
    /// The hull of `points` \[m\], which must not be empty, with at most `most` vertices.
    pub fn new(points: &[Point], most: usize) -> Self {
        let (corners, rounding) = simplified_hull(points, most);
        let lanes = |four: &[Point], axis: usize| {
            Lanes(std::array::from_fn(|lane| four[lane.min(four.len() - 1)].to_array()[axis]))
        };
        let points = corners.chunks(LANES).map(|four| [0, 1, 2].map(|axis| lanes(four, axis))).collect();
        Self { level: Level::new(), points, rounding }
    }

    /// The vertices; the last ones may repeat.
    fn corners(&self) -> Vec<Vector3<f64>> {
        let four = |[x, y, z]: &[Lanes; 3]| [0, 1, 2, 3].map(|lane| Vector3::new(x.0[lane], y.0[lane], z.0[lane]));
        self.points.iter().flat_map(four).collect()
    }

    /// Minimum coordinate \[m\] of the vertices along the unit vector `direction`.
    #[inline(always)]
    pub fn least<S: Simd>(&self, simd: S, direction: &Vector3<f64>) -> f64 {
        let mut least = f64x4::splat(simd, f64::INFINITY);
        for [x, y, z] in &self.points {
            let along = x.load(simd) * direction.x + y.load(simd) * direction.y + z.load(simd) * direction.z;
            least = least.min(along);
        }
        let [a, b, c, d]: [f64; LANES] = least.into();
        a.min(b).min(c.min(d))
    }

    /// The vertex farthest along `direction`.
    #[inline(always)]
    fn farthest<S: Simd>(&self, simd: S, direction: Point) -> Point {
        let mut most = f64x4::splat(simd, f64::NEG_INFINITY);
        let mut best = [f64x4::splat(simd, 0.0); 3];
        for [x, y, z] in &self.points {
            let [x, y, z] = [x.load(simd), y.load(simd), z.load(simd)];
            let along = x * direction.x + y * direction.y + z * direction.z;
            let farther = along.simd_gt(most);
            most = farther.select(along, most);
            best = [farther.select(x, best[0]), farther.select(y, best[1]), farther.select(z, best[2])];
        }
        let most: [f64; LANES] = most.into();
        let lane = (1..LANES).fold(0, |best, lane| if most[lane] > most[best] { lane } else { best });
        let [x, y, z]: [[f64; LANES]; 3] = best.map(Into::into);
        Point::new(x[lane], y[lane], z[lane])
    }
}

impl SupportMap for Hull {
    fn local_support_point(&self, direction: Point) -> Point {
        dispatch!(self.level, simd => self.farthest(simd, direction))
    }
}
