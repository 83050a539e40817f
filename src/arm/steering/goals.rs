//! The goals that the servo keeps: the standing ones, and those of the workspace.

use std::sync::Arc;

use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_goals::Goal;
use urdf_ik_motion::servo::Servo;
use urdf_ik_parameters::{Settings, Workspace};

/// The standing goals of a robot.
pub(crate) struct RobotGoals {
    pub loaded: Arc<LoadedRobot>,
    pub goals: Arc<[Goal]>,
}

/// The goals that a servo has.
#[derive(Default)]
pub(super) struct KeptGoals {
    /// Their origin.
    from: Option<(Arc<[Goal]>, Workspace)>,
    pub all: Vec<Goal>,
}

impl KeptGoals {
    /// Gives the servo of a robot its standing goals and its workspace, where they have changed.
    ///
    /// # Errors
    /// [`Refused`] for goals of another robot, or invalid ones.
    pub(super) fn update(
        &mut self,
        servo: &mut Servo,
        robot: &LoadedRobot,
        standing: Result<&RobotGoals, &Refused>,
        settings: &Settings,
    ) -> Result<(), Refused> {
        let RobotGoals { loaded, goals } = standing.map_err(Clone::clone)?;
        if !std::ptr::eq(&raw const **loaded, robot) {
            return Err(Refused::no_robot());
        }
        let workspace = settings.servo.workspace;
        if self.from.as_ref().is_some_and(|(known, of_workspace)| known == goals && *of_workspace == workspace) {
            return Ok(());
        }
        self.all = settings.servo_goals(goals, &robot.chain).refuse_as("goals")?;
        servo.set_goals(&self.all);
        self.from = Some((Arc::clone(goals), workspace));
        Ok(())
    }
}
