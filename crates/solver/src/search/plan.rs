//! What a search is asked to do: what each iteration is, and which attempts are made.

use super::prepared_search::Search;
use super::setup::Setup;
use crate::{FabrikOptions, JacobianStep, Stop};

/// Adaptive damping over the squared error \[rad²\]: of the fractions 1, 0.3, 0.1 and 0.03 a search takes the fewest iterations with
/// the third. It bounds a step near a singularity to half the error over the root of the damping, 1.6 rad.
const SEARCH_DAMPING: f64 = 0.1;
/// Adaptive damping over the squared error \[rad²\] in tracking, which must not leap: it bounds a step to half a radian.
const TRACK_DAMPING: f64 = 1.0;

/// What each iteration of an attempt is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Iteration {
    /// A Newton step.
    Jacobian(JacobianStep),
    /// A cycle of forward and backward reaching.
    Fabrik(FabrikOptions),
}

impl Iteration {
    /// Whether steps lead to the nearest configuration where the targets cannot be met: always, unless it is FABRIK alone.
    pub fn refines(self) -> bool {
        !matches!(self, Self::Fabrik(FabrikOptions { polish: false, .. }))
    }
}

/// Which attempts are made, and of what.
pub struct Plan<'a> {
    pub search: &'a Search,
    pub setup: &'a Setup,
    /// What each iteration is.
    pub iteration: Iteration,
    /// Number of starting points, the seed (number 0) among them.
    pub attempts: usize,
    /// Of these, every `stride`th is made, from number `first` on.
    pub first: usize,
    pub stride: usize,
    /// Shifts the starting points that come after the seed table.
    pub random_seed: u64,
    /// Whether an attempt goes on near the targets after steps that lead far away. Tracking must not leap.
    pub leaps: bool,
    /// Asked before each attempt, by its number: whether there is reason to begin no more.
    pub over: &'a dyn Fn(usize) -> Option<Stop>,
}

impl Plan<'_> {
    /// Adaptive damping over the squared error \[rad²\].
    pub fn damping(&self) -> f64 {
        if self.leaps { SEARCH_DAMPING } else { TRACK_DAMPING }
    }
}
