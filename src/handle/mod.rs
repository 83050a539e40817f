//! A handle for each tip: an interactive marker, which a person drags in RViz or in another program that has these.
//!
//! A drag is one more source of targets of its tip, and the newest target wins. While nobody holds a handle, it follows the tip. Its
//! colour and text say what became of the newest target. Nothing is drawn or sent unless somebody listens.
//!
//! The protocol is that of the package interactive_markers: a client asks the service for all markers, and then applies the updates,
//! whose numbers are consecutive. It asks again where one is missing.

mod commands;
mod drawing;
mod feedback;
mod handles;
mod marker;
mod menu;
mod updates;

use std::sync::Arc;

use futures::channel::mpsc;

use crate::Result;
use crate::messages::TargetMessage;
use crate::ros::Spinner;
use crate::services::Setter;
use crate::servo::Intake;
use handles::Handles;

/// Drags of one tip that wait for the spin thread, which takes them at once.
const WAITING_DRAGS: usize = 10;

/// Serves the handles, if the parameter `interactive_target` asks for them. Gives the drags of each tip as a stream of targets.
pub(crate) fn serve(
    spinner: &mut Spinner,
    servo: &Arc<Intake>,
    setter: Setter,
) -> Result<Vec<mpsc::Receiver<TargetMessage>>> {
    let arm = &servo.arm;
    let settings = arm.settings();
    if !settings.interactive_target {
        return Ok(Vec::new());
    }
    let handles = Arc::new(Handles::default());
    let tips = settings.tip_links.len().max(1);
    let (senders, drags) = (0..tips).map(|_| mpsc::channel(WAITING_DRAGS)).unzip();
    let choices = commands::serve(servo, &handles, setter);
    feedback::serve(spinner, arm, &handles, senders, choices)?;
    updates::serve(spinner, arm, &handles)?;
    Ok(drags)
}
