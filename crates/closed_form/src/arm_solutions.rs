//! The solutions of an arm of six joints for one pose, and when two of them are the same.

use super::JOINTS;

/// The most solutions for one pose: 16, which no arm of six revolute joints exceeds (Primrose 1986, "On the input-output equation of
/// the general 7R-mechanism").
pub const MAX_SOLUTIONS: usize = 16;
/// Two solutions are one where no joint differs by more than this \[rad\]. Newton steps end at residuals of 1e-10
/// (`EXACT_RESIDUAL`), and where two solutions meet, a residual moves the joints by its square root.
pub const SAME_SOLUTION: f64 = 1e-5;

/// The configurations of an arm of six joints in which its tip has one pose.
#[derive(Debug, Clone, Copy)]
pub struct ArmSolutions {
    positions: [[f64; JOINTS]; MAX_SOLUTIONS],
    /// Of each, whether it stands for a continuum.
    free: [bool; MAX_SOLUTIONS],
    count: usize,
}

impl ArmSolutions {
    /// No solutions.
    pub fn none() -> Self {
        Self { positions: [[0.0; JOINTS]; MAX_SOLUTIONS], free: [false; MAX_SOLUTIONS], count: 0 }
    }

    /// A single solution, at `positions` \[rad\].
    #[doc(hidden)]
    pub fn one(positions: [f64; JOINTS]) -> Self {
        let mut solutions = Self::none();
        solutions.push(positions, false);
        solutions
    }

    /// The positions of each solution \[rad\], from -π to π.
    pub fn as_slice(&self) -> &[[f64; JOINTS]] {
        &self.positions[..self.count]
    }

    /// Whether each solution, in the order of [`Self::as_slice`], stands for a continuum: joints whose axes have come
    /// to lie on one line, or a point on the axis that should turn it. The one given is near the seed.
    pub fn continuous(&self) -> &[bool] {
        &self.free[..self.count]
    }

    /// The positions as starting points of Newton steps. Whether what they lead to stands for a continuum is not known.
    #[doc(hidden)]
    pub fn as_mut_slice(&mut self) -> &mut [[f64; JOINTS]] {
        self.free.fill(false);
        &mut self.positions[..self.count]
    }

    #[doc(hidden)]
    pub fn push(&mut self, positions: [f64; JOINTS], free: bool) {
        if self.count < MAX_SOLUTIONS {
            (self.positions[self.count], self.free[self.count]) = (positions, free);
            self.count += 1;
        }
    }
}
