//! Bounds and weights of joints in a request.

use r2r::urdf_ik::msg;

use crate::reports::{RefuseAs, Refused};
use urdf_ik_robot::Chain;
use urdf_ik_solver::{JointBounds, Preference, Problem, list_by_joint};

/// Bounds and weights of the chain's variables; `None` for defaults.
#[derive(Default)]
pub(crate) struct JointOverrides {
    bounds: Option<JointBounds>,
    move_weights: Option<Vec<f64>>,
}

impl JointOverrides {
    /// Reads the joint fields of a request for `chain`.
    ///
    /// # Errors
    /// [`Refused`] for joints that are not in the chain or named twice, and bounds that leave a joint no position.
    pub(crate) fn read(
        chain: &Chain,
        bounds: &[msg::JointBounds],
        weights: &[msg::JointWeight],
    ) -> Result<Self, Refused> {
        let mut joints = Self::default();
        if !bounds.is_empty() {
            let named = bounds.iter().map(|bound| (bound.joint.as_str(), [bound.lower, bound.upper]));
            let list = list_by_joint(chain, "bounds", JointBounds::NONE, named).refuse_as("bounds")?;
            joints.bounds = Some(JointBounds::new(chain, &list).refuse_as("bounds")?);
        }
        if !weights.is_empty() {
            let named = weights.iter().map(|weight| (weight.joint.as_str(), weight.weight));
            let list = list_by_joint(chain, "move_weights", 0.0, named).refuse_as("move_weights")?;
            joints.move_weights = Some(list);
        }
        Ok(joints)
    }

    /// `problem` with these bounds and weights.
    pub(crate) fn apply<'a>(&'a self, problem: &Problem<'a>) -> Problem<'a> {
        problem
            .with_bounds(self.bounds.as_ref().map(JointBounds::as_bounds))
            .with_preference(Preference { move_weights: self.move_weights.as_deref(), ..problem.preference })
    }
}
