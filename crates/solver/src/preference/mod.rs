//! Preferences among the solutions of a redundant chain: null-space tasks, as terms of one cost.
//!
//! [`QUADRATIC_TERMS`] lists the terms that are sums of squares over the variables; the [`manipulability`] depends on
//! all variables together. A new term takes a function in [`quadratic`], a weight among [`Preference::weights`], and
//! its entry in the list.

pub mod manipulability;
pub mod quadratic;

use super::ProblemError;
use super::problem_error::NumberRange;
use quadratic::{QuadraticTerm, VariableState};
use urdf_ik_robot::Chain;

/// Terms in which each variable counts by itself.
const QUADRATIC_TERMS: [fn(&Preference, &VariableState) -> QuadraticTerm; 3] =
    [QuadraticTerm::of_posture, QuadraticTerm::of_limits, QuadraticTerm::of_moves];

/// Null-space tasks: a cost that the solver minimises by self-motions, for redundant chains and targets with free
/// axes.
///
/// The cost is the weighted sum of the terms below. The targets remain met within their tolerances. Weights are finite
/// and not negative.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Preference<'a> {
    /// Preferred positions \[rad or m\], one entry per variable.
    pub posture: Option<&'a [f64]>,
    /// Weight \[1/rad²\] of half the squared distance to the posture \[rad²\]. Prismatic positions are divided by the
    /// length scale.
    pub posture_weight: f64,
    /// Dimensionless weight of half the squared distance of each variable from the middle of its limits, divided by
    /// half their range (Liégeois 1977).
    pub limits_weight: f64,
    /// Weights of half the squared displacements from the seed \[1/rad² or 1/m²\], one entry per variable. With
    /// inverse squared velocity limits, slow joints move less than fast ones. They affect self-motions only: the
    /// [pick](super::Pick) chooses the branch regardless of these weights, and a chain without null space ignores
    /// them. Paths ignore them too.
    pub move_weights: Option<&'a [f64]>,
    /// Dimensionless weight of the negative logarithm of the manipulability (Yoshikawa 1985, "Manipulability of robotic
    /// mechanisms"): the product of the singular values of the Jacobian of
    /// [`Solution::smallest_singular_value`](super::Solution::smallest_singular_value).
    pub manipulability_weight: f64,
    /// In tracking, the largest step of each variable from the seed due to posture, limits and manipulability \[rad
    /// or m\], one entry per variable; `None` for no bound. A variable that the targets alone move farther makes no
    /// additional step. In a stream of targets the arm thus approaches the optimum by self-motions over many targets,
    /// not in one jump. Searches ignore it.
    pub max_step: Option<&'a [f64]>,
}

impl Preference<'_> {
    /// True if no term has an effect, apart from the term of moves.
    #[doc(hidden)]
    pub fn is_none(&self) -> bool {
        let posture_weight = self.posture.map_or(0.0, |_| self.posture_weight);
        Self { posture_weight, ..*self }.weights().iter().all(|(_, weight)| *weight == 0.0)
    }

    /// The weights of configurations, each with the name of its term.
    fn weights(&self) -> [(&'static str, f64); 3] {
        [
            ("posture", self.posture_weight),
            ("limits", self.limits_weight),
            ("manipulability", self.manipulability_weight),
        ]
    }

    /// The preference of short moves, and the preference of configurations.
    pub(crate) fn split(&self) -> (Self, Self) {
        let moves = Self { move_weights: self.move_weights, ..Self::default() };
        (moves, Self { move_weights: None, ..*self })
    }

    /// Checks that the preference is valid for `chain`.
    ///
    /// # Errors
    /// [`ProblemError`] if a list does not have one entry per variable, or a number is outside its range.
    #[doc(hidden)]
    pub fn check(&self, chain: &Chain) -> Result<(), ProblemError> {
        let lists = [
            (self.posture, ["preferred posture"; 2], NumberRange::FINITE),
            (self.move_weights, ["move weights", "move weight"], NumberRange::WEIGHT),
            (self.max_step, ["max_step of the preference", "largest step"], NumberRange::STEP),
        ];
        for (values, names, range) in lists {
            if let Some(values) = values {
                range.check_list(chain, names, values)?;
            }
        }
        for (which, value) in self.weights() {
            NumberRange::WEIGHT.check(value, || format!("{which} weight"))?;
        }
        Ok(())
    }
}

/// The quadratic terms of one variable: posture, limits, moves.
#[inline]
pub fn quadratic_terms(preference: &Preference, state: &VariableState) -> [QuadraticTerm; QUADRATIC_TERMS.len()] {
    QUADRATIC_TERMS.map(|term| term(preference, state))
}

/// The second derivative of the cost with respect to one variable \[1/rad² or 1/m²\].
pub fn curvature(preference: &Preference, state: &VariableState) -> f64 {
    let quadratic: f64 = quadratic_terms(preference, state).iter().map(QuadraticTerm::curvature).sum();
    quadratic + preference.manipulability_weight * manipulability::CURVATURE / (state.unit * state.unit)
}
