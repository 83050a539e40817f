//! Receives feedback on the handles: drags become targets or changes of goals, menu choices go to the task of the
//! commands.

use std::sync::Arc;
use std::time::Instant;

use futures::channel::mpsc;
use r2r::QosProfile;
use r2r::visualization_msgs::msg::InteractiveMarkerFeedback;

use super::commands::MenuChoiceSender;
use super::goal_drags::GoalDrag;
use super::handles::{Handles, Owner};
use super::menu;
use crate::Result;
use crate::arm::Arm;
use crate::messages::{MAX_NAME_BYTES, TargetMessage, convert, target_message};
use crate::reports::{Refused, refused};
use crate::robot_in_use::Configuration;
use crate::ros::{HANDLE_FEEDBACK, Spinner, constants};
use crate::solving::GoalView;
use urdf_ik_text::names;

constants! { u8: InteractiveMarkerFeedback { KEEP_ALIVE, POSE_UPDATE, MENU_SELECT, MOUSE_DOWN, MOUSE_UP } }

/// Queue depth: a release must not be lost behind a drag.
const DEPTH: usize = 10;

/// Receives feedback, and passes on drags and choices.
pub(super) struct Receiver {
    pub arm: Arc<Arm>,
    pub handles: Arc<Handles>,
    /// For each tip.
    pub drags: Vec<mpsc::Sender<TargetMessage>>,
    pub goal_drags: tokio::sync::mpsc::Sender<GoalDrag>,
    pub choices: MenuChoiceSender,
}

/// Subscribes to the feedback in the spin thread: a drag is answered as fast as a message of `~/target_pose`.
pub(super) fn serve(spinner: &mut Spinner, mut receiver: Receiver) -> Result {
    let quality = QosProfile::default().keep_last(DEPTH);
    let messages = spinner.subscribe_raw(HANDLE_FEEDBACK, HANDLE_FEEDBACK.name, quality)?;
    spinner.on_each(messages, move |raw| receiver.receive(&raw));
    Ok(())
}

impl Receiver {
    fn receive(&mut self, raw: &[u8]) {
        let read = target_message::read(raw, |feedback: &InteractiveMarkerFeedback| &feedback.header);
        let Some((feedback, frame_is_damaged)) = read else { return };
        let now = self.arm.output.configuration();
        let tip = now.as_ref().and_then(|now| now.loaded.chain.tip_index(&feedback.marker_name));
        let owner = now.as_ref().and_then(|now| self.owner(now, tip, &feedback.marker_name));
        let done = match (&now, owner) {
            (None, _) => Err(Refused::no_robot()),
            (Some(now), None) => Err(self.unknown_handle(now, &feedback.marker_name)),
            (Some(_), Some(_)) if feedback.client_id.len() > MAX_NAME_BYTES => {
                Err(refused!("client_id", "a client_id may have {MAX_NAME_BYTES} bytes"))
            }
            (Some(now), Some(owner)) => match (feedback.event_type, owner) {
                (MENU_SELECT, Owner::Tip(tip)) => self.choose(tip, feedback.menu_entry_id),
                (MENU_SELECT, Owner::Goal(_)) => Err(Refused::invalid("menu", "the handle of a goal has no menu")),
                (POSE_UPDATE, owner) => self.drag(now, &owner, &feedback, frame_is_damaged),
                (button, owner) => {
                    self.press(now, &owner, button, &feedback.client_id);
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

    /// The object of a handle: the tip with this index, or a standing goal that people can move.
    fn owner(&self, now: &Configuration, tip: Option<usize>, name: &str) -> Option<Owner> {
        let goal = || self.movable_goals(now).contains(&name.to_owned()).then(|| Owner::Goal(name.to_owned()));
        tip.map(Owner::Tip).or_else(goal)
    }

    /// The names of the handles of standing goals.
    fn movable_goals(&self, now: &Configuration) -> Vec<String> {
        let views = GoalView::all(&self.arm, now, &self.arm.settings());
        views.iter().filter(|view| view.grip().is_some()).map(GoalView::display_name).collect()
    }

    /// Takes a menu choice. It moves no handle, so clients without the handle may use it too: anyone can stop the arm.
    fn choose(&self, tip: usize, entry: u32) -> Result<(), Refused> {
        let refuse = |sentence| Refused::invalid("menu", sentence);
        let choice = menu::choice(entry).ok_or_else(|| refuse(format!("the menu of a handle has no entry {entry}")))?;
        let too_fast = "choices in the menu come faster than they can be carried out: choose again";
        self.choices.try_send((tip, choice)).map_err(|_| refuse(too_fast.into()))
    }

    /// Turns a drag into a target or a change of a goal if its client may hold the handle. The names of controls are
    /// irrelevant.
    fn drag(
        &mut self,
        now: &Configuration,
        owner: &Owner,
        feedback: &InteractiveMarkerFeedback,
        frame_is_damaged: bool,
    ) -> Result<(), Refused> {
        let pose = convert::pose(&feedback.pose);
        let frame = feedback.header.frame_id.as_str();
        let is_in_base =
            !frame_is_damaged && (frame.is_empty() || frame == now.loaded.base_frame(&self.arm.settings()));
        let held_at = pose.as_ref().ok().filter(|_| is_in_base).copied();
        let (is_held, axes) = self.handles.with(&now.loaded, owner, |handle| {
            handle.is_displaced = true;
            let is_held = handle.holder.take(&feedback.client_id, Instant::now());
            if is_held {
                handle.holder.hold_at(held_at);
                handle.notice = None;
            }
            (is_held, handle.axes)
        });
        let topic = HANDLE_FEEDBACK.short_name();
        match owner {
            _ if !is_held => {
                // No status: it would refer to the target of the other client.
                let sentence =
                    format!("another client holds the handle of {}: wait until it lets go", feedback.marker_name);
                self.arm.reporter.warnings.warn_once(topic, "held", &sentence);
            }
            Owner::Tip(tip) => {
                let header = feedback.header.clone();
                let target = TargetMessage { topic, header, pose, axes, frame_is_damaged, number: 0, discards: 0 };
                // Full only if ten others are about to be taken first, which are as recent.
                let _ = self.drags[*tip].try_send(target);
            }
            Owner::Goal(name) => {
                let sentence = "the handle of a goal is moved by finite poses in the base link's frame";
                let pose = held_at.ok_or_else(|| Refused::invalid("goal", sentence))?;
                let _ = self.goal_drags.try_send(GoalDrag { name: name.clone(), pose });
            }
        }
        Ok(())
    }

    /// Handles mouse buttons that are pressed, released or held.
    fn press(&self, now: &Configuration, owner: &Owner, button: u8, client: &str) {
        let moment = Instant::now();
        self.handles.with(&now.loaded, owner, |handle| match button {
            KEEP_ALIVE if !handle.holder.is_of(client, moment) => {}
            MOUSE_DOWN | KEEP_ALIVE => {
                handle.holder.take(client, moment);
            }
            MOUSE_UP => {
                handle.holder.release(client);
                handle.is_displaced = true;
            }
            _ => {}
        });
    }

    fn unknown_handle(&self, now: &Configuration, name: &str) -> Refused {
        let (name, tips) = (names::short(name), names::list(&now.loaded.chain.tip_names()));
        let goals = self.movable_goals(now);
        let goals = if goals.is_empty() { String::new() } else { format!("; those of goals: {}", names::list(&goals)) };
        let sentence = format!("there is no handle '{name}'; the handles are those of the tips: {tips}{goals}");
        Refused::invalid("handle", sentence)
    }
}
