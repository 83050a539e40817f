//! What a step of the servo depends on beside the commands.

use crate::robot_in_use::description::LoadedRobot;
use crate::surroundings::avoidance::{Avoidance, NotReady};
use urdf_ik_parameters::Settings;

/// What a step depends on beside the commands.
pub(crate) struct Around<'a> {
    pub loaded: &'a LoadedRobot,
    /// The positions of the robot: one entry a joint.
    pub positions: &'a [f64],
    pub settings: &'a Settings,
    /// What the arm keeps clear of; not ready where it has to stand until that is known.
    pub avoidance: Result<Option<&'a Avoidance>, &'a NotReady>,
}
