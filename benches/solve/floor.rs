//! The arithmetic that one iteration for one posture of seven joints cannot do without, and nothing else: no memory but registers, no
//! operation that waits for another unless it must. What an iteration takes on top of that is overhead.

use std::hint::black_box;

/// Joints of the arm.
const JOINTS: usize = 7;
/// Chains of multiply-adds that do not wait for each other: as many as registers hold.
const CHAINS: usize = 12;
/// What is counted below, as multiply-adds; a product or a sum alone counts as one.
const MULTIPLY_ADDS: usize = KINEMATICS + RESIDUAL + JACOBIAN + NORMAL + FACTORS + SUBSTITUTION + STEP;
/// Each frame step turns two axes in their plane (12) and shifts the origin along two (6); turns by right angles cost nothing. The
/// tip is a point of the last frame (9).
const KINEMATICS: usize = JOINTS * (12 + 6) + 9;
/// The position left (3). Of the rotation left: three scalar products for its angle (9), three vector products for its axis (18),
/// which is scaled (3). The sum of the squares (6).
const RESIDUAL: usize = 3 + 9 + 18 + 3 + 6;
/// The lever arm (3) of each joint and the vector product with its axis (6).
const JACOBIAN: usize = JOINTS * (3 + 6);
/// Each of the 21 entries of a triangle of JJᵀ sums a product a joint.
const NORMAL: usize = JOINTS * 21;
/// LDLᵀ of six rows: row i takes i (i - 1) / 2 products off its entries (20 in all), divides each of these by its pivot and takes a
/// product each off its own (15 and 15). The damping (6).
const FACTORS: usize = 20 + 15 + 15 + 6;
/// 15 products forwards, 6 by the pivots, 15 backwards.
const SUBSTITUTION: usize = 15 + 6 + 15;
/// Jᵀ times the result, and the sum with the positions.
const STEP: usize = JOINTS * (6 + 1);
/// One a pivot, and one over the square root that normalises the axis of the rotation left.
const DIVISIONS: usize = 6 + 1;

/// All of that once. The compiler may compute two chains at a time; that is no faster, since the half as many then wait for themselves.
pub fn iterate(angles: &mut [f64; JOINTS]) {
    for angle in black_box(angles) {
        let (sine, cosine) = angle.sin_cos();
        *angle = sine + cosine;
    }
    let [factor, term] = black_box([0.9, 0.1]);
    let mut chains = black_box([1.0; CHAINS]);
    for _ in 0..MULTIPLY_ADDS.div_ceil(CHAINS) {
        for number in &mut chains {
            *number = *number * factor + term;
        }
    }
    let mut pivots = black_box([2.0_f64; DIVISIONS]);
    for pivot in &mut pivots {
        *pivot = 1.0 / *pivot;
    }
    pivots[0] = pivots[0].sqrt();
    black_box((chains, pivots));
}
