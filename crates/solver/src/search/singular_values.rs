//! The smallest singular value of the Jacobian at one configuration (0 at a singularity), and the manipulability.

use std::f64::consts::TAU;

use super::prepared_search::Search;
use crate::kernel::configurations::Configurations;
use crate::kernel::residual::Goal;
use crate::kernel::svd::Svd;
use crate::problem::{Target, counted_axes};

/// Where singular values are computed.
#[derive(Debug, Clone)]
pub struct SingularValueScratch {
    configurations: Configurations,
    svd: Svd,
    /// The configuration, less whole turns.
    positions: Vec<f64>,
}

impl SingularValueScratch {
    pub fn new(search: &Search) -> Self {
        let tips = search.chain.tips().len();
        Self {
            configurations: Configurations::new(&search.kernel.links),
            svd: Svd::new(tips, search.variables()),
            positions: vec![0.0; search.variables()],
        }
    }
}

impl Search {
    /// The smallest singular value at `positions`, over the axes of the targets that count, whose goals are given.
    pub fn smallest_singular_value_at(
        &self,
        (targets, goals): (&[Target], &[Goal]),
        positions: &[f64],
        scratch: &mut SingularValueScratch,
    ) -> f64 {
        self.decompose(goals, positions, scratch);
        scratch.svd.smallest_singular_value(counted_axes(targets))
    }

    /// The logarithm of the manipulability at `positions`, over the same axes.
    pub fn log_manipulability_at(
        &self,
        (targets, goals): (&[Target], &[Goal]),
        positions: &[f64],
        scratch: &mut SingularValueScratch,
    ) -> f64 {
        self.decompose(goals, positions, scratch);
        scratch.svd.log_manipulability(counted_axes(targets))
    }

    /// Decomposes the Jacobian at `positions`.
    fn decompose(&self, goals: &[Goal], positions: &[f64], scratch: &mut SingularValueScratch) {
        for (i, (at, position)) in scratch.positions.iter_mut().zip(positions).enumerate() {
            *at = position - if self.turns[i] { (position / TAU).round() * TAU } else { 0.0 };
        }
        scratch.configurations.write_all(&scratch.positions);
        self.kernel.measure(goals, &mut scratch.configurations);
        self.kernel.linearise(goals, &mut scratch.configurations);
        scratch.svd.decompose(&scratch.configurations, goals.len(), 0);
    }
}
