//! Executes the menu choices of handles.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::drawing::tip_poses;
use super::handles::{Handle, Handles, Owner};
use super::menu::MenuChoice;
use crate::arm::{Arm, MotionCondition, MotionProgress};
use crate::messages::TargetAxes;
use crate::reports::{Fault, RefuseAs, Refused};
use crate::robot_in_use::Configuration;
use crate::ros::task;
use crate::services::ParameterStore;
use crate::surroundings::Avoidance;
use urdf_ik_parameters::{Settings, Value};

/// Number of pending choices, each with the index of its tip.
const WAITING: usize = 4;

/// Sends choices, each with the index of its tip.
pub(super) type MenuChoiceSender = mpsc::Sender<(usize, MenuChoice)>;

/// Executes choices in order in a task. Refusals are shown at the handle.
pub(super) fn serve(parameters: &Arc<ParameterStore>, handles: &Arc<Handles>) -> MenuChoiceSender {
    let (sender, mut choices) = mpsc::channel(WAITING);
    let (parameters, handles) = (Arc::clone(parameters), Arc::clone(handles));
    task::start(async move {
        while let Some((tip, choice)) = choices.recv().await {
            let refusal = carry_out(&parameters, &handles, tip, choice).await.err();
            if let Some(now) = parameters.arm.output.configuration() {
                handles.with(&now.loaded, &Owner::Tip(tip), |handle| handle.notice = refusal);
            }
        }
    });
    sender
}

/// # Errors
/// [`Fault`] that refuses the choice.
async fn carry_out(
    parameters: &ParameterStore,
    handles: &Handles,
    tip: usize,
    choice: MenuChoice,
) -> Result<(), Fault> {
    let arm = &parameters.arm;
    match choice {
        MenuChoice::Solver(kind) => parameters.set_one(Settings::solver(), Value::Text(kind.name().into()))?,
        MenuChoice::PositionOnly | MenuChoice::KeepOrientation => toggle(arm, handles, tip, choice)?,
        MenuChoice::ToInitial => to_initial(arm).await?,
        MenuChoice::Reset => drop(arm.reset().await?),
        MenuChoice::Stop => drop(arm.stop()?),
    }
    Ok(())
}

/// Changes the axes of drags. The two choices exclude each other.
fn toggle(arm: &Arm, handles: &Handles, tip: usize, choice: MenuChoice) -> Result<(), Refused> {
    let now = arm.configuration()?;
    let here = tip_poses(&now).tips()[tip].rotation;
    handles.with(&now.loaded, &Owner::Tip(tip), |Handle { axes, .. }| {
        *axes = match (choice, *axes) {
            (MenuChoice::PositionOnly, TargetAxes::Followable { .. }) => TargetAxes::Position,
            (MenuChoice::KeepOrientation, TargetAxes::Position | TargetAxes::Followable { kept: None }) => {
                TargetAxes::Followable { kept: Some(here) }
            }
            _ => TargetAxes::Followable { kept: None },
        };
    });
    Ok(())
}

/// Moves to the initial configuration as to a target.
async fn to_initial(arm: &Arm) -> Result<(), Refused> {
    arm.discard_targets();
    let Configuration { loaded, positions, .. } = arm.start()?;
    let settings = arm.settings();
    let avoidance = Avoidance::of(&arm.surroundings, &loaded, &positions, &settings).await?;
    let initial = settings.initial_positions(&loaded.robot).refuse_as("initial_posture")?;
    let goal = loaded.chain.positions_from(&initial);
    let moved = arm.output.move_to(&loaded, &goal, &settings, avoidance.as_ref(), MotionCondition::None, &Vec::new)?;
    match moved.progress {
        Some(MotionProgress::Stopped(obstruction)) => Err(Refused::invalid("collision", obstruction.message())),
        _ => Ok(()),
    }
}
