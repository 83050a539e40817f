//! Damped least squares within bounds, for four configurations at once.
//!
//! The bounds of a step are a box: joint limits, bounds of the problem and, in tracking, step bounds around the seed.
//! One active set serves all of them.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4, mask64x4};

use super::configurations::{ActiveSet, Configurations};
use super::dimension::{Compiled, Dimension};
use super::lanes::Lanes;
use crate::problem::Bounds;

/// Damping per squared number of variables, or of the six rows, that is added to every damping. It keeps the normal
/// matrix positive definite if rows or columns are zero or dependent: rounding grows in proportion. More would slow
/// the last steps to singular solutions.
const MIN_DAMPING: f64 = 4e-17;

/// Largest number of passes that release variables.
const RELEASES: usize = 8;
/// Step length \[rad or m\] above which no variable is released: the search continues anyway, and releases it in a
/// later step.
const SHORT_STEP: f64 = 1e-3;
/// Descent along a variable, over the sum of the magnitudes of its terms, that counts as rounding.
const MIN_DESCENT: f64 = 1e-9;

/// Smallest damping for this number of variables.
#[expect(clippy::cast_precision_loss, reason = "a number of joints")]
fn min_damping(variables: usize) -> f64 {
    MIN_DAMPING * (variables * variables).max(36) as f64
}

impl<S: Simd, D: Dimension> Compiled<S, D> {
    /// Writes into `configurations.step` the steps \[rad or m\] that minimise |columns · step - rows|² + damping
    /// |step|² with every variable within its bounds. Active set: variables that would leave their bounds are clamped
    /// to them, their effect is subtracted from the residual rows, and the others are solved again. This overwrites the
    /// columns and rows of `configurations`.
    #[inline(always)]
    pub fn bounded_step(self, configurations: &mut Configurations, bounds: Bounds, damping: &Lanes) {
        let Self { simd, dimension } = self;
        let n = dimension.variables();
        let damping = damping.load(simd) + min_damping(n);
        let mut first = true;
        let mut releases = 0;
        // Each pass but the first clamps at least one variable, or is one of the few that release, so the loop ends.
        // There is only one call of `solve`, because it is inlined here.
        loop {
            dimension.solve(configurations, damping);
            if first {
                if !self.leaves_bounds(configurations, bounds) {
                    return;
                }
                configurations.active_set.clamped_step[..n].fill(Lanes::default());
                configurations.active_set.clamped[..n].fill(Lanes::default());
                first = false;
            }
            if self.clamp_to_bounds(configurations, bounds) {
                continue;
            }
            releases += 1;
            let short = self.short_steps(configurations);
            // The release is not inlined: it is rare, and would make the loop larger.
            if releases > RELEASES
                || !short.any_true()
                || !simd.vectorize(|| self.release(configurations, bounds, damping, short))
            {
                break;
            }
        }
        for (step, clamped_step) in configurations.step[..n].iter_mut().zip(&configurations.active_set.clamped_step) {
            let sum = step.load(simd) + clamped_step.load(simd);
            step.store(sum);
        }
    }

    /// Adds the step to the positions in the lanes that are `moving` (1 or 0). The positions are clamped to the bounds.
    #[inline(always)]
    pub fn advance(self, configurations: &mut Configurations, bounds: Bounds, moving: &Lanes) {
        let Self { simd, dimension } = self;
        let n = dimension.variables();
        let moving = moving.load(simd);
        let (lower, upper) = (&bounds.lower[..n], &bounds.upper[..n]);
        for (i, (position, step)) in configurations.positions[..n].iter_mut().zip(&configurations.step[..n]).enumerate()
        {
            let next = position.load(simd) + step.load(simd) * moving;
            // The sum may exceed a bound by rounding.
            position.store(next.max(f64x4::splat(simd, lower[i])).min(f64x4::splat(simd, upper[i])));
        }
    }

    /// True if the step takes any variable beyond its bounds.
    #[inline(always)]
    fn leaves_bounds(self, configurations: &Configurations, bounds: Bounds) -> bool {
        let (simd, n) = (self.simd, self.dimension.variables());
        let (positions, steps) = (&configurations.positions[..n], &configurations.step[..n]);
        let (lower, upper) = (&bounds.lower[..n], &bounds.upper[..n]);
        let mut leaves = f64x4::splat(simd, 0.0).simd_ne(f64x4::splat(simd, 0.0));
        for i in 0..n {
            let next = positions[i].load(simd) + steps[i].load(simd);
            leaves = leaves | next.simd_lt(f64x4::splat(simd, lower[i])) | next.simd_gt(f64x4::splat(simd, upper[i]));
        }
        leaves.any_true()
    }

    /// Clamps the variables whose steps leave their bounds. Returns whether there were any.
    #[inline(always)]
    fn clamp_to_bounds(self, configurations: &mut Configurations, bounds: Bounds) -> bool {
        let (simd, n) = (self.simd, self.dimension.variables());
        let mut any = false;
        for i in 0..n {
            let (position, step) = (configurations.positions[i].load(simd), configurations.step[i].load(simd));
            let clamped = configurations.active_set.clamped[i].load(simd);
            let next = position + step;
            let lower = f64x4::splat(simd, bounds.lower[i]);
            let upper = f64x4::splat(simd, bounds.upper[i]);
            let leaves = (next.simd_lt(lower) | next.simd_gt(upper)) & clamped.simd_eq(f64x4::splat(simd, 0.0));
            if leaves.any_true() {
                any = true;
                let bounded = next.max(lower).min(upper) - position;
                self.clamp_variable(configurations, i, leaves, bounded);
            }
        }
        any
    }

