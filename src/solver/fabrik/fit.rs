//! Which motion of one joint matches points best, from sums over the points.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use crate::solver::frame::{Frame, store};
use crate::solver::lanes::{Lanes, Vector, add, dot, scale};

/// What each point further off counts of the one before.
pub(super) const DECAY: f64 = 0.7;

/// Sums over weighted points: of the weights, of the points, and of their products.
#[derive(Clone, Copy)]
pub(super) struct Moments<S: Simd> {
    weight: f64x4<S>,
    first: Vector<S>,
    /// xx, yy, zz, xy, xz, yz.
    second: [f64x4<S>; 6],
}

impl<S: Simd> Moments<S> {
    #[inline(always)]
    pub(super) fn none(simd: S) -> Self {
        let zero = f64x4::splat(simd, 0.0);
        Self { weight: zero, first: [zero; 3], second: [zero; 6] }
    }

    /// Adds a point.
    #[inline(always)]
    pub(super) fn add(&mut self, point: Vector<S>) {
        let [x, y, z] = point;
        self.weight += 1.0;
        self.first = add(self.first, point);
        self.second[0] += x * x;
        self.second[1] += y * y;
        self.second[2] += z * z;
        self.second[3] += x * y;
        self.second[4] += x * z;
        self.second[5] += y * z;
    }

    /// Lessens what all points so far count.
    #[inline(always)]
    pub(super) fn fade(&mut self) {
        let decay = f64x4::splat(self.weight.simd, DECAY);
        self.weight *= decay;
        self.first = scale(self.first, decay);
        for sum in &mut self.second {
            *sum *= decay;
        }
    }

    #[inline(always)]
    pub(super) fn store(&self, sums: &mut [Lanes; 10]) {
        let [xx, yy, zz, xy, xz, yz] = self.second;
        store(sums, [self.weight, self.first[0], self.first[1], self.first[2], xx, yy, zz, xy, xz, yz]);
    }

    #[inline(always)]
    pub(super) fn load(simd: S, [weight, x, y, z, second @ ..]: &[Lanes; 10]) -> Self {
        let [xx, yy, zz, xy, xz, yz] = second;
        Self {
            weight: weight.load(simd),
            first: [x.load(simd), y.load(simd), z.load(simd)],
            second: [xx.load(simd), yy.load(simd), zz.load(simd), xy.load(simd), xz.load(simd), yz.load(simd)],
        }
    }

    /// Σ w (p - a)(p - b)ᵀ direction.
    #[inline(always)]
    fn apply(&self, a: Vector<S>, b: Vector<S>, direction: Vector<S>) -> Vector<S> {
        let [xx, yy, zz, xy, xz, yz] = self.second;
        let [x, y, z] = direction;
        let along = dot(self.first, direction);
        let from_b = dot(b, direction);
        // Σ w p pᵀd - a Σ w pᵀd - Σ w p bᵀd + a bᵀd Σ w
        let second = [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z];
        let factor = from_b * self.weight - along;
        let mut sum = second;
        for i in 0..3 {
            sum[i] = sum[i] + a[i] * factor - self.first[i] * from_b;
        }
        sum
    }

    /// The cosine and the sine, up to a common factor, of the turn about their common z axis that brings the points as they lie in
    /// `from` nearest to where they lie in `to`: with u in `from` and v in `to`, of the greatest Σ w v·Rz(θ)u.
    #[inline(always)]
    pub(super) fn turn(&self, from: &Frame<S>, to: &Frame<S>) -> (f64x4<S>, f64x4<S>) {
        let x = self.apply(from.origin, to.origin, to.x);
        let y = self.apply(from.origin, to.origin, to.y);
        (dot(from.x, x) + dot(from.y, y), dot(from.x, y) - dot(from.y, x))
    }

    /// The shift along z that does the same.
    #[inline(always)]
    pub(super) fn shift(&self, from: &Frame<S>, to: &Frame<S>) -> f64x4<S> {
        let in_from = dot(self.first, from.z) - dot(from.origin, from.z) * self.weight;
        let in_to = dot(self.first, to.z) - dot(to.origin, to.z) * self.weight;
        (in_to - in_from) / self.weight.max(f64x4::splat(self.weight.simd, 1e-300))
    }
}

/// The angle of a vector (cosine, sine) of any length, from -π to π, to about 1e-9 of it; 0 for the zero vector.
///
/// The angle is halved three times by tan(a/2) = tan a / (1 + √(1 + tan² a)), which leaves a short series.
#[inline(always)]
pub(super) fn angle<S: Simd>(cosine: f64x4<S>, sine: f64x4<S>) -> f64x4<S> {
    let simd = cosine.simd;
    let length = (cosine * cosine + sine * sine).sqrt();
    // Half: the denominator is far from zero but where the angle is near half a turn.
    let tiny = f64x4::splat(simd, 1e-300);
    let half = sine / (length + cosine).max(length * 1e-16).max(tiny);
    let quarter = half / ((half * half + 1.0).sqrt() + 1.0);
    let eighth = quarter / ((quarter * quarter + 1.0).sqrt() + 1.0);
    let square = eighth * eighth;
    let mut series = f64x4::splat(simd, 1.0 / 17.0);
    for denominator in [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * square * -1.0 + 1.0 / denominator;
    }
    eighth * series * 8.0
}
