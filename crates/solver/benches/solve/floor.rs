//! The minimum arithmetic of one iteration for one configuration of seven joints: only registers, and no operation that
//! waits for another unless it must. Everything else in an iteration is overhead.

use std::hint::black_box;

/// Joints of the arm.
const JOINTS: usize = 7;
/// Independent chains of multiply-adds: as many as fit into the registers.
const CHAINS: usize = 12;
/// The sum of the counts below, in multiply-adds; a single product or sum counts as one.
const MULTIPLY_ADDS: usize = KINEMATICS + RESIDUAL + JACOBIAN + NORMAL + FACTORS + SUBSTITUTION + STEP;
/// Each frame step rotates two axes in their plane (12) and shifts the origin along two (6); rotations by right angles
/// are free. The tip is a point of the last frame (9).
const KINEMATICS: usize = JOINTS * (12 + 6) + 9;
/// The position residual (3). For the rotation residual: three dot products for its angle (9), three cross products
/// for its axis (18), which is scaled (3). The sum of the squares (6).
const RESIDUAL: usize = 3 + 9 + 18 + 3 + 6;
/// The lever arm (3) of each joint and the cross product with its axis (6).
const JACOBIAN: usize = JOINTS * (3 + 6);
/// Each of the 21 entries of a triangle of JJᵀ sums a product a joint.
const NORMAL: usize = JOINTS * 21;
/// LDLᵀ of six rows: row i subtracts i (i - 1) / 2 products from its entries (20 in total), divides each of these by
/// its pivot, and subtracts one product each from its own pivot (15 and 15). The damping (6).
const FACTORS: usize = 20 + 15 + 15 + 6;
/// 15 products forwards, 6 by the pivots, 15 backwards.
const SUBSTITUTION: usize = 15 + 6 + 15;
/// Jᵀ times the result, and the sum with the positions.
const STEP: usize = JOINTS * (6 + 1);
/// One per pivot, and one for the square root that normalises the axis of the rotation residual.
const DIVISIONS: usize = 6 + 1;

/// All of this once. The compiler may compute two chains at a time; that is not faster, since half as many chains
/// wait for themselves.
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
