//! The least-squares displacement of one joint that fits points, from their moments.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::frame::LaneFrame;
use super::lanes::{Vector, dot};

/// Largest number of joints of chains with [`SHORT_CHAIN_DECAY`].
const SHORT_CHAIN_JOINTS: usize = 8;
/// Weight of each point relative to the next nearer one, in a short chain.
const SHORT_CHAIN_DECAY: f64 = 0.7;

/// Weight of each point relative to the next nearer one, on a path of `joints` joints. Long chains need slower decay:
/// otherwise a change at one end takes many cycles to reach the other. The best values are about 0.85 for 30 hinges,
/// 0.9 for 100 and 0.95 to 0.99 for 1000.
pub fn decay(joints: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let short = SHORT_CHAIN_JOINTS as f64 / joints.max(SHORT_CHAIN_JOINTS) as f64;
    1.0 - (1.0 - SHORT_CHAIN_DECAY) * short.sqrt()
}

/// Weighted sums over points: of 1, of their coordinates x, y and z, and of the products xx, yy, zz, xy, xz and yz. The
/// points are in the base link's frame and in units of the length scale.
#[derive(Clone, Copy)]
pub struct Moments<S: Simd>(pub [f64x4<S>; 10]);

impl<S: Simd> Moments<S> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        Self([f64x4::splat(simd, 0.0); 10])
    }

    /// Adds a point with weight 1.
    #[inline(always)]
    pub fn add(&mut self, [x, y, z]: Vector<S>) {
        let one = f64x4::splat(x.simd, 1.0);
        for (sum, term) in self.0.iter_mut().zip([one, x, y, z, x * x, y * y, z * z, x * y, x * z, y * z]) {
            *sum += term;
        }
    }

    /// Multiplies the weights of all points so far by `decay`.
    #[inline(always)]
    pub fn fade(&mut self, decay: f64x4<S>) {
        for sum in &mut self.0 {
            *sum *= decay;
        }
    }

    /// Σ w (p - a)(p - b)ᵀ direction.
    #[inline(always)]
    fn apply(&self, a: Vector<S>, b: Vector<S>, direction: Vector<S>) -> Vector<S> {
        let [weight, first @ .., xx, yy, zz, xy, xz, yz] = self.0;
        let [x, y, z] = direction;
        let along = dot(first, direction);
        let from_b = dot(b, direction);
        // Σ w p pᵀd - a Σ w pᵀd - Σ w p bᵀd + a bᵀd Σ w
        let second = [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z];
        let factor = from_b * weight - along;
        let mut sum = second;
        for i in 0..3 {
            sum[i] = sum[i] + a[i] * factor - first[i] * from_b;
        }
        sum
    }

    /// The rotation about, or translation along, the common z axis of two frames that fits the points best. With u
    /// the position of a point in `from` and v in `to`, it maximises Σ w v·Rz(θ)u, or minimises Σ w (v - u - shift
    /// z)². Most of the computation depends on `to` alone and so does not wait for `from`.
    #[inline(always)]
    pub fn fit(&self, prismatic: bool, from: &LaneFrame<S>, to: &LaneFrame<S>) -> JointFit<S> {
        let [weight, x, y, z, ..] = self.0;
        let first = [x, y, z];
        let mut fit = JointFit::none(weight.simd);
        if prismatic {
            let in_from = dot(first, from.z) - dot(from.origin, from.z) * weight;
            let in_to = dot(first, to.z) - dot(to.origin, to.z) * weight;
            fit.shift = (in_to - in_from) / weight.max(f64x4::splat(weight.simd, f64::MIN_POSITIVE));
        } else {
            let x = self.apply(from.origin, to.origin, to.x);
            let y = self.apply(from.origin, to.origin, to.y);
            fit.cosine = dot(from.x, x) + dot(from.y, y);
            fit.sine = dot(from.x, y) - dot(from.y, x);
        }
        fit
    }
}

/// The rotation about a joint's axis, or the translation along it, that fits the points best.
pub struct JointFit<S: Simd> {
    /// Cosine of the rotation, times its weight.
    pub cosine: f64x4<S>,
    /// Sine of the rotation, times its weight.
    pub sine: f64x4<S>,
    /// The translation, in units of the length scale.
    pub shift: f64x4<S>,
}

impl<S: Simd> JointFit<S> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        let zero = f64x4::splat(simd, 0.0);
        Self { cosine: zero, sine: zero, shift: zero }
    }

    /// Adds the inverse of another fit, times `weight`.
    #[inline(always)]
    pub fn add_inverse(&mut self, other: &Self, weight: f64) {
        self.cosine += other.cosine * weight;
        self.sine -= other.sine * weight;
        self.shift -= other.shift * weight;
    }
}
