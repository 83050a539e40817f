//! The cost of a preference along a path.

use super::preference::manipulability::{JacobianScratch, Manipulability};
use super::preference::quadratic::{QuadraticTerm, VariableState};
use super::preference::{curvature, quadratic_terms};
use super::{Preference, Solver, Target, counted_axes};
use crate::kernel::Goals;
use crate::search::Search;

/// Added to each squared singular value \[rad²\], so that the gradient is finite at singular configurations.
const MIN_SQUARED_SINGULAR_VALUE: f64 = 1e-8;

/// The cost of a [`Preference`] at configurations of a path, for the tip of one target. Moves cost nothing.
#[doc(hidden)]
#[derive(Debug)]
pub struct PreferenceCost<'a> {
    search: &'a Search,
    preference: Preference<'a>,
    goals: Goals,
    counted: usize,
    scratch: JacobianScratch,
    /// Positions within half a revolution, where full ones make no difference \[rad or m\].
    wrapped: Vec<f64>,
}

impl<'a> PreferenceCost<'a> {
    /// The cost of `preference` for the chain of `solver`. `target` determines the tip and its free axes.
    #[must_use]
    pub fn new(solver: &'a Solver, preference: Preference<'a>, target: &Target) -> Self {
        let search = solver.search();
        let mut goals = Goals::default();
        let targets = std::slice::from_ref(target);
        search.kernel.set_targets(targets, &mut goals);
        Self {
            search,
            preference: Preference { move_weights: None, ..preference },
            goals,
            counted: counted_axes(targets),
            scratch: JacobianScratch::new(&search.kernel),
            wrapped: vec![0.0; search.variables()],
        }
    }

    /// The dimensionless cost at `positions` \[rad or m\], one entry per variable.
    pub fn value(&mut self, positions: &[f64]) -> f64 {
        let mut cost = 0.0;
        for (i, position) in positions.iter().enumerate() {
            for term in quadratic_terms(&self.preference, &self.state(i, *position)) {
                cost += term.value();
            }
        }
        if self.preference.manipulability_weight > 0.0 {
            let (manipulability, wrapped, scratch) = self.manipulability(positions);
            scratch.configurations.write_all(wrapped);
            manipulability.linearise(scratch);
            cost += manipulability.weight * manipulability.value(scratch, 0);
        }
        cost
    }

    /// Writes the derivative of the cost at `positions` \[rad or m\] with respect to each variable into `gradient`
    /// \[1/rad or 1/m\]. Both slices have one entry per variable.
    pub fn write_gradient(&mut self, positions: &[f64], gradient: &mut [f64]) {
        for (i, (position, gradient)) in positions.iter().zip(&mut *gradient).enumerate() {
            let terms = quadratic_terms(&self.preference, &self.state(i, *position));
            *gradient = terms.iter().map(QuadraticTerm::gradient).sum();
        }
        if self.preference.manipulability_weight > 0.0 {
            let (manipulability, wrapped, scratch) = self.manipulability(positions);
            manipulability.add_gradient(wrapped, scratch, gradient);
        }
    }

    /// The second derivative of the cost with respect to variable `i` \[1/rad² or 1/m²\]. It does not depend on the
    /// positions.
    #[must_use]
    pub fn curvature(&self, i: usize) -> f64 {
        curvature(&self.preference, &self.state(i, 0.0))
    }

    fn state(&self, index: usize, position: f64) -> VariableState<'_> {
        let variable = &self.search.chain.variables()[index];
        VariableState { index, variable, unit: self.search.units[index], position, moved: 0.0 }
    }

    /// The term of the manipulability, with the positions and the memory that it takes.
    fn manipulability(&mut self, positions: &[f64]) -> (Manipulability<'_>, &[f64], &mut JacobianScratch) {
        let Self { search, preference, goals, scratch, wrapped, counted } = self;
        search.wrap(positions, wrapped);
        let (weight, counted, floor) = (preference.manipulability_weight, *counted, MIN_SQUARED_SINGULAR_VALUE);
        (
            Manipulability { kernel: &search.kernel, units: &search.units, goals, counted, weight, floor },
            wrapped,
            scratch,
        )
    }
}
