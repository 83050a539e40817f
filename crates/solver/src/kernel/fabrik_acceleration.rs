//! Anderson acceleration of the FABRIK cycles, for four configurations at once.
//!
//! The next configuration is the combination of the last few images of the cycle whose residual would be smallest if
//! the cycle were linear (Anderson 1965, "Iterative procedures for nonlinear integral equations"; Walker and Ni 2011,
//! "Anderson acceleration for fixed-point iterations", in its form with differences). For local-global solvers such
//! as FABRIK see Peng et al. 2018, "Anderson acceleration for geometry optimization and physics simulation".
//!
//! In these papers the residual is the step of the map. Here it also contains the residual of the targets: the step
//! alone is short at limits and where cycles converge slowly, and hardly shows the directions of slow progress.

use std::f64::consts::PI;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::lanes::Lanes;
use super::ldl::{factorise, substitute};
use crate::method::MAX_ACCELERATION;

/// Ridge on the diagonal of the normal matrix, as a fraction of its trace.
const RIDGE_FRACTION: f64 = 1e-10;
/// Added to the trace: differences much below 1e-11 are rounding errors, which must not steer the step.
const MIN_TRACE: f64 = 1e-12;
/// Largest entry of an accelerated step \[rad, or m over the length scale\].
const MAX_STEP: f64 = PI;

/// History of the last cycles for Anderson acceleration.
#[derive(Debug, Clone)]
pub struct Acceleration {
    /// The unit of each variable: 1 rad, or the length scale \[m\].
    units: Vec<f64>,
    /// The last residual: the step of each variable in its unit, then the residuals of the targets.
    residual: Vec<Lanes>,
    /// The last image: the configuration returned by the last cycle.
    image: Vec<Lanes>,
    /// Differences of successive residuals and images, one after the other, the newest first.
    residual_differences: Vec<Lanes>,
    image_differences: Vec<Lanes>,
    /// Cycles of each lane since its attempt began, which limit the usable differences.
    cycles: Lanes,
}

impl Acceleration {
    /// An empty history for variables with these `units`, one per variable: 1 rad, or the length scale \[m\]. There are
    /// at most `targets` targets.
    pub fn new(units: Vec<f64>, targets: usize) -> Self {
        let zeros = |count: usize| vec![Lanes::default(); count];
        let variables = units.len();
        let entries = variables + 6 * targets;
        Self {
            units,
            residual: zeros(entries),
            image: zeros(variables),
            residual_differences: zeros(MAX_ACCELERATION * entries),
            image_differences: zeros(MAX_ACCELERATION * variables),
            cycles: Lanes::default(),
        }
    }

    /// Clears the history of one lane.
    pub fn forget(&mut self, lane: usize) {
        self.cycles.0[lane] = 0.0;
    }

    /// Replaces `image`, the result of a cycle from `start`, by the accelerated configurations. Both have one position
    /// per variable \[rad or m\]; `rows` are the residuals of the targets \[rad\] at `start`. `depth`, at least 1, is
    /// the number of differences.
    #[inline(always)]
    pub fn accelerate<S: Simd>(
        &mut self,
        simd: S,
        depth: usize,
        start: &[Lanes],
        rows: &[[Lanes; 6]],
        image: &mut [Lanes],
    ) {
        let n = self.units.len();
        let entries = n + 6 * rows.len();
        // The newest difference comes first, so that a lane's result does not depend on when the others began.
        self.residual_differences.copy_within(..(depth - 1) * entries, entries);
        self.image_differences.copy_within(..(depth - 1) * n, n);
        for i in 0..n {
            let now = image[i].load(simd);
            let step = (now - start[i].load(simd)) / self.units[i];
            replace(now, &mut self.image[i], &mut self.image_differences[i]);
            replace(step, &mut self.residual[i], &mut self.residual_differences[i]);
        }
        for (i, row) in rows.as_flattened().iter().enumerate() {
            replace(row.load(simd), &mut self.residual[n + i], &mut self.residual_differences[n + i]);
        }
        let weights = self.weights(simd, depth, entries);
        let cycles = self.cycles.load(simd) + 1.0;
        self.cycles.store(cycles);
        for i in 0..n {
            let mut sum = image[i].load(simd);
            for (k, weight) in weights.iter().enumerate().take(depth) {
                sum -= self.image_differences[k * n + i].load(simd) * *weight;
            }
            let (from, greatest) = (start[i].load(simd), MAX_STEP * self.units[i]);
            let step = (sum - from).max(f64x4::splat(simd, -greatest)).min(f64x4::splat(simd, greatest));
            image[i].store(from + step);
        }
    }

    /// Coefficients of the differences that minimise the residual.
    #[inline(always)]
    fn weights<S: Simd>(&self, simd: S, depth: usize, entries: usize) -> [f64x4<S>; MAX_ACCELERATION] {
        let zero = f64x4::splat(simd, 0.0);
        let (mut normal, mut right) = ([[zero; MAX_ACCELERATION]; MAX_ACCELERATION], [zero; MAX_ACCELERATION]);
        let mut trace = f64x4::splat(simd, MIN_TRACE);
        let cycles = self.cycles.load(simd);
        for (i, age) in (0..depth).zip([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) {
            let own = cycles.simd_gt(f64x4::splat(simd, age));
            let row = &self.residual_differences[i * entries..][..entries];
            for (entry, other) in normal[i].iter_mut().zip(self.residual_differences.chunks_exact(entries)).take(i + 1)
            {
                *entry = own.select(product(simd, row, other), zero);
            }
            right[i] = own.select(product(simd, row, &self.residual[..entries]), zero);
            trace += normal[i][i];
        }
        factorise(simd, depth, &mut normal, trace * RIDGE_FRACTION);
        substitute(simd, depth, &normal, &mut right);
        right
    }
}

/// Replaces `last` by `now`, and writes `now - last` into `difference`.
#[inline(always)]
fn replace<S: Simd>(now: f64x4<S>, last: &mut Lanes, difference: &mut Lanes) {
    difference.store(now - last.load(now.simd));
    last.store(now);
}

/// The dot product.
#[inline(always)]
fn product<S: Simd>(simd: S, a: &[Lanes], b: &[Lanes]) -> f64x4<S> {
    let mut sum = f64x4::splat(simd, 0.0);
    for (a, b) in a.iter().zip(b) {
        sum += a.load(simd) * b.load(simd);
    }
    sum
}
