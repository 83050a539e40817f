//! Sizes of a problem: numbers of variables, joints and targets, known at compile time or not.

use fearless_simd::{Simd, f64x4};

use super::configurations::Configurations;
use super::normal_equations::{solve_any, solve_by_columns, solve_by_rows};

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
        self.sizes().targets
    }

    /// Writes the unbounded damped step into `configurations.step`.
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
        Dynamic { variables: N, joints: N, targets: 1 }
    }

    #[inline(always)]
    fn solve<S: Simd>(self, configurations: &mut Configurations, damping: f64x4<S>) {
        if N >= 6 {
            solve_by_rows(configurations, N, damping);
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
    pub targets: usize,
}

impl Dimension for Dynamic {
    #[inline(always)]
    fn sizes(self) -> Dynamic {
        self
    }

    #[inline(always)]
    fn solve<S: Simd>(self, configurations: &mut Configurations, damping: f64x4<S>) {
        if self.targets == 1 && self.variables >= 6 {
            solve_by_rows(configurations, self.variables, damping);
        } else {
            solve_any(configurations, self.variables, self.targets, damping);
        }
    }
}
