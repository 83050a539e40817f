//! Standing goals on the ROS graph: the service that changes them, and the topic that publishes them.

mod changes;
mod states;

use std::sync::Arc;

use r2r::urdf_ik::srv::ChangeGoals;

use crate::Result;
use crate::reports::answer_each;
use crate::ros::{CHANGE_GOALS, Spinner};
use crate::services::ParameterStore;

pub(crate) fn serve(spinner: &mut Spinner, parameters: &Arc<ParameterStore>) -> Result {
    answer_each::<ChangeGoals::Service, _, _>(spinner, parameters, CHANGE_GOALS, changes::change_goals)?;
    states::serve(spinner, &parameters.arm)
}
