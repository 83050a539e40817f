//! Takes servo commands: checks and transforms each, and stores the latest for the next tick, without solving or
//! waiting.

use std::time::Instant;

use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::ServoStatus;

use super::messages::{JogMessage, TwistMessage};
use crate::arm::Arm;
use crate::arm::sources::{Clutch, Source};
use crate::arm::steering::{self, HandInput, LinkAxes, Pose, ServoCommand, ServoInput, Taken, Twist};
use crate::messages::{TargetAxes, TargetMessage};
use crate::reports::Refused;
use crate::robot_in_use::{Configuration, LoadedRobot, LocatedFrame};
use crate::ros::HANDLE_FEEDBACK;

/// A velocity command for a tip. Valid until the next command, for at most `servo.timeout`.
pub(crate) fn twist(arm: &Arm, tip: usize, message: &TwistMessage) {
    let received = Received { source: Source::Twist(tip), topic: message.topic, header: &message.header };
    take(arm, &received, |now| {
        let [linear, angular] = message.velocities()?;
        let frame = known_frame(arm, now, &message.header, message.frame_is_damaged)?;
        let rotation = frame.in_link.rotation;
        let axes = axes_of(frame.link, tip, &now.loaded);
        // The frame is that of the link; the servo uses the axes of the tool on it.
        let rotation = match axes {
            LinkAxes::Tip => now.loaded.chain.tips()[tip].tool.rotation.inverse() * rotation,
            LinkAxes::Base | LinkAxes::Link(_) => rotation,
        };
        Ok(ServoCommand::Twist(Twist { tip, linear: rotation * linear, angular: rotation * angular, axes }))
    });
}

/// A joint velocity command, valid as long as a twist.
pub(crate) fn jog(arm: &Arm, message: &JogMessage) {
    let received = Received { source: Source::Jog, topic: message.topic, header: &message.header };
    take(arm, &received, |now| Ok(ServoCommand::Jog(message.of_variables(&now.loaded)?)));
}

/// A pose command for a tip, valid as long as a twist. With a closed clutch the tip follows only the motion of the
/// poses from now on.
pub(crate) fn pose(arm: &Arm, tip: usize, message: &TargetMessage, clutch: Clutch) {
    let hand = (clutch == Clutch::Closed)
        .then(|| HandInput { stamp: hand_stamp(arm, message), settings: arm.settings().clutch });
    let received = Received { source: Source::Pose(tip), topic: message.topic, header: &message.header };
    take(arm, &received, |now| {
        let in_frame = message.pose.clone().map_err(|sentence| Refused::invalid("pose", sentence))?;
        let frame = known_frame(arm, now, &message.header, message.frame_is_damaged)?;
        let frame_in_base = frame.in_base(now);
        Ok(ServoCommand::Pose(Pose { tip, in_frame, frame: frame.name, frame_in_base, hand }))
    });
}

/// True if the servo consumes a target because its tip has a clutch: closed, the tip follows its motion; open, it
/// has no effect. With an open clutch a drag is a normal target: a person who drags expects the arm to follow.
/// While other tips are commanded, poses are followed by the servo too: a solve would ignore those commands.
///
/// # Errors
/// [`Refused`] if the stream of these targets is blocked.
pub(crate) fn takes(arm: &Arm, tip: usize, message: &TargetMessage) -> Result<bool, Refused> {
    let is_drag = message.topic == HANDLE_FEEDBACK.short_name();
    let timeout = arm.settings().servo.timeout;
    let mut sources = arm.sources.lock();
    match sources.clutch(tip) {
        Clutch::Closed => {}
        Clutch::Open if !is_drag => {
            let _ = sources.gate(Source::Pose(tip)).admit(Instant::now(), false);
            return Ok(true);
        }
        Clutch::Absent if message.axes == TargetAxes::Pose && arm.output.moves_other_tip(tip, timeout) => {}
        Clutch::Absent | Clutch::Open => {
            let source = if is_drag { Source::Drag(tip) } else { Source::Pose(tip) };
            return sources.gate(source).admit(Instant::now(), false).map(|()| false);
        }
    }
    let clutch = sources.clutch(tip);
    drop(sources);
    pose(arm, tip, message, clutch);
    Ok(true)
}

