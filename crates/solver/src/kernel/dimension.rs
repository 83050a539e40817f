//! Sizes of a problem: numbers of variables, joints and targets, known at compile time or not.

use fearless_simd::{Simd, f64x4};

use super::configurations::Configurations;
use super::normal_equations::{solve_by_any_columns, solve_by_any_rows, solve_by_columns, solve_by_rows};

/// Sizes of a problem: compile-time constants for common chains.
pub trait Dimension: Copy {
    fn sizes(self) -> Dynamic;

    #[inline(always)]
    fn variables(self) -> usize {
        self.sizes().variables
    }

    #[inline(always)]
    fn joints(self) -> usize {
        self.sizes().joints
    }

    #[inline(always)]
    fn targets(self) -> usize {
        self.sizes().rows.div_ceil(6)
    }

    /// Writes the unbounded damped step \[rad or m\] into `configurations.step`.
    fn solve<S: Simd>(self, configurations: &mut Configurations, damping: f64x4<S>);
}

/// A specialisation of the kernel: SIMD instructions and sizes.
#[derive(Clone, Copy)]
pub struct Compiled<S: Simd, D: Dimension> {
    pub simd: S,
    pub dimension: D,
}

/// One target, and an unbranched chain of `N` joints.
#[derive(Clone, Copy)]
pub struct Fixed<const N: usize>;

impl<const N: usize> Dimension for Fixed<N> {
    #[inline(always)]
    fn sizes(self) -> Dynamic {
        Dynamic { variables: N, joints: N, rows: 6 }
    }

    #[inline(always)]
    fn solve<S: Simd>(self, configurations: &mut Configurations, damping: f64x4<S>) {
        if N >= 6 {
            solve_by_rows::<S, 6>(configurations, N, damping);
        } else {
            solve_by_columns::<S, N>(configurations, damping);
        }
    }
}

/// Sizes known at run time: any tree and any number of targets.
#[derive(Clone, Copy)]
pub struct Dynamic {
    pub variables: usize,
    pub joints: usize,
    /// Number of rows: six for each target, and one for each active row of other goals.
    pub rows: usize,
}

impl Dimension for Dynamic {
    #[inline(always)]
    fn sizes(self) -> Dynamic {
        self
    }

    #[inline(always)]
    fn solve<S: Simd>(self, configurations: &mut Configurations, damping: f64x4<S>) {
        if self.rows <= 3 && self.variables >= 3 {
            solve_by_rows::<S, 3>(configurations, self.variables, damping);
        } else if self.rows <= 6 && self.variables >= 6 {
            solve_by_rows::<S, 6>(configurations, self.variables, damping);
        } else if self.rows < self.variables {
            solve_by_any_rows(configurations, self.variables, self.rows, damping);
        } else {
            solve_by_any_columns(configurations, self.variables, self.rows, damping);
        }
    }
}
