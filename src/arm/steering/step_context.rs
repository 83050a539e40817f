//! Context of a servo step.

use super::goals::RobotGoals;
use crate::reports::Refused;
use crate::robot_in_use::description::LoadedRobot;
use crate::surroundings::avoidance::{Avoidance, NotReady};
use urdf_ik_parameters::Settings;

/// The inputs of a servo step other than commands.
pub(crate) struct StepContext<'a> {
    pub loaded: &'a LoadedRobot,
    /// Positions of the robot (one entry a joint).
    pub positions: &'a [f64],
    pub settings: &'a Settings,
    /// Standing goals; while they are invalid, the arm has to stop.
    pub goals: Result<&'a RobotGoals, &'a Refused>,
    /// Obstacles to avoid; while they are not ready, the arm has to stop.
    pub avoidance: Result<Option<&'a Avoidance>, &'a NotReady>,
}
