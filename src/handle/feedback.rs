//! Receives feedback on the handles: drags become targets, menu choices go to the task of the commands.

use std::sync::Arc;
use std::time::Instant;

use futures::channel::mpsc;
use r2r::QosProfile;
use r2r::visualization_msgs::msg::InteractiveMarkerFeedback;

use super::commands::MenuChoiceSender;
use super::handles::Handles;
use super::menu;
use crate::Result;
use crate::arm::Arm;
use crate::messages::{MAX_NAME_BYTES, TargetMessage, convert, target_message};
use crate::reports::Refused;
use crate::robot_in_use::Configuration;
use crate::ros::{HANDLE_FEEDBACK, Spinner, constants};
use urdf_ik_text::names;

constants! { u8: InteractiveMarkerFeedback { KEEP_ALIVE, POSE_UPDATE, MENU_SELECT, MOUSE_DOWN, MOUSE_UP } }

/// Queue depth: a release must not be lost behind a drag.
const DEPTH: usize = 10;

struct Receiver {
    arm: Arc<Arm>,
    handles: Arc<Handles>,
    /// For each tip.
    drags: Vec<mpsc::Sender<TargetMessage>>,
    choices: MenuChoiceSender,
}

/// Subscribes to the feedback in the spin thread: a drag is answered as fast as a message of `~/target_pose`.
pub(super) fn serve(
    spinner: &mut Spinner,
    arm: &Arc<Arm>,
    handles: &Arc<Handles>,
    drags: Vec<mpsc::Sender<TargetMessage>>,
    choices: MenuChoiceSender,
) -> Result {
    let quality = QosProfile::default().keep_last(DEPTH);
    let messages = spinner.subscribe_raw(HANDLE_FEEDBACK, HANDLE_FEEDBACK.name, quality)?;
    let mut receiver = Receiver { arm: Arc::clone(arm), handles: Arc::clone(handles), drags, choices };
    spinner.on_each(messages, move |raw| receiver.receive(&raw));
    Ok(())
}

impl Receiver {
    fn receive(&mut self, raw: &[u8]) {
        let read = target_message::read(raw, |feedback: &InteractiveMarkerFeedback| &feedback.header);
        let Some((feedback, frame_is_damaged)) = read else { return };
        let now = self.arm.output.configuration();
        let tip = now.as_ref().and_then(|now| now.loaded.chain.tip_index(&feedback.marker_name));
        let done = match (&now, tip) {
            (None, _) => Err(Refused::no_robot()),
            (Some(now), None) => Err(unknown_handle(now, &feedback.marker_name)),
            (Some(_), Some(_)) if feedback.client_id.len() > MAX_NAME_BYTES => {
                Err(Refused::invalid("client_id", format!("a client_id may have {MAX_NAME_BYTES} bytes")))
            }
            (Some(now), Some(tip)) => match feedback.event_type {
                MENU_SELECT => self.choose(tip, feedback.menu_entry_id),
                POSE_UPDATE => {
                    self.drag(now, tip, &feedback, frame_is_damaged);
                    Ok(())
                }
                button => {
                    self.press(now, tip, button, &feedback.client_id);
                    Ok(())
                }
            },
        };
        if let Err(refused) = done {
            // An unknown tip: the status names none.
            let tip = tip.unwrap_or(usize::MAX);
            self.arm.report_outcome(HANDLE_FEEDBACK.short_name(), tip, feedback.header, Err(refused));
        }
    }

    /// Takes a menu choice. It moves no handle, so clients without the handle may use it too: anyone can stop the arm.
    fn choose(&self, tip: usize, entry: u32) -> Result<(), Refused> {
        let refuse = |sentence| Refused::invalid("menu", sentence);
        let choice = menu::choice(entry).ok_or_else(|| refuse(format!("the menu of a handle has no entry {entry}")))?;
        self.choices
            .try_send((tip, choice))
            .map_err(|_| refuse("choices in the menu come faster than they can be carried out: choose again".into()))
    }

    /// Turns a drag into a target if its client may hold the handle. The names of controls are irrelevant.
    fn drag(&mut self, now: &Configuration, tip: usize, feedback: &InteractiveMarkerFeedback, frame_is_damaged: bool) {
        let pose = convert::pose(&feedback.pose);
        let frame = feedback.header.frame_id.as_str();
        let is_in_base =
            !frame_is_damaged && (frame.is_empty() || frame == now.loaded.base_frame(&self.arm.settings()));
        let held_at = pose.as_ref().ok().filter(|_| is_in_base).copied();
        let (is_held, axes) = self.handles.of(&now.loaded, |handles| {
            let handle = &mut handles[tip];
            handle.is_displaced = true;
            let is_held = handle.holder.take(&feedback.client_id, Instant::now());
            if is_held {
                handle.holder.hold_at(held_at);
                handle.notice = None;
            }
            (is_held, handle.axes)
        });
        let topic = HANDLE_FEEDBACK.short_name();
        if is_held {
            let header = feedback.header.clone();
            let target = TargetMessage { topic, header, pose, axes, frame_is_damaged, number: 0 };
            // Full only if ten others are about to be taken first, which are as recent.
            let _ = self.drags[tip].try_send(target);
        } else {
            // No status: it would refer to the target of the other client.
            let sentence =
                format!("another client holds the handle of {}: wait until it lets go", feedback.marker_name);
            self.arm.reporter.warnings.warn_once(topic, "held", &sentence);
        }
    }

    /// Handles mouse buttons that are pressed, released or held.
    fn press(&self, now: &Configuration, tip: usize, button: u8, client: &str) {
        let moment = Instant::now();
        self.handles.of(&now.loaded, |handles| {
            let handle = &mut handles[tip];
            match button {
                KEEP_ALIVE if !handle.holder.is_of(client, moment) => {}
                MOUSE_DOWN | KEEP_ALIVE => {
                    handle.holder.take(client, moment);
                }
                MOUSE_UP => {
                    handle.holder.release(client);
                    handle.is_displaced = true;
                }
                _ => {}
            }
        });
    }
}

fn unknown_handle(now: &Configuration, name: &str) -> Refused {
    let known = names::list(&now.loaded.chain.tip_names());
    let name = names::short(name);
    Refused::invalid("handle", format!("there is no handle '{name}'; the handles are those of the tips: {known}"))
}
