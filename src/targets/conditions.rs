//! The conditions under which targets are solved: parameters, standing goals, obstacles, and effort.

use std::sync::Arc;

use crate::arm::Arm;
use crate::reports::Refused;
use crate::robot_in_use::LoadedRobot;
use crate::surroundings::Avoidance;
use urdf_ik_goals::Goal;
use urdf_ik_parameters::Settings;

/// Largest number of pairs of bodies for tracking in the spin thread, where a target may take some microseconds.
const MAX_PAIRS_TO_KEEP_APART_AT_ONCE: usize = 1000;

/// The effort for a target.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// Tracking on the current branch in the spin thread, which blocks other topics: a time limit of a millisecond.
    AtOnce,
    /// Tracking on the current branch.
    Track,
    /// Tracking, and a search if it does not meet the target, within the time limit of the settings.
    Search,
}

/// The context of a solve.
pub(super) struct Conditions {
    pub settings: Arc<Settings>,
    /// The standing goals, with their frames where they are now.
    pub goals: Arc<[Goal]>,
    pub avoidance: Option<Avoidance>,
    pub effort: Effort,
}

impl Conditions {
    /// The conditions for work of any length.
    ///
    /// # Errors
    /// [`Refused`] if there is no robot, or its shapes or standing goals cannot be used.
    pub(super) async fn new(arm: &Arm, loaded: &Arc<LoadedRobot>, effort: Effort) -> Result<Self, Refused> {
        let settings = arm.settings();
        let now = arm.configuration()?;
        let goals = arm.standing_goals(&now, &settings)?;
        let avoidance = Avoidance::of(&arm.surroundings, loaded, &now.positions, &settings).await?;
        let avoidance = avoidance.map(|avoidance| avoidance.widened(*arm.surroundings.clearance_loss.lock()));
        Ok(Self { settings, goals, avoidance, effort })
    }

    /// The conditions for [`Effort::AtOnce`]; `None` if tracking may take long, or something is missing.
    pub(super) fn at_once(arm: &Arm) -> Option<Self> {
        let settings = arm.settings();
        let goals = arm.standing_goals(&arm.configuration().ok()?, &settings).ok()?;
        let avoidance = Avoidance::at_once(&arm.surroundings, &settings).ok()?;
        let avoidance = avoidance.map(|avoidance| avoidance.widened(*arm.surroundings.clearance_loss.lock()));
        let pairs = avoidance.as_ref().map_or(0, |avoidance| avoidance.scene.pairs().len());
        let is_short = pairs <= MAX_PAIRS_TO_KEEP_APART_AT_ONCE;
        is_short.then_some(Self { settings, goals, avoidance, effort: Effort::AtOnce })
    }
}
