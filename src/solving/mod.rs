//! Solver problems of services and targets, and the threads that solve them.

pub(crate) mod goal_views;
pub(crate) mod path_plan;
pub(crate) mod problem;
pub(crate) mod searches;

pub(crate) use goal_views::GoalView;
pub(crate) use path_plan::{PathPlan, PathStart, PathToPlan};
pub(crate) use problem::NullSpaceTask;
pub(crate) use searches::{MAX_POSITIONS, Searches};

use std::sync::Arc;

use crate::arm::Arm;
use crate::reports::Reporter;

/// The context of queries: the arm and the threads for searches.
pub(crate) struct Queries {
    pub arm: Arc<Arm>,
    pub searches: Searches,
}

impl AsRef<Reporter> for Queries {
    fn as_ref(&self) -> &Reporter {
        &self.arm.reporter
    }
}
