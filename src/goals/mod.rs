//! Standing goals on the ROS graph: the service that changes them, and the topic that publishes them.

mod changes;
mod states;

use std::sync::Arc;

use r2r::urdf_ik::srv::ChangeGoals;

use crate::Result;
use crate::arm::Arm;
use crate::reports::{Reporter, answer_each};
use crate::ros::{CHANGE_GOALS, Spinner};
use crate::services::ParameterStore;

/// The context of the service: the arm and the parameter with the goals.
struct Context {
    arm: Arc<Arm>,
    parameters: Arc<ParameterStore>,
}

impl AsRef<Reporter> for Context {
    fn as_ref(&self) -> &Reporter {
        &self.arm.reporter
    }
}

pub(crate) fn serve(spinner: &mut Spinner, arm: &Arc<Arm>, parameters: Arc<ParameterStore>) -> Result {
    let context = Arc::new(Context { arm: Arc::clone(arm), parameters });
    answer_each::<ChangeGoals::Service, _, _>(spinner, &context, CHANGE_GOALS, changes::change_goals)?;
    states::serve(spinner, arm)
}
