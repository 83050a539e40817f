//! The squared distance to a preferred posture, on a circle along the shorter arc.

use super::Preference;
use super::quadratic::{QuadraticTerm, VariableState};

pub fn term(preference: &Preference, state: &VariableState) -> QuadraticTerm {
    preference.posture.map_or(QuadraticTerm::ZERO, |posture| QuadraticTerm {
        weight: preference.posture_weight,
        offset: state.variable.domain.way(posture[state.index], state.position),
        unit: state.unit,
    })
}