    /// Clamps variable `i` to the step `bounded` in the configurations of `leaves`, and saves its columns.
    #[inline(always)]
    fn clamp_variable(self, configurations: &mut Configurations, i: usize, leaves: mask64x4<S>, bounded: f64x4<S>) {
        let Self { simd, dimension } = self;
        let Configurations { rows, columns, active_set, .. } = configurations;
        let zero = f64x4::splat(simd, 0.0);
        let bounded = leaves.select(bounded, zero);
        let clamped_step = active_set.clamped_step[i].load(simd) + bounded;
        let clamped = leaves.select(f64x4::splat(simd, 1.0), active_set.clamped[i].load(simd));
        active_set.clamped_step[i].store(clamped_step);
        active_set.clamped[i].store(clamped);
        for (target, rows) in rows[..dimension.targets()].iter_mut().enumerate() {
            let index = target * dimension.variables() + i;
            let (column, kept) = (&mut columns[index], &mut active_set.clamped_columns[index]);
            for ((row, entry), kept) in rows.iter_mut().zip(column).zip(kept) {
                let value = entry.load(simd);
                row.store(row.load(simd) - value * bounded);
                entry.store(leaves.select(zero, value));
                kept.store(leaves.select(value, kept.load(simd)));
            }
        }
    }

    /// The configurations without a step of [`SHORT_STEP`] or more.
    #[inline(always)]
    fn short_steps(self, configurations: &Configurations) -> mask64x4<S> {
        let (simd, n) = (self.simd, self.dimension.variables());
        let mut longest = f64x4::splat(simd, 0.0);
        for (step, clamped_step) in configurations.step[..n].iter().zip(&configurations.active_set.clamped_step) {
            longest = longest.max((step.load(simd) + clamped_step.load(simd)).abs());
        }
        longest.simd_lt(f64x4::splat(simd, SHORT_STEP))
    }

    /// Releases clamped variables with a descent direction away from their bound, now that others are clamped as
    /// well, in the configurations with `short` steps. Returns whether there were any.
    #[inline(always)]
    fn release(
        self,
        configurations: &mut Configurations,
        bounds: Bounds,
        damping: f64x4<S>,
        short: mask64x4<S>,
    ) -> bool {
        let Self { simd, dimension } = self;
        let (n, zero) = (dimension.variables(), f64x4::splat(simd, 0.0));
        for target in 0..dimension.targets() {
            for row in 0..6 {
                let mut rest = configurations.rows[target][row].load(simd);
                for (column, step) in configurations.columns[target * n..][..n].iter().zip(&configurations.step) {
                    rest -= column[row].load(simd) * step.load(simd);
                }
                configurations.active_set.rest[target][row].store(rest);
            }
        }
        let mut any = false;
        for i in 0..n {
            let clamped = configurations.active_set.clamped[i].load(simd).simd_gt(zero);
            if !clamped.any_true() {
                continue;
            }
            let clamped_step = configurations.active_set.clamped_step[i].load(simd);
            let (mut descent, mut size) = (zero - damping * clamped_step, zero);
            for target in 0..dimension.targets() {
                let ActiveSet { clamped_columns, rest, .. } = &configurations.active_set;
                for (entry, rest) in clamped_columns[target * n + i].iter().zip(&rest[target]) {
                    let product = entry.load(simd) * rest.load(simd);
                    descent += product;
                    size += product.abs();
                }
            }
            let next = configurations.positions[i].load(simd) + clamped_step;
            let (lower, upper) = (f64x4::splat(simd, bounds.lower[i]), f64x4::splat(simd, bounds.upper[i]));
            let least = size * MIN_DESCENT;
            let inside =
                (descent.simd_gt(least) & next.simd_lt(upper)) | (descent.simd_lt(zero - least) & next.simd_gt(lower));
            let released = clamped & inside & short;
            if released.any_true() {
                any = true;
                self.release_variable(configurations, i, released);
            }
        }
        any
    }

    /// Releases variable `i` in the configurations of `released`.
    #[inline(always)]
    fn release_variable(self, configurations: &mut Configurations, i: usize, released: mask64x4<S>) {
        let Self { simd, dimension } = self;
        let Configurations { rows, columns, active_set, .. } = configurations;
        let zero = f64x4::splat(simd, 0.0);
        let clamped_step = active_set.clamped_step[i].load(simd);
        active_set.clamped_step[i].store(released.select(zero, clamped_step));
        let clamped = active_set.clamped[i].load(simd);
        active_set.clamped[i].store(released.select(zero, clamped));
        let back = released.select(clamped_step, zero);
        for (target, rows) in rows[..dimension.targets()].iter_mut().enumerate() {
            let index = target * dimension.variables() + i;
            let (column, kept) = (&mut columns[index], &active_set.clamped_columns[index]);
            for ((row, entry), kept) in rows.iter_mut().zip(column).zip(kept) {
                let kept = kept.load(simd);
                row.store(row.load(simd) + kept * back);
                entry.store(released.select(kept, entry.load(simd)));
            }
        }
    }
}

#[cfg(test)]
mod tests;
