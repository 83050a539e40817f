//! Inputs of a tick, and the context of a servo step.

use super::goals::RobotGoals;
use crate::reports::Refused;
use crate::robot_in_use::LoadedRobot;
use crate::surroundings::{Avoidance, NotReady};
use urdf_ik_parameters::Settings;

/// The inputs of a tick.
pub(crate) struct Tick<'a> {
    /// Elapsed time \[s\].
    pub step: f64,
    pub settings: &'a Settings,
    /// Standing goals of the servo; while they are invalid, it has to stop.
    pub goals: Result<&'a RobotGoals, &'a Refused>,
    /// Obstacles to avoid; while they are not ready, no motion starts, and the servo has to stop.
    pub avoidance: Result<Option<&'a Avoidance>, &'a NotReady>,
    /// True if the servo status has subscribers.
    pub reports_servo: bool,
}

/// The inputs of a servo step other than commands.
pub(crate) struct StepContext<'a> {
    pub loaded: &'a LoadedRobot,
    /// Positions of the robot (one entry a joint).
    pub positions: &'a [f64],
    pub tick: &'a Tick<'a>,
}
