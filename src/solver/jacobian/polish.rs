//! From a posture near the target to the target.

use super::{Jacobian, JacobianScratch};
use crate::solver::problem::{Target, Tolerance};

impl Jacobian {
    /// Leads `positions` by damped Newton steps, without regard to limits, to where the tip misses `target` by no more than
    /// `tolerance` \[m and rad\], or as near as it comes.
    pub(in crate::solver) fn polish(
        &self,
        target: &Target,
        tolerance: f64,
        positions: &mut [f64],
        scratch: &mut JacobianScratch,
    ) {
        scratch.lower.fill(f64::NEG_INFINITY);
        scratch.upper.fill(f64::INFINITY);
        let tolerance = Tolerance { position: tolerance, orientation: tolerance };
        self.set_goals(&[Target { tolerance, ..*target }], scratch);
        scratch.best.copy_from_slice(positions);
        self.refine(scratch, &|| false);
        positions.copy_from_slice(&scratch.best);
    }
}
