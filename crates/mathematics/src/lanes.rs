//! SIMD arithmetic on four configurations at once: each lane belongs to one of them.
//!
//! The instruction set is chosen at run time. No operation is fused, so every processor returns the same bits.
//! Functions on lanes must be compiled into the caller that chose the instructions: they are always inlined and call
//! no closures.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::ops::{Add, Mul, Neg, Sub};

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4, u64x4};

/// Number of configurations per SIMD vector.
pub const LANES: usize = 4;

/// One number per configuration, stored as an array.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(32))]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// Lanes with `value` in each.
    pub const fn splat(value: f64) -> Self {
        Self([value; LANES])
    }

    /// Loads the numbers into a SIMD vector.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S) -> f64x4<S> {
        f64x4::load_array_ref(simd, &self.0)
    }

    /// Overwrites the numbers with those of a SIMD vector.
    #[inline(always)]
    pub fn store<S: Simd>(&mut self, value: f64x4<S>) {
        value.store_array(&mut self.0);
    }
}

/// Rounds a number to single precision. This suffices for ranking.
#[expect(clippy::cast_possible_truncation, reason = "single precision is plenty for a ranking")]
pub fn single(value: f64) -> f32 {
    value as f32
}

/// One 3-vector per configuration: x, y and z, each with one number per lane.
pub type Vector<S> = [f64x4<S>; 3];

/// SIMD vectors of any precision, with the arithmetic of 3-vectors.
pub trait Numbers: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Neg<Output = T>> Numbers for T {}

/// The cross product of two 3-vectors.
#[inline(always)]
pub fn cross<T: Numbers>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The dot product of two 3-vectors.
#[inline(always)]
pub fn dot<T: Numbers>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The sum of two 3-vectors.
#[inline(always)]
pub fn add<T: Numbers>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The difference of two 3-vectors.
#[inline(always)]
pub fn subtract<T: Numbers>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The negative of a 3-vector.
#[inline(always)]
pub fn negate<T: Numbers>(a: [T; 3]) -> [T; 3] {
    [-a[0], -a[1], -a[2]]
}

