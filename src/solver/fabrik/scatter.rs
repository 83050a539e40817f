//! Numbers that are spread like random ones but are the same on every machine: postures to start from again.

use std::f64::consts::TAU;

use nalgebra::Vector3;

/// A number in \[0, 1) for each `(attempt, index)`: the finaliser of `SplitMix64` (Steele, Lea and Flood 2014) on both.
pub(in crate::solver) fn fraction(attempt: usize, index: usize) -> f64 {
    let mut bits =
        (attempt as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (index as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 31;
    f64::from(u32::try_from(bits >> 32).unwrap_or(0)) / (f64::from(u32::MAX) + 1.0)
}

/// A direction for each `(attempt, index)`, evenly spread over the unit sphere.
pub(in crate::solver) fn direction(attempt: usize, index: usize) -> Vector3<f64> {
    let height = 2.0 * fraction(attempt, 2 * index) - 1.0;
    let (sine, cosine) = (TAU * fraction(attempt, 2 * index + 1)).sin_cos();
    let radius = (1.0 - height * height).sqrt();
    Vector3::new(radius * cosine, radius * sine, height)
}
