//! Anderson acceleration of the cycles of reaching, for four postures at once.
//!
//! Of the last few postures and what a cycle made of them, the combination is taken that would leave least if all were linear (Anderson
//! 1965, "Iterative procedures for nonlinear integral equations"; Walker and Ni 2011, "Anderson acceleration for fixed-point
//! iterations", in its form with differences). For local-global solvers such as FABRIK see Peng et al. 2018, "Anderson acceleration
//! for geometry optimization and physics simulation".
//!
//! There, what is left is the step of the map. Here it is that and the residual of the targets: the step alone is also short where
//! a limit stops the arm or where the cycles creep, and says little of the directions in which they do.

use std::f64::consts::PI;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::lanes::Lanes;
use super::ldl::{Small, factorise, substitute};
use crate::solver::method::GREATEST_ACCELERATION;

/// Added to the diagonal of the normal matrix, as a share of its trace, and of the least trace there may be: differences much below
/// 1e-11 are rounding, which must not be followed.
const RIDGE: f64 = 1e-10;
const LEAST_TRACE: f64 = 1e-12;
/// The longest entry of a step \[rad, or m over the length scale\].
const GREATEST_STEP: f64 = PI;

/// What is remembered.
#[derive(Debug, Clone)]
pub struct Acceleration {
    /// What counts as 1 of each variable: 1 rad, or the length scale \[m\].
    units: Vec<f64>,
    /// What was left last: the step of each variable in its unit, then the residuals of the targets. And where the last cycle led.
    left: Vec<Lanes>,
    image: Vec<Lanes>,
    /// Their differences from one cycle to the next, one after the other, the newest first.
    lefts: Vec<Lanes>,
    images: Vec<Lanes>,
    /// Cycles that each lane has behind it since it began, and so how many of the differences are its own.
    cycles: Lanes,
}

impl Acceleration {
    /// For postures of variables with these units and at most so many targets.
    pub fn new(units: Vec<f64>, targets: usize) -> Self {
        let zeros = |count: usize| vec![Lanes::default(); count];
        let variables = units.len();
        let entries = variables + 6 * targets;
        Self {
            units,
            left: zeros(entries),
            image: zeros(variables),
            lefts: zeros(GREATEST_ACCELERATION * entries),
            images: zeros(GREATEST_ACCELERATION * variables),
            cycles: Lanes::default(),
        }
    }

    /// Forgets what a lane has done.
    pub fn forget(&mut self, lane: usize) {
        self.cycles.0[lane] = 0.0;
    }

    /// Replaces `image`, what a cycle makes of `points`, which were `rows` off the targets, by the accelerated postures.
    #[inline(always)]
    pub fn accelerate<S: Simd>(
        &mut self,
        simd: S,
        depth: usize,
        (points, rows): (&[Lanes], &[[Lanes; 6]]),
        image: &mut [Lanes],
    ) {
        let n = self.units.len();
        let entries = n + 6 * rows.len();
        // The newest difference stands first, so that what one lane computes does not depend on when others began.
        self.lefts.copy_within(..(depth - 1) * entries, entries);
        self.images.copy_within(..(depth - 1) * n, n);
        for i in 0..n {
            let now = image[i].load(simd);
            let step = (now - points[i].load(simd)) / self.units[i];
            replace(now, &mut self.image[i], &mut self.images[i]);
            replace(step, &mut self.left[i], &mut self.lefts[i]);
        }
        for (i, row) in rows.as_flattened().iter().enumerate() {
            replace(row.load(simd), &mut self.left[n + i], &mut self.lefts[n + i]);
        }
        let weights = self.weights(simd, depth, entries);
        let cycles = self.cycles.load(simd) + 1.0;
        self.cycles.store(cycles);
        for i in 0..n {
            let mut sum = image[i].load(simd);
            for (k, weight) in weights.iter().enumerate().take(depth) {
                sum -= self.images[k * n + i].load(simd) * *weight;
            }
            let (point, greatest) = (points[i].load(simd), GREATEST_STEP * self.units[i]);
            let step = (sum - point).max(f64x4::splat(simd, -greatest)).min(f64x4::splat(simd, greatest));
            image[i].store(point + step);
        }
    }

    /// What of each difference is taken off, so that least is left.
    #[inline(always)]
    fn weights<S: Simd>(&self, simd: S, depth: usize, entries: usize) -> [f64x4<S>; GREATEST_ACCELERATION] {
        let zero = f64x4::splat(simd, 0.0);
        let (mut normal, mut right) =
            ([[zero; GREATEST_ACCELERATION]; GREATEST_ACCELERATION], [zero; GREATEST_ACCELERATION]);
        let mut trace = f64x4::splat(simd, LEAST_TRACE);
        let cycles = self.cycles.load(simd);
        for (i, age) in (0..depth).zip([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) {
            let own = cycles.simd_gt(f64x4::splat(simd, age));
            let row = &self.lefts[i * entries..][..entries];
            for (entry, other) in normal[i].iter_mut().zip(self.lefts.chunks_exact(entries)).take(i + 1) {
                *entry = own.select(product(simd, row, other), zero);
            }
            right[i] = own.select(product(simd, row, &self.left[..entries]), zero);
            trace += normal[i][i];
        }
        let mut normal = Small(normal);
        factorise(simd, depth, &mut normal, trace * RIDGE);
        substitute(simd, depth, &normal, &mut right);
        right
    }
}

/// Puts `now` in the place of `last` and their difference into `difference`.
#[inline(always)]
fn replace<S: Simd>(now: f64x4<S>, last: &mut Lanes, difference: &mut Lanes) {
    difference.store(now - last.load(now.simd));
    last.store(now);
}

/// The scalar product.
#[inline(always)]
fn product<S: Simd>(simd: S, a: &[Lanes], b: &[Lanes]) -> f64x4<S> {
    let mut sum = f64x4::splat(simd, 0.0);
    for (a, b) in a.iter().zip(b) {
        sum += a.load(simd) * b.load(simd);
    }
    sum
}
