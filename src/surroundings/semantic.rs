//! The SRDF with the allowed contacts of the robot: from a parameter, or from the topic on which MoveIt publishes it.

use std::path::Path;
use std::sync::Arc;

use r2r::std_msgs::msg::String as Text;

use super::Surroundings;
use crate::Result;
use crate::reports::{Fault, Refused};
use crate::robot_in_use::LoadedRobot;
use crate::ros::{ROBOT_DESCRIPTION_SEMANTIC, Spinner, latched};
use urdf_ik_collision::Srdf;
use urdf_ik_parameters::Settings;

/// The SRDF of the parameter, if set.
///
/// # Errors
/// [`NodeError::Parameter`](crate::NodeError::Parameter) if it cannot be read, or belongs to another robot than
/// `robot`.
pub(crate) fn of_parameter(settings: &Settings, robot: Option<&LoadedRobot>) -> Result<Option<Srdf>> {
    let text = settings.robot_description_semantic.as_str();
    if text.is_empty() {
        return Ok(None);
    }
    let is_path = !text.trim_start().starts_with(['<', '\u{feff}']);
    let srdf = if is_path { Srdf::from_file(Path::new(text)) } else { Srdf::from_text(text) };
    let fits = |srdf: Srdf| match robot {
        Some(loaded) => srdf.unknown_links(&loaded.robot).map(|_| srdf),
        None => Ok(srdf),
    };
    let srdf = srdf.and_then(fits);
    Ok(Some(srdf.map_err(|e| Settings::robot_description_semantic().refuse(e))?))
}

/// Subscribes to the topic, which is used if the parameter is not set.
pub(crate) fn serve(spinner: &mut Spinner, surroundings: &Arc<Surroundings>, settings: &Settings) -> Result {
    if !settings.robot_description_semantic.is_empty() {
        return Ok(());
    }
    let surroundings = Arc::clone(surroundings);
    let mut newest = String::new();
    spinner.on_each_in_task(ROBOT_DESCRIPTION_SEMANTIC, latched(), move |Text { data }| {
        // Each node that starts with it publishes it again.
        if data == newest {
            return;
        }
        let used = Srdf::from_text(&data).map_err(Fault::from).and_then(|srdf| surroundings.use_srdf(srdf));
        let refuse = |fault| Refused::of_sentence(format!("it is refused: {fault}; what was in use before is kept"));
        let used = used.map_err(refuse);
        surroundings.warnings.note(ROBOT_DESCRIPTION_SEMANTIC.short_name(), &used);
        if used.is_ok() {
            newest = data;
        }
    })
}
