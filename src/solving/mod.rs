//! What services and targets solve, and where the work runs.

pub(crate) mod path_plan;
pub(crate) mod problem;
pub(crate) mod searches;

pub(crate) use path_plan::{PathToPlan, Plan};
pub(crate) use problem::NullSpaceTask;
pub(crate) use searches::{MAX_POSITIONS, Searches};

use std::sync::Arc;

use crate::arm::Arm;
use crate::reports::Reporter;

/// What queries are answered from: where the arm is, and the threads for their searches.
pub(crate) struct Queries {
    pub arm: Arc<Arm>,
    pub searches: Searches,
}

impl AsRef<Reporter> for Queries {
    fn as_ref(&self) -> &Reporter {
        &self.arm.reporter
    }
}
