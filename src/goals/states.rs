//! The topic `goals`: the standing goals in force, and which of them the published joint state meets.
//!
//! It is checked at a low rate, and published only if a goal or its state has changed: a goal at its bound is no flood.

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::{GoalState, Goals};
use serde_json::Value;

use crate::Result;
use crate::arm::Arm;
use crate::ros::{GOALS, Publisher, Spinner, latched, task};
use crate::solving::GoalView;
use urdf_ik_goals::distinct_names;

/// Period of the checks.
const PERIOD: Duration = Duration::from_millis(100);

pub(super) fn serve(spinner: &mut Spinner, arm: &Arc<Arm>) -> Result {
    let publisher = Publisher::<Goals>::new(spinner, GOALS, latched())?;
    let arm = Arc::clone(arm);
    task::start(async move {
        let mut published: Option<Goals> = None;
        loop {
            let begun = Instant::now();
            let goals = message(&arm);
            if !published.as_ref().is_some_and(|before| has_same_states(before, &goals)) {
                publisher.publish(&goals);
                published = Some(goals);
            }
            task::rest(begun, PERIOD).await;
        }
    });
    Ok(())
}

/// The goals in force. They are violated by NaN while there is no robot, or TF does not know one of their frames.
fn message(arm: &Arm) -> Goals {
    let settings = arm.settings();
    let now = arm.output.configuration();
    let frame_id = now.as_ref().map(|now| now.loaded.base_frame(&settings)).unwrap_or_default();
    let mut goals: Vec<GoalState> =
        settings.goals.iter().zip(distinct_names(&settings.goals)).map(|(goal, name)| unknown(goal, name)).collect();
    let views = now.map_or_else(Vec::new, |now| GoalView::all(arm, &now, &settings));
    for (state, view) in goals.iter_mut().zip(views) {
        (state.violation, state.is_met) = (view.violation, view.is_met());
        state.unit = view.goal.kind().unit().symbol().into();
    }
    Goals { header: Header { stamp: arm.clock.stamp(), frame_id }, goals }
}

/// The state of a goal that was not checked.
fn unknown(goal: &Value, name: String) -> GoalState {
    let type_ = goal.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    GoalState { name, type_, definition: goal.to_string(), violation: f64::NAN, ..GoalState::default() }
}

/// True if both messages differ at most in time and violations.
fn has_same_states(one: &Goals, other: &Goals) -> bool {
    one.header.frame_id == other.header.frame_id && one.goals.iter().map(state).eq(other.goals.iter().map(state))
}

/// The parts of a goal whose changes are published.
fn state(goal: &GoalState) -> (&str, &str, bool, bool) {
    (&goal.name, &goal.definition, goal.is_met, goal.violation.is_nan())
}
