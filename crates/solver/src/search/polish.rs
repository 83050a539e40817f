//! Moves a configuration near the target onto it, without regard to limits.

use super::closest::ITERATIONS;
use super::prepared_search::Search;
use super::scratch::SearchScratch;
use crate::problem::{Target, Tolerance};

impl Search {
    /// Leads `positions` by damped Newton steps, without regard to limits, to where the tip misses `target` by no more than
    /// `tolerance` \[m and rad\], or as near as it comes.
    pub fn polish(&self, target: &Target, tolerance: f64, positions: &mut [f64], scratch: &mut SearchScratch) {
        let SearchScratch { setup, nearest, .. } = scratch;
        let tolerance = Tolerance { position: tolerance, orientation: tolerance };
        setup.unbound();
        self.set_goals(&[Target { tolerance, ..*target }], &mut setup.goals);
        self.descend(setup, positions, nearest, ITERATIONS, &|| false);
    }
}
