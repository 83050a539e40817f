//! Eight numbers in single precision side by side, which is plenty for a ranking.
//!
//! As in [`lanes`](urdf_ik_mathematics::lanes), functions on them are always inlined and call no closures.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8};
use nalgebra::Vector3;

use urdf_ik_closed_form::Turn;
pub(super) use urdf_ik_mathematics::lanes::{add, cross, dot, scale, single};

/// Numbers side by side.
pub(super) const LANES: usize = 8;

/// One vector per lane.
pub(super) type Vector<S> = [f32x8<S>; 3];

/// Cosine and sine of one angle per lane.
pub(super) type Angle<S> = [f32x8<S>; 2];

/// A vector in single precision.
pub(super) fn entries(vector: &Vector3<f64>) -> [f32; 3] {
    vector.data.0[0].map(single)
}

/// A vector in every lane.
#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, [x, y, z]: [f32; 3]) -> Vector<S> {
    [f32x8::splat(simd, x), f32x8::splat(simd, y), f32x8::splat(simd, z)]
}

/// A vector that rotates about a fixed axis, at the given angles.
#[inline(always)]
pub(super) fn orbit<S: Simd>(orbit: &Orbit, [cos, sin]: Angle<S>) -> Vector<S> {
    let simd = cos.simd;
    let rotated = add(scale(splat(simd, orbit.cos), cos), scale(splat(simd, orbit.sin), sin));
    add(splat(simd, orbit.fixed), rotated)
}

/// A vector as a function of an angle: a constant, and factors of cosine and sine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Orbit {
    pub fixed: [f32; 3],
    pub cos: [f32; 3],
    pub sin: [f32; 3],
}

impl Orbit {
    /// The sum of `vector`, rotated about the unit vector `axis`, and the constant `offset`.
    pub fn new(axis: &Vector3<f64>, vector: &Vector3<f64>, offset: Vector3<f64>) -> Self {
        let along = axis * axis.dot(vector);
        Self { fixed: entries(&(offset + along)), cos: entries(&(vector - along)), sin: entries(&axis.cross(vector)) }
    }

    /// The vector at `angle`.
    pub fn at(&self, angle: Turn) -> Vector3<f64> {
        let [fixed, cos, sin] = [self.fixed, self.cos, self.sin].map(|entries| Vector3::from(entries.map(f64::from)));
        fixed + cos * angle.cos + sin * angle.sin
    }
}

/// The vector rotated about the unit vector `axis` (Rodrigues' formula).
#[inline(always)]
pub(super) fn rotated<S: Simd>(axis: Vector<S>, vector: Vector<S>, [cos, sin]: Angle<S>) -> Vector<S> {
    let along = scale(axis, dot(axis, vector) * (1.0 - cos));
    add(scale(vector, cos), add(scale(cross(axis, vector), sin), along))
}

/// The sum of two angles.
#[inline(always)]
pub(super) fn sum<S: Simd>(a: Angle<S>, b: Angle<S>) -> Angle<S> {
    [a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]]
}

/// Cosine and sine of an angle \[rad\], to 1e-6, by Taylor's series at half the angle.
#[inline(always)]
pub(super) fn cosine_sine<S: Simd>(angle: f32x8<S>) -> Angle<S> {
    let half = (angle - (angle * (1.0 / TAU)).round_ties_even() * TAU) * 0.5;
    let x = half * half;
    let sine =
        ((((x * -2.505_210_8e-8 + 2.755_731_9e-6) * x - 1.984_127e-4) * x + 8.333_333e-3) * x - 1.666_666_7e-1) * x;
    let sine = half + half * sine;
    let cosine =
        (((((x * 2.087_675_7e-9 - 2.755_732e-7) * x + 2.480_158_7e-5) * x - 1.388_888_9e-3) * x + 4.166_666_7e-2) * x
            - 0.5)
            * x
            + 1.0;
    [1.0 - sine * sine * 2.0, sine * cosine * 2.0]
}

/// The angle of a vector (cosine, sine) of any length \[rad\], from -π to π, to 1e-6 (the polynomial is that of
/// Moshier 1989, Cephes, `atanf`).
#[inline(always)]
pub(super) fn angle<S: Simd>([cosine, sine]: Angle<S>) -> f32x8<S> {
    let simd = cosine.simd;
    let zero = f32x8::splat(simd, 0.0);
    let (x, y) = (cosine.abs(), sine.abs());
    let (large, small) = (x.max(y), x.min(y));
    // The acute angle to the nearer axis, less 45° where it is above half of that.
    let above = small.simd_gt(large * 0.414_213_56);
    let opposite = above.select(small - large, small);
    let adjacent = above.select(small + large, large.max(f32x8::splat(simd, f32::MIN_POSITIVE)));
    let tangent = opposite / adjacent;
    let square = tangent * tangent;
    let series = ((square * 8.053_744_5e-2 - 1.387_768_6e-1) * square + 1.997_771_1e-1) * square - 3.333_295e-1;
    let acute = tangent + tangent * square * series + above.select(f32x8::splat(simd, FRAC_PI_4), zero);
    let right = y.simd_gt(x).select(FRAC_PI_2 - acute, acute);
    let whole = cosine.simd_lt(zero).select(PI - right, right);
    whole.copysign(sine)
}
