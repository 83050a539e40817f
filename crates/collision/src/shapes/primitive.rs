//! Primitives: distances of points, four at once, and support functions.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f64x4};
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::SupportMap;

use urdf_ik_mathematics::lanes::{Lanes, Vector};

/// A primitive centred at the origin of its own frame \[m\].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Primitive {
    /// Half extents along x, y and z \[m\].
    Box([f64; 3]),
    /// A cylinder along y.
    Cylinder { radius: f64, half: f64 },
    /// All points within `radius` of a segment along z from `-half` to `half`; a sphere if `half` is 0.
    Capsule { radius: f64, half: f64 },
}

impl Primitive {
    /// For four points \[m\], the squared distance from the primitive \[m²\] (0 inside) and the signed distance from
    /// the nearest face \[m\] (negative inside).
    #[inline(always)]
    pub fn gap<S: Simd>(&self, simd: S, [x, y, z]: Vector<S>) -> [f64x4<S>; 2] {
        let zero = f64x4::splat(simd, 0.0);
        match *self {
            Self::Box(half) => {
                let [x, y, z] = [x.abs() - half[0], y.abs() - half[1], z.abs() - half[2]];
                let beyond = x.max(y).max(z);
                let [x, y, z] = [x.max(zero), y.max(zero), z.max(zero)];
                [x * x + y * y + z * z, beyond]
            }
            Self::Cylinder { radius, half } => {
                let (side, end) = ((x * x + z * z).sqrt() - radius, y.abs() - half);
                let beyond = side.max(end);
                let (side, end) = (side.max(zero), end.max(zero));
                [side * side + end * end, beyond]
            }
            Self::Capsule { radius, half } => {
                let z = (z.abs() - half).max(zero);
                let beyond = (x * x + y * y + z * z).sqrt() - radius;
                let outside = beyond.max(zero);
                [outside * outside, beyond]
            }
        }
    }

    /// Signed distance of a point \[m\]: its distance from the primitive, or minus its depth inside.
    pub fn signed_distance_to(&self, point: &Vector3<f64>) -> f64 {
        let point = [0, 1, 2].map(|axis| Lanes::splat(point[axis]));
        let [mut squared, mut beyond] = [Lanes::default(); 2];
        dispatch!(Level::new(), simd => {
            let [outside, deep] = self.gap(simd, [point[0].load(simd), point[1].load(simd), point[2].load(simd)]);
            squared.store(outside);
            beyond.store(deep);
        });
        if squared.0[0] > 0.0 { squared.0[0].sqrt() } else { beyond.0[0] }
    }

    /// Radius of a bounding sphere around the origin \[m\].
    pub fn radius(&self) -> f64 {
        match *self {
            Self::Box(half) => Point::from(half).length(),
            Self::Cylinder { radius, half } => radius.hypot(half),
            Self::Capsule { radius, half } => radius + half,
        }
    }

    /// Points and an inflation radius \[m\], such that the inflated convex hull of the points contains the primitive.
    pub fn corners(&self) -> (Vec<Vector3<f64>>, f64) {
        let ([x, y, z], rounding) = match *self {
            Self::Box(half) => (half, 0.0),
            Self::Cylinder { radius, half } => ([radius, half, radius], 0.0),
            Self::Capsule { radius, half } => ([0.0, 0.0, half], radius),
        };
        let sides = |bound: f64| [-bound, bound];
        let corners = sides(x).into_iter().flat_map(|x| sides(y).map(|y| sides(z).map(|z| Vector3::new(x, y, z))));
        (corners.flatten().collect(), rounding)
    }

    /// Maximum coordinate of the primitive along the unit vector `direction` \[m\].
    #[inline(always)]
    pub fn reach(&self, direction: &Vector3<f64>) -> f64 {
        let [x, y, z] = [direction.x, direction.y, direction.z];
        match *self {
            Self::Box(half) => half[0] * x.abs() + half[1] * y.abs() + half[2] * z.abs(),
            Self::Cylinder { radius, half } => radius * (x * x + z * z).sqrt() + half * y.abs(),
            Self::Capsule { radius, half } => radius + half * z.abs(),
        }
    }

    /// Unit vector from the primitive to `point` outside it, or the normal of the nearest face if `point` is inside.
    #[inline(always)]
    pub fn direction_to(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let outside = |p: f64, half: f64| (p.abs() - half).max(0.0).copysign(p);
        let apart = match *self {
            Self::Box(half) => {
                let apart = Vector3::from_fn(|i, _| outside(point[i], half[i]));
                if apart == Vector3::zeros() { deepest_face(point, half) } else { apart }
            }
            Self::Cylinder { radius, half } => {
                let side = point.x.hypot(point.z);
                let beyond = (side - radius).max(0.0) / side.max(f64::MIN_POSITIVE);
                let apart = Vector3::new(point.x * beyond, outside(point.y, half), point.z * beyond);
                if apart != Vector3::zeros() {
                    apart
                } else if side - radius > point.y.abs() - half {
                    Vector3::new(point.x, 0.0, point.z)
                } else {
                    Vector3::new(0.0, point.y, 0.0)
                }
            }
            Self::Capsule { half, .. } => Vector3::new(point.x, point.y, outside(point.z, half)),
        };
        apart.try_normalize(0.0).unwrap_or_else(Vector3::y)
    }
}

impl SupportMap for Primitive {
    fn local_support_point(&self, direction: Point) -> Point {
        match *self {
            Self::Box(half) => Point::from(half).copysign(direction),
            Self::Cylinder { radius, half } => {
                let side = Point::new(direction.x, 0.0, direction.z).normalize_or_zero() * radius;
                Point::new(side.x, half.copysign(direction.y), side.z)
            }
            Self::Capsule { radius, half } => {
                direction.normalize_or_zero() * radius + Point::new(0.0, 0.0, half.copysign(direction.z))
            }
        }
    }
}

/// The normal of the face of a box nearest to a point inside it.
fn deepest_face(point: &Vector3<f64>, half: [f64; 3]) -> Vector3<f64> {
    let depth = |i: usize| half[i] - point[i].abs();
    let nearest = (1..3).fold(0, |nearest, i| if depth(i) < depth(nearest) { i } else { nearest });
    let mut normal = Vector3::zeros();
    normal[nearest] = 1.0_f64.copysign(point[nearest]);
    normal
}
