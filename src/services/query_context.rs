//! The common parts of the queries of a request.

use std::sync::Arc;
use std::time::Instant;

use super::joint_overrides::JointOverrides;
use crate::arm::Arm;
use crate::reports::Refused;
use crate::robot_in_use::{Configuration, LoadedRobot};
use crate::solving::{NullSpaceTask, problem};
use crate::surroundings::Avoidance;
use urdf_ik_goals::Goal;
use urdf_ik_parameters::Settings;
use urdf_ik_solver::{Problem, Target};

/// The common parts of the queries of a request, also of a batch.
pub(crate) struct QueryContext {
    pub loaded: Arc<LoadedRobot>,
    /// The standing goals, which come before targets.
    standing: Arc<[Goal]>,
    /// Bounds and weights of joints.
    pub joints: JointOverrides,
    /// Obstacles to avoid.
    pub avoidance: Option<Avoidance>,
    /// The parameters with the request's overrides.
    pub settings: Settings,
    /// Start of the wait for their searches, the reference of their timeout.
    pub began: Instant,
}

impl QueryContext {
    /// For the robot in use at `present`, with its tools in `loaded`. `positions` are those of joints that the chain
    /// does not move (one entry for each joint of the robot).
    ///
    /// # Errors
    /// [`Refused`] if standing goals or collision shapes cannot be used.
    pub(crate) async fn new(
        arm: &Arm,
        present: &Configuration,
        loaded: Arc<LoadedRobot>,
        positions: &[f64],
        joints: JointOverrides,
        settings: Settings,
    ) -> Result<Self, Refused> {
        let began = Instant::now();
        let standing = arm.standing_goals(present, &settings)?;
        let avoidance = Avoidance::of(&arm.surroundings, &loaded, positions, &settings).await?;
        Ok(Self { loaded, standing, joints, avoidance, settings, began })
    }

    /// Without goals, overrides and obstacles.
    #[cfg(test)]
    pub(super) fn alone(loaded: Arc<LoadedRobot>, settings: Settings) -> Self {
        let (standing, joints, began) = (Arc::default(), JointOverrides::default(), Instant::now());
        Self { loaded, standing, joints, avoidance: None, settings, began }
    }

    /// The goals of its queries: those of the request, then the standing ones.
    pub(crate) fn goals(&self, requested: Vec<Goal>) -> Vec<Goal> {
        [requested, self.standing.to_vec()].concat()
    }

    /// The search for a configuration that meets `targets` and all `goals`, from `seed` (positions of the chain's
    /// variables).
    pub(crate) fn problem<'a>(
        &'a self,
        targets: &'a [Target],
        goals: &'a [Goal],
        seed: &'a [f64],
        null_space_task: &'a NullSpaceTask,
    ) -> Problem<'a> {
        let targets = problem::with_poses(targets, goals);
        let search = problem::search(targets, seed, &self.settings, self.avoidance.as_ref());
        self.joints.apply(&search.with_goals(goals).with_preference(null_space_task.preference()))
    }
}