/// The product of a 3-vector and a number.
#[inline(always)]
pub fn scale<T: Numbers>(a: [T; 3], factor: T) -> [T; 3] {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// Lanes with this 3-vector in each.
#[inline(always)]
pub fn splat<S: Simd>(simd: S, [x, y, z]: [f64; 3]) -> Vector<S> {
    [f64x4::splat(simd, x), f64x4::splat(simd, y), f64x4::splat(simd, z)]
}

/// 1.5 · 2^52. Adding it rounds a number below 2^51 to an integer, because no fraction bits are left.
const ROUND_TO_INTEGER: f64 = 6_755_399_441_055_744.0;
/// The high part of π/2, of 33 bits, so that its product with an integer of up to 20 bits is exact.
const HALF_PI_HIGH: f64 = 1.570_796_326_734_125_6;
/// Remainder of π/2.
const HALF_PI_LOW: f64 = 6.077_100_506_506_192e-11;

/// Coefficients of x³, x⁵, … of the sine on ±π/4, to half a unit in the last place (from fdlibm, Sun Microsystems
/// 1993, `k_sin.c`).
const SINE_COEFFICIENTS: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
/// Coefficients of x⁴, x⁶, … of the cosine on ±π/4, to half a unit in the last place (from fdlibm, `k_cos.c`).
const COSINE_COEFFICIENTS: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// The sine, then the cosine, of angles \[rad\] up to 1e6 in magnitude, with errors of a few 1e-16.
#[inline(always)]
pub fn sine_cosine<S: Simd>(angle: f64x4<S>) -> (f64x4<S>, f64x4<S>) {
    // The lowest bits of the sum hold the number of quarter turns.
    let shifted = angle * std::f64::consts::FRAC_2_PI + ROUND_TO_INTEGER;
    let quarters = shifted - ROUND_TO_INTEGER;
    let x = angle - quarters * HALF_PI_HIGH - quarters * HALF_PI_LOW;
    let square = x * x;
    let sine = x + x * square * series(square, &SINE_COEFFICIENTS);
    let cosine = 1.0 - 0.5 * square + square * square * series(square, &COSINE_COEFFICIENTS);
    // The quadrant: odd ones swap sine and cosine, and half turns change the signs.
    let quarter: u64x4<S> = shifted.to_bits();
    let swapped = (quarter & 1).simd_ne(u64x4::splat(angle.simd, 0));
    let (s, c) = (swapped.select(cosine, sine), swapped.select(sine, cosine));
    let sine = f64x4::from_bits(s.to_bits() ^ ((quarter & 2) << 62));
    let cosine = f64x4::from_bits(c.to_bits() ^ (((quarter + 1) & 2) << 62));
    (sine, cosine)
}

/// tan(π/8).
const TAN_EIGHTH_PI: f64 = std::f64::consts::SQRT_2 - 1.0;
/// Coefficients of x³, x⁵, … of the arctangent of numbers up to tan(π/8). They minimise the largest relative error,
/// which is 2.3e-11 (computed by iterated least squares).
const ARCTANGENT_COEFFICIENTS: [f64; 6] = [
    -0.333_333_325_146_064_45,
    0.199_999_051_867_282_73,
    -0.142_820_420_720_441_04,
    0.110_450_935_161_516_27,
    -0.084_784_060_754_225_75,
    0.047_482_750_263_501_12,
];

/// The angles \[rad\] of the vectors (cosine, sine) of any length, in \[-π, π\], with a relative error of at most
/// 3e-11; 0 for the zero vector.
#[inline(always)]
pub fn angle<S: Simd>(cosine: f64x4<S>, sine: f64x4<S>) -> f64x4<S> {
    let simd = cosine.simd;
    let zero = f64x4::splat(simd, 0.0);
    let (x, y) = (cosine.abs(), sine.abs());
    let (large, small) = (x.max(y), x.min(y));
    // The acute angle to the nearer axis, minus 45° where it is above 22.5°: one division and a short
    // series are enough.
    let above = small.simd_gt(large * TAN_EIGHTH_PI);
    let opposite = above.select(small - large, small);
    let adjacent = above.select(small + large, large.max(f64x4::splat(simd, f64::MIN_POSITIVE)));
    let tangent = opposite / adjacent;
    let square = tangent * tangent;
    let part = tangent + tangent * square * series(square, &ARCTANGENT_COEFFICIENTS);
    let acute = part + above.select(f64x4::splat(simd, FRAC_PI_4), zero);
    let first_quadrant = y.simd_gt(x).select(FRAC_PI_2 - acute, acute);
    let upper_half = cosine.simd_lt(zero).select(PI - first_quadrant, first_quadrant);
    sine.simd_lt(zero).select(-upper_half, upper_half)
}

/// c₀ + c₁ x + … + c₅ x⁵. Even and odd powers are summed separately, so that neither sum waits for the other.
#[inline(always)]
fn series<S: Simd>(x: f64x4<S>, c: &[f64; 6]) -> f64x4<S> {
    let square = x * x;
    let even = (square * c[4] + c[2]) * square + c[0];
    let odd = (square * c[5] + c[3]) * square + c[1];
    even + odd * x
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    fn sine_cosine_of(angles: [f64; LANES]) -> ([f64; LANES], [f64; LANES]) {
        let (mut sine, mut cosine) = (Lanes::default(), Lanes::default());
        dispatch!(Level::new(), simd => {
            let (s, c) = sine_cosine(Lanes(angles).load(simd));
            sine.store(s);
            cosine.store(c);
        });
        (sine.0, cosine.0)
    }

    /// The largest error of sine and cosine. Successive angles are in different lanes.
    fn worst(angles: impl Iterator<Item = f64>) -> f64 {
        let angles: Vec<f64> = angles.collect();
        let mut worst = 0.0_f64;
        for four in angles.chunks(LANES) {
            let lanes = std::array::from_fn(|lane| four[lane % four.len()]);
            let (sine, cosine) = sine_cosine_of(lanes);
            for (lane, angle) in lanes.into_iter().enumerate() {
                let apart = (sine[lane] - angle.sin()).abs().max((cosine[lane] - angle.cos()).abs());
                worst = worst.max(apart);
                assert!(apart <= 3e-16, "{angle:e}: {:e} {:e}", sine[lane], cosine[lane]);
            }
        }
        worst
    }

    #[test]
    fn sines_and_cosines_are_right_to_the_last_bits_up_to_a_million() {
        for (size, count) in [(1e-3, 20_000), (PI, 100_000), (20.0, 100_000), (1e4, 100_000), (1e6, 100_000)] {
            let step = 2.0 * size / f64::from(count);
            println!("{size:e}: {:e}", worst((0..=count).map(|i| f64::from(i).mul_add(step, -size))));
        }
    }

    #[test]
    fn sines_and_cosines_are_right_at_the_borders_of_quarters() {
        let borders = (-2000..=2000).chain([636_619, -636_619, 600_001]).flat_map(|quarters| {
            let at = f64::from(quarters) * FRAC_PI_2;
            [at, at.next_up(), at.next_down(), at + FRAC_PI_4, (at + FRAC_PI_4).next_up(), (at + FRAC_PI_4).next_down()]
        });
        println!("{:e}", worst(borders));
    }

    fn angle_of(vectors: [(f64, f64); LANES]) -> [f64; LANES] {
        let mut found = Lanes::default();
        dispatch!(Level::new(), simd => {
            let (cosine, sine) = (Lanes(vectors.map(|(x, _)| x)), Lanes(vectors.map(|(_, y)| y)));
            found.store(angle(cosine.load(simd), sine.load(simd)));
        });
        found.0
    }

    #[test]
    fn angles_of_vectors_of_any_length_are_right_to_3e_11_of_themselves() {
        let (count, mut worst) = (200_000, 0.0_f64);
        for i in -count..=count {
            let exact = f64::from(i) / f64::from(count) * PI;
            let (sine, cosine) = exact.sin_cos();
            let lengths = [1.0, 1e-150, 1e150, 3.7];
            for found in angle_of(lengths.map(|length| (length * cosine, length * sine))) {
                let exact = sine.atan2(cosine);
                worst = worst.max((found - exact).abs() / exact.abs().max(1e-300));
            }
        }
        println!("{worst:e}");
        assert!(worst < 3e-11, "{worst:e}");
    }

    #[test]
    fn angles_at_the_borders() {
        let found = angle_of([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, -2.0)]);
        assert_eq!(found, [0.0, 0.0, FRAC_PI_2, -FRAC_PI_2]);
        let found = angle_of([(-1.0, 0.0), (-1.0, -1e-300), (1.0, 1e-200), (5e-324, 0.0)]);
        assert_eq!(found, [PI, -PI, 1e-200, 0.0]);
        let found = angle_of([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]);
        for (found, exact) in found.into_iter().zip([FRAC_PI_4, 3.0 * FRAC_PI_4, -3.0 * FRAC_PI_4, -FRAC_PI_4]) {
            assert!((found - exact).abs() < 1e-10, "{found}");
        }
    }

    #[test]
    fn tiny_angles_are_their_own_sines() {
        let tiny = [0.0, -0.0, 5e-324, -5e-324, 1e-308, -1e-300, 1e-200, 1e-30, -1e-20, 1e-10];
        for angle in tiny {
            let (sine, cosine) = sine_cosine_of([angle; LANES]);
            assert_eq!(sine, [angle; LANES]);
            assert_eq!(cosine, [1.0; LANES]);
        }
    }
}
