//! The plan of a search: its kind of iteration and its attempts.

use super::prepared_search::Search;
use super::setup::{Setup, SetupView};
use crate::{FabrikOptions, JacobianStep, Problem, Stop};

/// The kind of iteration of an attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Iteration {
    /// A Newton step.
    Jacobian(JacobianStep),
    /// A FABRIK cycle.
    Fabrik(FabrikOptions),
}

impl Iteration {
    /// The iteration for a problem. FABRIK meets targets alone, so problems with goals use Newton steps.
    pub fn for_problem(self, Problem { targets, goals, .. }: &Problem) -> Self {
        match self {
            Self::Fabrik(_) if targets.is_empty() => Self::Jacobian(JacobianStep::default()),
            Self::Fabrik(options) if !goals.is_empty() => Self::Fabrik(FabrikOptions { polish: true, ..options }),
            _ => self,
        }
    }

    /// True if Newton steps refine the closest configuration when the targets cannot be met.
    pub fn refines(self) -> bool {
        !matches!(self, Self::Fabrik(FabrikOptions { polish: false, .. }))
    }
}

/// The attempts of a search.
pub struct AttemptPlan<'a> {
    pub search: &'a Search,
    pub view: SetupView<'a>,
    /// The kind of iteration.
    pub iteration: Iteration,
    /// Number of starting points, including the seed, number 0.
    pub attempts: usize,
    /// Number of the first attempt.
    pub first: usize,
    /// Difference between the numbers of successive attempts.
    pub stride: usize,
    /// Seed of the pseudorandom starting points after the seed table.
    pub random_seed: u64,
    /// True if an attempt may leap far and return to the targets. False in tracking.
    pub leaps: bool,
    /// Called before each attempt with its number. Returns the reason to end the search, if any.
    pub stop_reason: &'a dyn Fn(usize) -> Option<Stop>,
}

impl<'a> AttemptPlan<'a> {
    /// All attempts of a search by Newton steps on one core.
    pub fn newton(search: &'a Search, setup: &'a Setup, attempts: usize, random_seed: u64) -> Self {
        Self {
            search,
            view: setup.view(),
            iteration: Iteration::Jacobian(JacobianStep::default()),
            attempts,
            first: 0,
            stride: 1,
            random_seed,
            leaps: true,
            stop_reason: &|_| None,
        }
    }
}
