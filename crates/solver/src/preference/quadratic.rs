//! The terms of the preference that are half a weighted square of one variable's offset.

use super::Preference;
use urdf_ik_robot::Variable;

/// State of one variable at a configuration.
#[derive(Clone, Copy)]
pub struct VariableState<'a> {
    /// Index among the chain's variables.
    pub index: usize,
    pub variable: &'a Variable,
    /// Displacement equivalent to one radian: the length scale \[m\] for a prismatic variable, otherwise 1 rad.
    pub unit: f64,
    /// Position with its full revolutions \[rad or m\].
    pub position: f64,
    /// Displacement from the seed \[rad or m\].
    pub moved: f64,
}

/// The cost `weight / 2 * (offset / unit)²` of one variable.
#[derive(Clone, Copy)]
pub struct QuadraticTerm {
    pub weight: f64,
    /// Offset from the preferred position \[rad or m\].
    pub offset: f64,
    /// Offset at which the cost is half the weight \[rad or m\].
    pub unit: f64,
}

impl QuadraticTerm {
    /// A term of constant cost 0.
    const ZERO: Self = Self { weight: 0.0, offset: 0.0, unit: 1.0 };

    /// The squared distance to a preferred posture, on a circle along the shorter arc.
    pub fn of_posture(preference: &Preference, state: &VariableState) -> Self {
        preference.posture.map_or(Self::ZERO, |posture| Self {
            weight: preference.posture_weight,
            offset: state.variable.domain.way(posture[state.index], state.position),
            unit: state.unit,
        })
    }

    /// The squared distance from the middle of the joint limits (Liégeois 1977), over half their range.
    pub fn of_limits(preference: &Preference, state: &VariableState) -> Self {
        let VariableState { variable, position, .. } = *state;
        let offset = variable.domain.from_middle(position);
        Self { weight: preference.limits_weight, offset, unit: variable.half_range() }
    }

    /// The squared move from the seed, with a weight for each variable.
    pub fn of_moves(preference: &Preference, state: &VariableState) -> Self {
        let term = |weights: &[f64]| Self { weight: weights[state.index], offset: state.moved, unit: 1.0 };
        preference.move_weights.map_or(Self::ZERO, term)
    }

    pub fn value(&self) -> f64 {
        0.5 * self.weight * (self.offset / self.unit).powi(2)
    }

    /// Derivative with respect to the position.
    pub fn gradient(&self) -> f64 {
        self.weight * (self.offset / self.unit) / self.unit
    }

    /// Second derivative with respect to the position.
    pub fn curvature(&self) -> f64 {
        self.weight / (self.unit * self.unit)
    }
}
