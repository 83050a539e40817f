//! The squared move from the seed, with a weight for each variable.

use super::Preference;
use super::quadratic::{QuadraticTerm, VariableState};

pub fn term(preference: &Preference, state: &VariableState) -> QuadraticTerm {
    preference.move_weights.map_or(QuadraticTerm::ZERO, |weights| QuadraticTerm {
        weight: weights[state.index],
        offset: state.moved,
        unit: 1.0,
    })
}
