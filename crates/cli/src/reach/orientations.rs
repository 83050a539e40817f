//! Evenly distributed orientations.

use std::f64::consts::{SQRT_2, TAU};

use nalgebra::{Quaternion, UnitQuaternion};

/// The positive solution of ψ⁴ = ψ + 4.
const PSI: f64 = 1.533_751_168_755_204_3;

/// Returns `count` orientations on a super-Fibonacci spiral (Alexa 2022, "Super-Fibonacci Spirals: Fast,
/// Low-Discrepancy Sampling of SO(3)").
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn spread(count: usize) -> Vec<UnitQuaternion<f64>> {
    let at = |index: usize| {
        let step = index as f64 + 0.5;
        let share = step / count as f64;
        let (inner, outer) = (share.sqrt(), (1.0 - share).sqrt());
        let ((sine, cosine), (other_sine, other_cosine)) =
            ((TAU * step / SQRT_2).sin_cos(), (TAU * step / PSI).sin_cos());
        let quaternion = Quaternion::new(outer * other_cosine, inner * sine, inner * cosine, outer * other_sine);
        UnitQuaternion::new_normalize(quaternion)
    };
    (0..count).map(at).collect()
}
