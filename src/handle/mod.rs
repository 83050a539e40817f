//! Interactive markers that people drag in RViz or a similar program: one for each tip, and one for each standing goal
//! with a place, a direction or an orientation in a fixed frame.
//!
//! A drag is another source of targets of its tip, and the latest target wins. While nobody holds a handle, it follows
//! the tip. Its colour and text show the outcome of the latest target. A drag of a goal changes the parameter `goals`.
//! Without subscribers nothing is drawn or sent.
//!
//! The protocol is that of the package interactive_markers: a client requests all markers by the service, and then
//! applies the updates, whose numbers are consecutive. If one is missing, it requests all markers again.
//!
//! The interactive-marker server is implemented here: the protocol is a publisher, a subscription, a service and a
//! sequence number. A drag enters through the intake of `~/target_pose`. A new colour needs a whole marker, also during
//! a drag; RViz continues the drag because the controls keep their names and the marker is sent at the pose of the
//! hand.

mod commands;
mod drawing;
mod feedback;
mod goal_drags;
mod handles;
mod marker;
mod menu;
mod updates;

use std::sync::Arc;

use futures::channel::mpsc;

use crate::Result;
use crate::messages::TargetMessage;
use crate::ros::Spinner;
use crate::services::ParameterStore;
use feedback::Receiver;
use handles::Handles;

/// Number of pending drags of one tip for the spin thread, which takes them at once.
const WAITING_DRAGS: usize = 10;

/// Serves the handles if `interactive_target` is set. Returns the drags of each tip as a stream of targets.
pub(crate) fn serve(
    spinner: &mut Spinner,
    parameters: &Arc<ParameterStore>,
) -> Result<Vec<mpsc::Receiver<TargetMessage>>> {
    let arm = &parameters.arm;
    let settings = arm.settings();
    if !settings.interactive_target {
        return Ok(Vec::new());
    }
    let handles = Arc::new(Handles::default());
    let tips = settings.tip_links.len().max(1);
    let (senders, drags) = (0..tips).map(|_| mpsc::channel(WAITING_DRAGS)).unzip();
    let goal_drags = goal_drags::serve(parameters, &handles);
    let choices = commands::serve(parameters, &handles);
    let receiver =
        Receiver { arm: Arc::clone(arm), handles: Arc::clone(&handles), drags: senders, goal_drags, choices };
    feedback::serve(spinner, receiver)?;
    updates::serve(spinner, arm, &handles)?;
    Ok(drags)
}
