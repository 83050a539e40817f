//! What motions that leave the tip in place are used for.

use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_parameters::config::NamedPositions;
use urdf_ik_parameters::{NullSpace, Settings};
use urdf_ik_solver::Preference;

/// The null-space task of the settings, for one robot: what motions that leave the tip in place are used for.
pub(crate) struct NullSpaceTask {
    /// The posture of the settings.
    posture: NamedPositions,
    /// The posture as positions of the chain's variables; `None` where the settings have no posture.
    positions: Option<Vec<f64>>,
    weights: NullSpace,
}

impl NullSpaceTask {
    pub(crate) fn new(loaded: &LoadedRobot, settings: &Settings) -> Result<Self, Refused> {
        let posture = (*settings.posture).clone();
        let positions = if posture.0.is_empty() {
            None
        } else {
            let all = settings.posture_positions(&loaded.robot).refuse_as("posture")?;
            Some(loaded.chain.positions_from(&all))
        };
        Ok(Self { posture, positions, weights: settings.null_space })
    }

    /// Whether this is still the task of `settings`.
    pub(crate) fn serves(&self, settings: &Settings) -> bool {
        self.weights == settings.null_space && self.posture == *settings.posture
    }

    pub(crate) fn preference(&self) -> Preference<'_> {
        Preference {
            posture: self.positions.as_deref(),
            posture_weight: self.weights.posture,
            limits_weight: self.weights.limits,
            manipulability_weight: self.weights.manipulability,
            ..Preference::default()
        }
    }
}
