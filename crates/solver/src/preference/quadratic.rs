//! The terms of the preference that are half a weighted square of one variable's offset.

use super::Preference;
use urdf_ik_robot::Variable;

/// State of one variable at a configuration.
#[derive(Clone, Copy)]
pub struct VariableState<'a> {
    /// Index among the chain's variables.
    pub index: usize,
    pub variable: &'a Variable,
    /// Displacement that counts as one radian: the length scale \[m\] for a prismatic variable, otherwise 1 rad.
    pub unit: f64,
    /// Position with its full revolutions \[rad or m\].
    pub position: f64,
    /// Displacement from the seed \[rad or m\].
    pub moved: f64,
}

/// The cost `weight / 2 * (offset / unit)²` of one variable.
#[derive(Clone, Copy)]
pub struct QuadraticTerm {
    /// Weight of half the squared quotient of `offset` and `unit`.
    pub weight: f64,
    /// Offset from the preferred position \[rad or m\].
    pub offset: f64,
    /// Offset at which the cost is half the weight \[rad or m\].
    pub unit: f64,
}

impl QuadraticTerm {
    /// A term of constant cost 0.
    const ZERO: Self = Self { weight: 0.0, offset: 0.0, unit: 1.0 };

    /// The term of the squared distance to the preferred posture, along the shorter arc on a circle.
    pub fn of_posture(preference: &Preference, state: &VariableState) -> Self {
        preference.posture.map_or(Self::ZERO, |posture| Self {
            weight: preference.posture_weight,
            offset: state.variable.domain.way(posture[state.index], state.position),
            unit: state.unit,
        })
    }

    /// The term of the squared distance from the middle of the joint limits, divided by half their range (Liégeois
    /// 1977).
    pub fn of_limits(preference: &Preference, state: &VariableState) -> Self {
        let VariableState { variable, position, .. } = *state;
        let offset = variable.domain.from_middle(position);
        Self { weight: preference.limits_weight, offset, unit: variable.half_range() }
    }

    /// The term of the squared move from the seed, with the variable's own weight \[1/rad² or 1/m²\].
    pub fn of_moves(preference: &Preference, state: &VariableState) -> Self {
        let term = |weights: &[f64]| Self { weight: weights[state.index], offset: state.moved, unit: 1.0 };
        preference.move_weights.map_or(Self::ZERO, term)
    }

    /// The cost.
    pub fn value(&self) -> f64 {
        0.5 * self.weight * (self.offset / self.unit).powi(2)
    }

    /// Derivative of the cost with respect to the position \[1/rad or 1/m\].
    pub fn gradient(&self) -> f64 {
        self.weight * (self.offset / self.unit) / self.unit
    }

    /// Second derivative of the cost with respect to the position \[1/rad² or 1/m²\].
    pub fn curvature(&self) -> f64 {
        self.weight / (self.unit * self.unit)
    }
}
