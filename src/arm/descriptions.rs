//! Robot descriptions: from the parameters at start-up, otherwise from the topic.

use std::sync::Arc;

use r2r::std_msgs::msg::String as Text;

use super::Arm;
use crate::NodeError;
use crate::Result;
use crate::reports::Fault;
use crate::robot_in_use::ReadyRobot;
use crate::robot_in_use::description::load;
use crate::ros::{ROBOT_DESCRIPTION, Spinner, latched};
use urdf_ik_parameters::Settings;

/// Uses the robot of the parameters; without one, the robot of the topic.
pub(crate) fn serve(spinner: &mut Spinner, arm: &Arc<Arm>, given: Option<ReadyRobot>) -> Result {
    match given {
        Some(ready) => arm.use_robot(ready).map_err(|error| {
            let parameter = Settings::robot_description().name;
            NodeError::Robot { parameter, reason: error.to_string() }
        })?,
        None => log::info!("the node waits for a robot on the topic robot_description"),
    }
    let arm = Arc::clone(arm);
    spinner.on_each_in_task(ROBOT_DESCRIPTION, latched(), move |Text { data }| take_from_topic(&arm, data))
}

fn take_from_topic(arm: &Arm, text: String) {
    let now = arm.output.configuration();
    // The robot of a parameter takes precedence over that of the topic.
    if now.is_some_and(|now| *now.loaded.text == *text || !now.loaded.from_topic) {
        return;
    }
    let loaded = if text.is_empty() {
        Err(Fault::new("it is empty, or not valid UTF-8"))
    } else {
        load(text, true, &arm.settings())
    };
    let now = arm.output.configuration();
    let used = loaded.and_then(|ready| {
        // A parameter may have been set while the description was loaded.
        if now.as_ref().is_none_or(|now| now.loaded.from_topic) {
            arm.reporter.warnings.recovered(ROBOT_DESCRIPTION.short_name());
            arm.use_robot(ready)?;
        }
        Ok(())
    });
    if let Err(sentence) = used {
        let now =
            if now.is_some() { "the robot in use is kept" } else { "the node waits for another one on this topic" };
        let sentence = format!("the description is refused: {sentence}; {now}");
        arm.reporter.warnings.warn_once(ROBOT_DESCRIPTION.short_name(), &sentence, &sentence);
    }
}
