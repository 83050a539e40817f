//! A term of the preference that is half a weighted square of one variable's offset.

use urdf_ik_robot::Variable;

/// One variable at a configuration.
#[derive(Clone, Copy)]
pub struct VariableState<'a> {
    /// Index among the chain's variables.
    pub index: usize,
    pub variable: &'a Variable,
    /// Length that counts as one radian \[m\] for a prismatic variable, otherwise 1.
    pub unit: f64,
    /// Position with its full revolutions \[rad or m\].
    pub position: f64,
    /// Move from the seed \[rad or m\].
    pub moved: f64,
}

/// The cost `weight / 2 * (offset / unit)²` of one variable.
#[derive(Clone, Copy)]
pub struct QuadraticTerm {
    pub weight: f64,
    /// Offset from the preferred position \[rad or m\].
    pub offset: f64,
    /// Offset that costs half the weight \[rad or m\].
    pub unit: f64,
}

impl QuadraticTerm {
    /// A term that costs nothing anywhere.
    pub const ZERO: Self = Self { weight: 0.0, offset: 0.0, unit: 1.0 };

    pub fn value(&self) -> f64 {
        0.5 * self.weight * (self.offset / self.unit).powi(2)
    }

    /// Derivative by the position.
    pub fn gradient(&self) -> f64 {
        self.weight * (self.offset / self.unit) / self.unit
    }

    /// Second derivative by the position.
    pub fn curvature(&self) -> f64 {
        self.weight / (self.unit * self.unit)
    }
}
