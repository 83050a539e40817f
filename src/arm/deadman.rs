//! The deadman switch: streams of commands move the arm only while somebody holds it.

use std::sync::Arc;
use std::time::Instant;

use r2r::QosProfile;
use r2r::std_msgs::msg::Bool;

use crate::Result;
use crate::reports::Refused;
use crate::ros::{Lock, Spinner};
use urdf_ik_parameters::{Refusal, Settings};
use urdf_ik_text::names;

/// The newest message of the topic of the parameter `deadman_topic`.
#[derive(Default)]
pub(crate) struct Deadman(Lock<Option<Newest>>);

#[derive(Clone, Copy)]
struct Newest {
    is_held: bool,
    arrived: Instant,
}

impl Deadman {
    fn receive(&self, is_held: bool) {
        *self.0.lock() = Some(Newest { is_held, arrived: Instant::now() });
    }

    /// Whether streams of commands may move the arm now.
    ///
    /// # Errors
    /// [`Refused`] where there is a deadman switch, and its newest message is false or older than `servo.timeout`.
    pub(crate) fn permits(&self, settings: &Settings) -> Result<(), Refused> {
        let Some(topic) = &settings.deadman_topic else { return Ok(()) };
        let timeout = settings.servo.timeout;
        let reason = match *self.0.lock() {
            None => "has had no message".to_owned(),
            Some(Newest { arrived, .. }) if arrived.elapsed() > timeout => {
                format!("has had no message for {} s (servo.timeout)", timeout.as_secs_f64())
            }
            Some(Newest { is_held: false, .. }) => "is false".to_owned(),
            Some(Newest { is_held: true, .. }) => return Ok(()),
        };
        let topic = names::short(topic);
        let sentence =
            format!("the deadman topic {topic} {reason}: commands move the arm only while it publishes true");
        Err(Refused { kind: format!("deadman {reason}"), ..Refused::said(sentence) })
    }
}

/// Subscribes to the topic, where there is one. It is heard in the spin thread, as the commands are: so they stay in order.
///
/// # Errors
/// [`Refusal`] of a name that is no topic's.
pub(crate) fn serve(spinner: &mut Spinner, deadman: &Arc<Deadman>, settings: &Settings) -> Result {
    let Some(topic) = &settings.deadman_topic else { return Ok(()) };
    // A publisher of any quality is heard.
    let quality = QosProfile::default().keep_last(1).best_effort();
    let messages = spinner
        .subscribe_to::<Bool>(topic, quality)
        .map_err(|e| Refusal(format!("deadman_topic: '{}' is not the name of a topic: {e}", names::short(topic))))?;
    let deadman = Arc::clone(deadman);
    spinner.on_each(messages, move |Bool { data }| deadman.receive(data));
    Ok(())
}
