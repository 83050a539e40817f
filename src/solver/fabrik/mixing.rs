//! Anderson acceleration of a fixed-point map, for four postures at once.
//!
//! Of the last few points and their images, the combination is taken whose own step would be the shortest if the map were linear
//! (Anderson 1965, "Iterative procedures for nonlinear integral equations"; Walker and Ni 2011, "Anderson acceleration for fixed-point
//! iterations", in its form with differences). For local-global solvers such as FABRIK see Peng et al. 2018, "Anderson acceleration
//! for geometry optimization and physics simulation".

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use crate::solver::jacobian::factor::{Small, factorise, substitute};
use crate::solver::lanes::Lanes;

/// Differences that are kept at most.
pub(super) const DEPTH: usize = 6;
/// Added to the diagonal of the normal matrix, as a share of its trace.
const RIDGE: f64 = 1e-10;
/// The longest entry of a step \[rad or m\].
const GREATEST_STEP: f64 = 1.0;

/// What is remembered.
#[derive(Debug, Clone)]
pub(super) struct Mixing {
    variables: usize,
    /// The last step of the map and the last image.
    step: Vec<Lanes>,
    image: Vec<Lanes>,
    /// Differences of steps and of images, one after the other; zero where there is none.
    steps: Vec<Lanes>,
    images: Vec<Lanes>,
    /// 1 in lanes that have a last step.
    begun: Lanes,
}

impl Mixing {
    pub(super) fn new(variables: usize) -> Self {
        let zeros = |count: usize| vec![Lanes::default(); count];
        Self {
            variables,
            step: zeros(variables),
            image: zeros(variables),
            steps: zeros(DEPTH * variables),
            images: zeros(DEPTH * variables),
            begun: Lanes::default(),
        }
    }

    /// Forgets what a lane has done.
    pub(super) fn forget(&mut self, lane: usize) {
        self.begun.0[lane] = 0.0;
        for lanes in self.steps.iter_mut().chain(&mut self.images) {
            lanes.0[lane] = 0.0;
        }
    }

    /// Replaces `image`, what the map makes of `points`, by the accelerated points.
    #[inline(always)]
    pub(super) fn mix<S: Simd>(&mut self, simd: S, depth: usize, points: &[Lanes], image: &mut [Lanes]) {
        let n = self.variables;
        let begun = self.begun.load(simd);
        // The newest difference stands first, so that what one lane computes does not depend on when others began.
        self.steps.copy_within(..(depth - 1) * n, n);
        self.images.copy_within(..(depth - 1) * n, n);
        for i in 0..n {
            let (now, step) = (image[i].load(simd), image[i].load(simd) - points[i].load(simd));
            let difference = (step - self.step[i].load(simd)) * begun;
            self.steps[i].store(difference);
            let difference = (now - self.image[i].load(simd)) * begun;
            self.images[i].store(difference);
            self.step[i].store(step);
            self.image[i].store(now);
        }
        self.begun = Lanes::splat(1.0);
        let weights = self.weights(simd, depth);
        for i in 0..n {
            let mut sum = image[i].load(simd);
            for (k, weight) in weights.iter().enumerate().take(depth) {
                sum -= self.images[k * n + i].load(simd) * *weight;
            }
            let point = points[i].load(simd);
            let step = (sum - point).max(f64x4::splat(simd, -GREATEST_STEP)).min(f64x4::splat(simd, GREATEST_STEP));
            image[i].store(point + step);
        }
    }

    /// What of each difference is taken off, so that the rest of the step is shortest.
    #[inline(always)]
    fn weights<S: Simd>(&self, simd: S, depth: usize) -> [f64x4<S>; DEPTH] {
        let n = self.variables;
        let zero = f64x4::splat(simd, 0.0);
        let (mut normal, mut right) = ([[zero; DEPTH]; DEPTH], [zero; DEPTH]);
        let mut trace = f64x4::splat(simd, f64::MIN_POSITIVE);
        for i in 0..depth {
            let row = &self.steps[i * n..][..n];
            for (entry, other) in normal[i].iter_mut().zip(self.steps.chunks_exact(n)).take(i + 1) {
                for (a, b) in row.iter().zip(other) {
                    *entry += a.load(simd) * b.load(simd);
                }
            }
            for (a, b) in row.iter().zip(&self.step) {
                right[i] += a.load(simd) * b.load(simd);
            }
            trace += normal[i][i];
        }
        let mut normal = Small(normal);
        factorise(simd, depth, &mut normal, trace * RIDGE);
        substitute(simd, depth, &normal, &mut right);
        right
    }
}
