//! Eight numbers in single precision side by side, which is plenty for a ranking.
//!
//! As in [`lanes`](urdf_ik_mathematics::lanes), what works on them is always inlined, and calls no closures.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8};
use nalgebra::Vector3;

use urdf_ik_closed_form::Linear;
pub(super) use urdf_ik_mathematics::lanes::{add, cross, dot, scale, single};

/// Numbers side by side.
pub(super) const LANES: usize = 8;

/// `entry` at angles by their cosines and sines.
#[inline(always)]
pub(super) fn at<S: Simd>(entry: &Linear, cos: f32x8<S>, sin: f32x8<S>) -> f32x8<S> {
    cos * single(entry.cos) + sin * single(entry.sin) + single(entry.one)
}

/// The angle of a vector (cosine, sine) of any length \[rad\], from -π to π, to 1e-6 (the polynomial is that of Moshier 1989, Cephes,
/// `atanf`).
#[inline(always)]
pub(super) fn angle<S: Simd>(cosine: f32x8<S>, sine: f32x8<S>) -> f32x8<S> {
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

/// A vector of each number's own.
pub(super) type Vector<S> = [f32x8<S>; 3];

/// One vector everywhere.
#[inline(always)]
pub(super) fn constant<S: Simd>(simd: S, vector: &Vector3<f64>) -> Vector<S> {
    let entry = [single(vector.x), single(vector.y), single(vector.z)];
    [f32x8::splat(simd, entry[0]), f32x8::splat(simd, entry[1]), f32x8::splat(simd, entry[2])]
}

/// The vector after a turn about the unit vector `axis`, given by cosine and sine (Rodrigues' formula).
#[inline(always)]
pub(super) fn turned<S: Simd>(axis: Vector<S>, vector: Vector<S>, turn: [f32x8<S>; 2]) -> Vector<S> {
    let along = scale(axis, dot(axis, vector) * (1.0 - turn[0]));
    add(scale(vector, turn[0]), add(scale(cross(axis, vector), turn[1]), along))
}
