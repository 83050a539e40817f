//! Carries out what is chosen in the menu of a handle.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::drawing::tip_poses;
use super::handles::{Handle, Handles};
use super::menu::Choice;
use crate::arm::{Arm, Progress};
use crate::messages::TargetAxes;
use crate::reports::{Fault, RefuseAs, Refused};
use crate::robot_in_use::Configuration;
use crate::ros::task;
use crate::services::Setter;
use crate::servo::Intake;
use crate::surroundings::Avoidance;
use urdf_ik_parameters::{Settings, Value};

/// Choices that wait, each with the index of its tip. A person makes fewer.
const WAITING: usize = 4;

/// Takes choices, each with the index of its tip.
pub(super) type Choices = mpsc::Sender<(usize, Choice)>;

/// Carries out one choice after the other in a task. What it refuses is said beside the handle.
pub(super) fn serve(servo: &Arc<Intake>, handles: &Arc<Handles>, setter: Setter) -> Choices {
    let (sender, mut choices) = mpsc::channel(WAITING);
    let (servo, handles) = (Arc::clone(servo), Arc::clone(handles));
    task::start(async move {
        while let Some((tip, choice)) = choices.recv().await {
            let refusal = carry_out(&servo, &handles, &setter, tip, choice).await.err();
            if let Some(now) = servo.arm.output.configuration() {
                handles.of(&now.loaded, |handles| handles[tip].notice = refusal);
            }
        }
    });
    sender
}

/// # Errors
/// [`Fault`] that refuses the choice.
async fn carry_out(
    servo: &Intake,
    handles: &Handles,
    setter: &Setter,
    tip: usize,
    choice: Choice,
) -> Result<(), Fault> {
    match choice {
        Choice::Solver(kind) => {
            setter.set(Settings::solver(), &Value::Text(kind.name().into()))?;
        }
        Choice::PositionOnly | Choice::KeepOrientation => toggle(&servo.arm, handles, tip, choice)?,
        Choice::ToInitial => to_initial(&servo.arm).await?,
        Choice::Reset => drop(servo.arm.reset().await?),
        Choice::Stop => drop(servo.arm.stop().await?),
    }
    Ok(())
}

/// Changes what drags ask for. Both choices exclude each other.
fn toggle(arm: &Arm, handles: &Handles, tip: usize, choice: Choice) -> Result<(), Refused> {
    let now = arm.configuration()?;
    let here = tip_poses(&now).tips()[tip].rotation;
    handles.of(&now.loaded, |handles| {
        let Handle { axes, .. } = &mut handles[tip];
        *axes = match (choice, *axes) {
            (Choice::PositionOnly, TargetAxes::Followable { .. }) => TargetAxes::Position,
            (Choice::KeepOrientation, TargetAxes::Position | TargetAxes::Followable { kept: None }) => {
                TargetAxes::Followable { kept: Some(here) }
            }
            _ => TargetAxes::Followable { kept: None },
        };
    });
    Ok(())
}

/// Moves to the initial configuration as to a target.
async fn to_initial(arm: &Arm) -> Result<(), Refused> {
    arm.forget_targets().await;
    let Configuration { loaded, positions, .. } = arm.start()?;
    let settings = arm.settings();
    let avoidance = Avoidance::of(&arm.surroundings, &loaded, &positions, &settings).await?;
    let initial = settings.initial_positions(&loaded.robot).refuse_as("initial_posture")?;
    let goal = loaded.chain.positions_from(&initial);
    let moved = arm.output.move_to(&loaded, &goal, &settings, avoidance.as_ref(), None, &Vec::new)?;
    match moved.progress {
        Some(Progress::Stopped(obstruction)) => Err(Refused::invalid("collision", obstruction.message())),
        _ => Ok(()),
    }
}
