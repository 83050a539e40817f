//! The solutions of a six-joint arm for one pose, and the test whether two are the same.

use super::JOINTS;

/// Maximum number of solutions for one pose: 16, the bound for 6R arms (Primrose 1986, "On the input-output equation
/// of the general 7R-mechanism").
pub const MAX_SOLUTIONS: usize = 16;
/// Maximum joint difference \[rad\] between equal solutions. Newton steps stop at residuals of 1e-10
/// (`EXACT_RESIDUAL`), and near a double solution the joint error is the square root of the residual.
pub const SAME_SOLUTION: f64 = 1e-5;

/// The configurations of a six-joint arm for one tip pose.
#[derive(Debug, Clone, Copy, Default)]
pub struct ArmSolutions {
    positions: [[f64; JOINTS]; MAX_SOLUTIONS],
    /// Whether each represents a continuum.
    free: [bool; MAX_SOLUTIONS],
    count: usize,
}

impl ArmSolutions {
    /// Joint positions of each solution, from -π to π \[rad\], in the order of the joints from base to tip.
    pub fn as_slice(&self) -> &[[f64; JOINTS]] {
        &self.positions[..self.count]
    }

    /// For each solution, in the order of [`Self::as_slice`], true if it represents a continuum (self-motion): two axes
    /// coincide, or a point is on the axis that should move it. A continuum is represented by its configuration near
    /// the seed.
    pub fn continuous(&self) -> &[bool] {
        &self.free[..self.count]
    }

    /// The positions \[rad\] as starting points of Newton steps. Marks all solutions as isolated.
    #[doc(hidden)]
    pub fn as_mut_slice(&mut self) -> &mut [[f64; JOINTS]] {
        self.free.fill(false);
        &mut self.positions[..self.count]
    }

    /// Adds a solution at `positions` \[rad\], and whether it represents a continuum; ignored beyond
    /// [`MAX_SOLUTIONS`].
    #[doc(hidden)]
    pub fn push(&mut self, positions: [f64; JOINTS], free: bool) {
        if self.count < MAX_SOLUTIONS {
            (self.positions[self.count], self.free[self.count]) = (positions, free);
            self.count += 1;
        }
    }
}
