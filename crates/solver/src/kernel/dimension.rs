//! The sizes of a problem: numbers of variables, joints and targets, known to the compiler or not.

use fearless_simd::{Simd, f64x4};

use super::configurations::Configurations;
use super::normal_equations::{StepScratch, solve_any, solve_by_columns, solve_by_rows};

/// Sizes of a problem. For the chains that most robots have, the compiler knows them.
pub trait Dimension: Copy {
    fn variables(self) -> usize;
    fn joints(self) -> usize;
    fn targets(self) -> usize;
    /// Writes the damped step without bounds into `scratch.step`.
    fn solve<S: Simd>(self, simd: S, configurations: &Configurations, scratch: &mut StepScratch, damping: f64x4<S>);
}

/// One target for a plain chain of `N` joints.
#[derive(Clone, Copy)]
pub struct Fixed<const N: usize>;

impl<const N: usize> Dimension for Fixed<N> {
    #[inline(always)]
    fn variables(self) -> usize {
        N
    }

    #[inline(always)]
    fn joints(self) -> usize {
        N
    }

    #[inline(always)]
    fn targets(self) -> usize {
        1
    }

    #[inline(always)]
    fn solve<S: Simd>(self, simd: S, configurations: &Configurations, scratch: &mut StepScratch, damping: f64x4<S>) {
        let Some(columns) = configurations.columns.first_chunk::<N>() else { return };
        if N >= 6 {
            solve_by_rows(simd, columns, &configurations.rows[0], damping, &mut scratch.step);
        } else {
            solve_by_columns(simd, columns, &configurations.rows[0], damping, &mut scratch.step);
        }
    }
}

/// Any tree, any number of targets.
#[derive(Clone, Copy)]
pub struct Dynamic {
    pub variables: usize,
    pub joints: usize,
    pub targets: usize,
}

impl Dimension for Dynamic {
    #[inline(always)]
    fn variables(self) -> usize {
        self.variables
    }

    #[inline(always)]
    fn joints(self) -> usize {
        self.joints
    }

    #[inline(always)]
    fn targets(self) -> usize {
        self.targets
    }

    #[inline(always)]
    fn solve<S: Simd>(self, simd: S, configurations: &Configurations, scratch: &mut StepScratch, damping: f64x4<S>) {
        if self.targets == 1 && self.variables >= 6 {
            let columns = &configurations.columns[..self.variables];
            solve_by_rows(simd, columns, &configurations.rows[0], damping, &mut scratch.step);
        } else {
            solve_any(simd, (self.variables, self.targets), configurations, scratch, damping);
        }
    }
}
