//! The bounds and weights of joints that a request gives.

use r2r::urdf_ik::msg::{JointBounds, JointWeight};

use crate::reports::{RefuseAs, Refused};
use urdf_ik_robot::Chain;
use urdf_ik_solver::{Preference, Problem, list_by_joint};

/// Bounds and weights of the chain's variables; `None` where the request gives none.
#[derive(Default)]
pub(crate) struct JointOverrides {
    bounds: Option<urdf_ik_solver::JointBounds>,
    move_weights: Option<Vec<f64>>,
}

impl JointOverrides {
    /// Reads the fields of a request about joints of `chain`.
    ///
    /// # Errors
    /// [`Refused`] for joints that are not of the chain or named twice, and bounds that leave a joint no position.
    pub(crate) fn read(chain: &Chain, bounds: &[JointBounds], weights: &[JointWeight]) -> Result<Self, Refused> {
        let named = bounds.iter().map(|bound| (bound.joint.as_str(), [bound.lower, bound.upper]));
        let none = urdf_ik_solver::JointBounds::NONE;
        let bounds = (!bounds.is_empty()).then(|| {
            let list = list_by_joint(chain, "bounds", none, named)?;
            urdf_ik_solver::JointBounds::new(chain, &list)
        });
        let named = weights.iter().map(|weight| (weight.joint.as_str(), weight.weight));
        let move_weights = (!weights.is_empty()).then(|| list_by_joint(chain, "move_weights", 0.0, named));
        Ok(Self {
            bounds: bounds.transpose().refuse_as("bounds")?,
            move_weights: move_weights.transpose().refuse_as("move_weights")?,
        })
    }

    /// `problem` with these bounds and weights.
    pub(crate) fn apply<'a>(&'a self, problem: Problem<'a>) -> Problem<'a> {
        Problem {
            bounds: self.bounds.as_ref().map(urdf_ik_solver::JointBounds::as_bounds),
            preference: Preference { move_weights: self.move_weights.as_deref(), ..problem.preference },
            ..problem
        }
    }
}
