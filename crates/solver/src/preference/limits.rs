//! The squared distance from the middle of the joint limits (Liégeois 1977), over half their range.

use super::Preference;
use super::quadratic::{QuadraticTerm, VariableState};

pub fn term(preference: &Preference, state: &VariableState) -> QuadraticTerm {
    QuadraticTerm {
        weight: preference.limits_weight,
        offset: state.variable.domain.from_middle(state.position),
        unit: state.variable.half_range(),
    }
}
