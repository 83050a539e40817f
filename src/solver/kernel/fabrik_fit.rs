//! Which motion of one joint matches points best, from sums over the points.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::frame::{Frame, store};
use super::lanes::{Lanes, Vector, add, dot, scale};

/// Joints up to which a chain is an arm, and what there each point further off counts of the one before.
const FEW: usize = 8;
const DECAY: f64 = 0.7;

/// What each point further off counts of the one before, on a path of so many joints. In a long arm more of them must count, or what
/// goes on at one end takes many cycles to be known at the other: of flat values 30 hinges do best with about 0.85, 100 with 0.9 and
/// 1000 with 0.95 to 0.99.
pub fn decay(joints: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let few = FEW as f64 / joints.max(FEW) as f64;
    1.0 - (1.0 - DECAY) * few.sqrt()
}

/// Sums over weighted points: of the weights, of the points, and of their products.
#[derive(Clone, Copy)]
pub struct Moments<S: Simd> {
    weight: f64x4<S>,
    first: Vector<S>,
    /// xx, yy, zz, xy, xz, yz.
    second: [f64x4<S>; 6],
}

impl<S: Simd> Moments<S> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        let zero = f64x4::splat(simd, 0.0);
        Self { weight: zero, first: [zero; 3], second: [zero; 6] }
    }

    /// Adds a point.
    #[inline(always)]
    pub fn add(&mut self, point: Vector<S>) {
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

    /// Lessens what all points so far count to `decay` of it.
    #[inline(always)]
    pub fn fade(&mut self, decay: f64x4<S>) {
        self.weight *= decay;
        self.first = scale(self.first, decay);
        for sum in &mut self.second {
            *sum *= decay;
        }
    }

    #[inline(always)]
    pub fn store(&self, sums: &mut [Lanes; 10]) {
        let [xx, yy, zz, xy, xz, yz] = self.second;
        store(sums, [self.weight, self.first[0], self.first[1], self.first[2], xx, yy, zz, xy, xz, yz]);
    }

    #[inline(always)]
    pub fn load(simd: S, [weight, x, y, z, second @ ..]: &[Lanes; 10]) -> Self {
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

    /// The motion along or about their common z axis that brings the points, where they lie at rest in `from`, nearest to where they
    /// lie in `to`: with u the place of a point in `from` and v in `to`, the turn of the greatest Σ w v·Rz(θ)u, or the shift of the
    /// least Σ w (v - u - shift z)². Of the two frames, `from` may come later without holding up the rest.
    #[inline(always)]
    pub fn fit(&self, prismatic: bool, from: &Frame<S>, to: &Frame<S>) -> Fit<S> {
        let mut fit = Fit::none(self.weight.simd);
        if prismatic {
            let in_from = dot(self.first, from.z) - dot(from.origin, from.z) * self.weight;
            let in_to = dot(self.first, to.z) - dot(to.origin, to.z) * self.weight;
            fit.shift = (in_to - in_from) / self.weight.max(f64x4::splat(self.weight.simd, f64::MIN_POSITIVE));
        } else {
            let x = self.apply(from.origin, to.origin, to.x);
            let y = self.apply(from.origin, to.origin, to.y);
            fit.cosine = dot(from.x, x) + dot(from.y, y);
            fit.sine = dot(from.x, y) - dot(from.y, x);
        }
        fit
    }
}

/// What matches points best.
pub struct Fit<S: Simd> {
    /// Cosine and sine of a turn, up to a common factor that says how much it matters.
    pub cosine: f64x4<S>,
    pub sine: f64x4<S>,
    /// A shift.
    pub shift: f64x4<S>,
}

impl<S: Simd> Fit<S> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        let zero = f64x4::splat(simd, 0.0);
        Self { cosine: zero, sine: zero, shift: zero }
    }

    /// Adds the way back of another, which counts `weight`.
    #[inline(always)]
    pub fn add_inverse(&mut self, other: &Self, weight: f64) {
        self.cosine += other.cosine * weight;
        self.sine -= other.sine * weight;
        self.shift -= other.shift * weight;
    }
}
