//! Drags of the handles of standing goals: each changes a place, direction or orientation in the parameter `goals`.

use std::sync::Arc;

use nalgebra::Isometry3;
use serde_json::json;
use tokio::sync::mpsc;

use super::handles::{Handles, Owner};
use crate::reports::{Fault, fault};
use crate::ros::task;
use crate::services::ParameterStore;
use crate::solving::GoalView;
use urdf_ik_parameters::{Refusal, Settings, Value};

/// Number of pending drags: one is carried out before the next one comes.
const WAITING: usize = 100;
/// Decimals of changed numbers: people read them in the parameter.
const ROUNDING: f64 = 1e6;

/// A pose to which somebody drags the handle of a goal.
pub(super) struct GoalDrag {
    /// [`GoalView::display_name`].
    pub name: String,
    /// In the base link's frame \[m\].
    pub pose: Isometry3<f64>,
}

/// Carries out drags in order in a task. Refusals are shown at the handle.
pub(super) fn serve(parameters: &Arc<ParameterStore>, handles: &Arc<Handles>) -> mpsc::Sender<GoalDrag> {
    let (sender, mut drags) = mpsc::channel::<GoalDrag>(WAITING);
    let (parameters, handles) = (Arc::clone(parameters), Arc::clone(handles));
    task::start(async move {
        while let Some(drag) = drags.recv().await {
            let refusal = carry_out(&parameters, &drag).err();
            if let Some(now) = parameters.arm.output.configuration() {
                handles.with(&now.loaded, &Owner::Goal(drag.name), |handle| handle.notice = refusal);
            }
        }
    });
    sender
}

/// # Errors
/// [`Fault`] if the goal is gone, or the node refuses its new numbers.
fn carry_out(parameters: &ParameterStore, drag: &GoalDrag) -> Result<(), Fault> {
    let arm = &parameters.arm;
    let now = arm.configuration()?;
    let views = GoalView::all(arm, &now, &arm.settings());
    let index = views.iter().position(|view| view.display_name() == drag.name);
    let shown = index.and_then(|index| Some((index, views[index].grip()?, views[index].grip_pose()?)));
    let Some((index, grip, pose)) = shown else { return Err(fault!("this goal is gone")) };
    // The apex of a cone is no direction.
    let Some(numbers) = grip.numbers_for(&drag.pose) else { return Ok(()) };
    // RViz sends the pose, in single precision, also when a handle is pressed or released without a motion.
    let is_near =
        |before: Vec<f64>| before.iter().zip(&numbers).all(|(one, other)| (one - other).abs() < 1.0 / ROUNDING);
    if grip.numbers_for(&pose).is_some_and(is_near) {
        return Ok(());
    }
    let rounded: Vec<f64> = numbers.iter().map(|number| (number * ROUNDING).round() / ROUNDING).collect();
    let edit = |settings: &Settings| {
        let mut goals = settings.goals.to_vec();
        let goal = goals.get_mut(index).ok_or_else(|| Refusal("this goal is gone".to_owned()))?;
        goal[grip.field] = json!(rounded);
        Ok(Value::Text(json!(goals).to_string().into()))
    };
    Ok(parameters.edit(Settings::goals(), edit)?)
}
