//! A term of the preference that is half a weighted square of one variable's offset.

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
    pub const ZERO: Self = Self { weight: 0.0, offset: 0.0, unit: 1.0 };

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
