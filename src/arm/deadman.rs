//! The deadman switch: streams of commands move the arm only while a person holds it.
//!
//! The deadman switch is checked at the start of a motion, under the lock of the arm, so that a target with a long
//! search moves nothing after the release.

use std::sync::Arc;
use std::time::Instant;

use r2r::QosProfile;
use r2r::std_msgs::msg::Bool;

use crate::Result;
use crate::reports::Refused;
use crate::ros::{Lock, Spinner};
use urdf_ik_parameters::{Refusal, Settings};
use urdf_ik_text::names;

/// The latest message of the topic `deadman_topic`.
#[derive(Default)]
pub(crate) struct Deadman(Lock<Option<SwitchState>>);

struct SwitchState {
    is_held: bool,
    arrived: Instant,
}

impl Deadman {
    /// Checks that streams of commands may move the arm now.
    ///
    /// # Errors
    /// [`Refused`] if the latest message of a deadman switch is false or older than `servo.timeout`.
    pub(crate) fn permits(&self, settings: &Settings) -> Result<(), Refused> {
        let Some(topic) = &settings.deadman_topic else { return Ok(()) };
        let timeout = settings.servo.timeout;
        let reason = match *self.0.lock() {
            None => "has had no message".to_owned(),
            Some(SwitchState { arrived, .. }) if arrived.elapsed() > timeout => {
                format!("has had no message for {} s (servo.timeout)", timeout.as_secs_f64())
            }
            Some(SwitchState { is_held: false, .. }) => "is false".to_owned(),
            Some(SwitchState { is_held: true, .. }) => return Ok(()),
        };
        let topic = names::short(topic);
        let sentence =
            format!("the deadman topic {topic} {reason}: commands move the arm only while it publishes true");
        Err(Refused { kind: format!("deadman {reason}"), ..Refused::of_sentence(sentence) })
    }
}

/// Subscribes to the topic, if there is one, in the spin thread like the commands: this preserves their order.
///
/// # Errors
/// [`Refusal`] of an invalid topic name.
pub(crate) fn serve(spinner: &mut Spinner, deadman: &Arc<Deadman>, settings: &Settings) -> Result {
    let Some(topic) = &settings.deadman_topic else { return Ok(()) };
    // Accepts publishers of any quality of service.
    let quality = QosProfile::default().keep_last(1).best_effort();
    let messages = spinner
        .subscribe::<Bool>(topic, quality)
        .map_err(|e| Refusal(format!("deadman_topic: '{}' is not the name of a topic: {e}", names::short(topic))))?;
    let deadman = Arc::clone(deadman);
    spinner.on_each(messages, move |Bool { data: is_held }| {
        *deadman.0.lock() = Some(SwitchState { is_held, arrived: Instant::now() });
    });
    Ok(())
}
