//! The SRDF, which says what of the robot may touch: a parameter, or the topic on which MoveIt publishes it.

use std::path::Path;
use std::sync::Arc;

use futures::StreamExt;
use r2r::std_msgs::msg::String as Text;

use super::Surroundings;
use crate::Result;
use crate::reports::{Fault, Refused};
use crate::robot_in_use::LoadedRobot;
use crate::ros::{ROBOT_DESCRIPTION_SEMANTIC, Spinner, latched, task};
use urdf_ik_collision::Srdf;
use urdf_ik_parameters::{Refusal, Settings};

/// The SRDF of the parameter; `None` where there is none.
///
/// # Errors
/// [`NodeError::Parameter`](crate::NodeError::Parameter) where it cannot be read, or is that of another robot than `robot`.
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
    Ok(Some(srdf.map_err(|e| Refusal(format!("robot_description_semantic: {e}")))?))
}

/// Subscribes to the topic, which is used where the parameter gives no SRDF.
pub(crate) fn serve(spinner: &mut Spinner, surroundings: &Arc<Surroundings>, settings: &Settings) -> Result {
    if !settings.robot_description_semantic.is_empty() {
        return Ok(());
    }
    let mut texts = spinner.subscribe::<Text>(ROBOT_DESCRIPTION_SEMANTIC, latched())?;
    let surroundings = Arc::clone(surroundings);
    task::start(async move {
        let mut newest = String::new();
        while let Some(Text { data }) = texts.next().await {
            // It is published again by each node that starts with it.
            if data == newest {
                continue;
            }
            let used = Srdf::from_text(&data).map_err(Fault::from).and_then(|srdf| surroundings.use_srdf(srdf));
            let refuse = |fault| Refused::said(format!("it is refused: {fault}; what was in use before is kept"));
            let used = used.map_err(refuse);
            surroundings.warnings.note(ROBOT_DESCRIPTION_SEMANTIC.short_name(), &used);
            if used.is_ok() {
                newest = data;
            }
        }
    });
    Ok(())
}
