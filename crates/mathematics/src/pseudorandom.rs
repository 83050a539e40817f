//! Pseudorandom numbers for starting points, the same on every machine: each one is a hash of its indices.

use std::f64::consts::TAU;

use nalgebra::Vector3;

/// Odd number near 2^64 over the golden ratio, the step of SplitMix64.
const GOLDEN_STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A pseudorandom number in \[0, 1), determined by `attempt` and `index`.
pub fn fraction(attempt: usize, index: usize) -> f64 {
    let bits = (attempt as u64).wrapping_mul(GOLDEN_STEP) ^ (index as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
    let bits = mixed(bits);
    f64::from(u32::try_from(bits >> 32).unwrap_or(0)) / (f64::from(u32::MAX) + 1.0)
}

/// Shift in \[0, 1) of one `dimension` of a low-discrepancy sequence, determined by `random_seed`; 0 for seed 0.
pub fn shift(random_seed: u64, dimension: usize) -> f64 {
    if random_seed == 0 {
        return 0.0;
    }
    let bits = mixed(random_seed.wrapping_add((dimension as u64 + 1).wrapping_mul(GOLDEN_STEP)));
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let bits = (bits >> 11) as f64;
    bits * 2.0_f64.powi(-53)
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A pseudorandom unit vector, determined by `attempt` and `index` and uniformly distributed over the sphere.
pub fn direction(attempt: usize, index: usize) -> Vector3<f64> {
    let height = 2.0 * fraction(attempt, 2 * index) - 1.0;
    let (sine, cosine) = (TAU * fraction(attempt, 2 * index + 1)).sin_cos();
    let radius = (1.0 - height * height).sqrt();
    Vector3::new(radius * cosine, radius * sine, height)
}
