//! Preferences among the solutions of a redundant chain.

use super::ProblemError;
use super::problem_error::{check_length, check_positions, check_steps};
use urdf_ik_robot::Chain;

/// Preferences among the solutions of a redundant chain or of a target with free axes, by motions in the null space.
///
/// The solver minimises the sum of the terms below, each times its weight. The targets stay met within their tolerances.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Preference<'a> {
    /// Preferred positions, one entry for each variable \[rad or m\].
    pub posture: Option<&'a [f64]>,
    /// Weight of half the squared distance to that posture \[rad²\], prismatic joints over the length scale.
    pub posture_weight: f64,
    /// Weight of half the squared distance of each variable from the middle of its limits, over half their range.
    pub limits_weight: f64,
    /// Weights of half the squared moves from the seed, one entry for each variable \[1/rad² or 1/m²\]. One over the square of a variable's
    /// velocity limit makes slow joints move less than fast ones. They act by self-motions alone: the
    /// [pick](super::Pick), which knows no weights, chooses the branch, and a chain without null space ignores them.
    pub move_weights: Option<&'a [f64]>,
    /// Weight of the negative logarithm of the manipulability (Yoshikawa 1985, "Manipulability of robotic mechanisms"): the
    /// product of the singular values of the Jacobian, in the sense of
    /// [`Solution::smallest_singular_value`](super::Solution::smallest_singular_value).
    pub manipulability_weight: f64,
    /// In tracking, the largest step of each variable from the seed that posture, limits and manipulability may ask for
    /// \[rad or m\]. A variable that the targets alone move farther may go where they move it, and no farther. So in a
    /// stream of targets the arm does not leap to what it prefers with one target: it flows there by self-motions, as
    /// fast as these steps allow. `None` for no bound. Searches have none.
    pub max_step: Option<&'a [f64]>,
}

impl Preference<'_> {
    /// Whether no configuration is preferred. Short moves may be: they are preferred anyway.
    #[doc(hidden)]
    pub fn is_none(&self) -> bool {
        (self.posture.is_none() || self.posture_weight == 0.0)
            && self.limits_weight == 0.0
            && self.manipulability_weight == 0.0
    }

    /// What is preferred of moves, and what is preferred of configurations.
    pub(crate) fn split(&self) -> (Self, Self) {
        let moves = Self { move_weights: self.move_weights, ..Self::default() };
        (moves, Self { move_weights: None, ..*self })
    }

    /// Checks that the preference is valid for `chain`.
    #[doc(hidden)]
    pub fn check(&self, chain: &Chain) -> Result<(), ProblemError> {
        if let Some(posture) = self.posture {
            check_positions(chain, "preferred posture", posture)?;
        }
        if let Some(weights) = self.move_weights {
            check_length(chain, "move weights", weights.len())?;
            let mut weights = chain.variables().iter().zip(weights);
            if let Some((variable, &value)) = weights.find(|(_, weight)| !is_weight(**weight)) {
                return Err(ProblemError::MoveWeight { joint: variable.name.clone(), value });
            }
        }
        if let Some(max_step) = self.max_step {
            check_steps(chain, "max_step of the preference", max_step)?;
        }
        for (which, value) in [
            ("posture", self.posture_weight),
            ("limits", self.limits_weight),
            ("manipulability", self.manipulability_weight),
        ] {
            if !is_weight(value) {
                return Err(ProblemError::PreferenceWeight { which, value });
            }
        }
        Ok(())
    }
}

fn is_weight(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}