/// Time of the measurement of a hand's pose \[ns\]: its stamp or, without one, its arrival. A drag has none: a
/// mouse may have any speed.
fn hand_stamp(arm: &Arm, message: &TargetMessage) -> Option<i64> {
    let Time { sec, nanosec } = message.header.stamp;
    let is_drag = message.topic == HANDLE_FEEDBACK.short_name();
    let stamp = i64::from(sec) * 1_000_000_000 + i64::from(nanosec);
    let arrival = || i64::try_from(arm.clock.now().as_nanos()).unwrap_or(i64::MAX);
    (!is_drag).then(|| if stamp == 0 { arrival() } else { stamp })
}

/// The frame of a command as currently known: a stream does not wait for a transform. The latest transform is
/// used, whatever the stamp.
fn known_frame(arm: &Arm, now: &Configuration, header: &Header, is_damaged: bool) -> Result<LocatedFrame, Refused> {
    if is_damaged {
        return Err(Refused::damaged_frame());
    }
    let latest = Header { stamp: Time::default(), frame_id: header.frame_id.clone() };
    arm.frames.find(&now.loaded, &arm.settings().frame_prefix, &latest)
}

/// Stores the command made by `relate`, or reports why it is refused.
fn take(arm: &Arm, received: &Received, relate: impl FnOnce(&Configuration) -> Result<ServoCommand, Refused>) {
    let stored = store(arm, received, relate);
    if arm.reporter.warnings.note(received.topic, &stored)
        && let Err(refused) = stored
    {
        let now = arm.output.configuration();
        let tip = now.as_ref().zip(received.source.tip()).and_then(|(now, tip)| now.loaded.chain.tips().get(tip));
        arm.reporter.servo.publish(&ServoStatus {
            header: received.header.clone(),
            tip_links: tip.map(|tip| tip.link.clone()).into_iter().collect(),
            ..steering::status_of(&refused)
        });
    }
}

fn store(
    arm: &Arm,
    received: &Received,
    relate: impl FnOnce(&Configuration) -> Result<ServoCommand, Refused>,
) -> Result<(), Refused> {
    let now = arm.configuration()?;
    let command = relate(&now)?;
    let settings = arm.settings();
    let is_zero = command.is_zero();
    let steered = arm.sources.take(received.source, Instant::now(), is_zero, |sources| {
        if !is_zero {
            // Only now: a refused or zero command must not set the arm to its measurement.
            arm.start()?;
        }
        let steered = arm.output.steer(&now.loaded, &settings, ServoInput { topic: received.topic, command })?;
        let goes_on_with_targets = steered.as_ref().is_some_and(|taken| taken.has_begun)
            && sources.takes_over_again(Instant::now(), settings.servo.timeout);
        Ok(steered.map(|taken| (taken, goes_on_with_targets)))
    })?;
    let Some((Taken { has_begun, conflict, ignored }, goes_on_with_targets)) = steered else { return Ok(()) };
    if has_begun {
        arm.discard_targets();
    }
    if let Some(other) = conflict.or(goes_on_with_targets.then_some("targets")) {
        let topic = received.topic;
        let sentence = format!("{topic} and {other} command the arm at the same time: the latest command applies");
        arm.reporter.warnings.warn_once(topic, "conflict", &sentence);
    }
    ignored.map_or(Ok(()), |ignored| Err(Refused::invalid("hand", ignored.to_string())))
}

/// The axes of the link with this index, for a twist of `tip`.
fn axes_of(link: usize, tip: usize, loaded: &LoadedRobot) -> LinkAxes {
    let LoadedRobot { robot, chain, .. } = loaded;
    let name = &robot.links()[link].name;
    if name == chain.base() {
        LinkAxes::Base
    } else if *name == chain.tips()[tip].link {
        LinkAxes::Tip
    } else {
        LinkAxes::Link(link)
    }
}

/// A received command.
struct Received<'a> {
    source: Source,
    topic: &'static str,
    header: &'a Header,
}
