//! Takes commands of the servo: checks and relates each, and stores the newest for the next tick. It never solves and never waits.

use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt;
use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::ServoStatus;
use tokio::runtime::Handle;

use super::messages::{JogMessage, TwistMessage};
use crate::arm::Arm;
use crate::arm::sources::{Clutch, Source};
use crate::arm::steering::{self, Input, LinkAxes, Pose, Twist, Wish};
use crate::messages::target_message::{TargetAxes, TargetMessage};
use crate::reports::reporter::Reporter;
use crate::reports::status::Refused;
use crate::robot_in_use::configuration::Configuration;
use crate::robot_in_use::description::LoadedRobot;
use crate::robot_in_use::frames::Located;
use crate::ros::interface::HANDLE_FEEDBACK;
use crate::ros::task;

/// Takes the commands of the servo.
pub(crate) struct Intake {
    pub arm: Arc<Arm>,
    /// For work that the spin thread must not do.
    tasks: Handle,
}

impl AsRef<Reporter> for Intake {
    fn as_ref(&self) -> &Reporter {
        &self.arm.reporter
    }
}

impl Intake {
    /// It must be made in the runtime of the node's tasks.
    pub(crate) fn new(arm: &Arc<Arm>) -> Self {
        Self { arm: Arc::clone(arm), tasks: Handle::current() }
    }

    /// A velocity for a tip. It counts until the next command, and no longer than `servo.timeout`.
    pub(crate) fn twist(&self, tip: usize, message: &TwistMessage) {
        let arrival =
            Arrival { source: Source::Twist(tip), tip: Some(tip), topic: message.topic, header: &message.header };
        self.take(&arrival, |now| {
            let [linear, angular] = message.velocities()?;
            let frame = self.frame(now, &message.header, message.frame_is_damaged)?;
            let rotation = frame.rotation_in_link();
            let axes = axes_of(frame.link(), tip, &now.loaded);
            // The frame is that of the link, and the servo has the axes of the tool on it.
            let rotation = match axes {
                LinkAxes::Tip => now.loaded.chain.tips()[tip].tool.rotation.inverse() * rotation,
                LinkAxes::Base | LinkAxes::Link(_) => rotation,
            };
            Ok(Wish::Twist(Twist { tip, linear: rotation * linear, angular: rotation * angular, axes }))
        });
    }

    /// Velocities of joints, for as long as a twist.
    pub(crate) fn jog(&self, message: &JogMessage) {
        let arrival = Arrival { source: Source::Jog, tip: None, topic: message.topic, header: &message.header };
        self.take(&arrival, |now| Ok(Wish::Jog(message.of_variables(&now.loaded)?)));
    }

    /// A pose for a tip to follow, for as long as a twist. Where it `is_relative`, only how it moves counts, from where the tip is now.
    pub(crate) fn pose(&self, tip: usize, message: &TargetMessage, is_relative: bool) {
        let arrival =
            Arrival { source: Source::Pose(tip), tip: Some(tip), topic: message.topic, header: &message.header };
        self.take(&arrival, |now| {
            let in_frame = message.pose.clone().map_err(|sentence| Refused::invalid("pose", sentence))?;
            let frame = self.frame(now, &message.header, message.frame_is_damaged)?;
            let frame_in_base = frame.in_base(now);
            Ok(Wish::Pose(Pose { tip, in_frame, frame: frame.name, frame_in_base, is_relative }))
        });
    }

    /// Whether a target is not for the solver, because its tip has a clutch: closed, it moves the tip as it moves; open, it does nothing. A drag
    /// is an aim of its own where the clutch is open: a person who drags wants the arm to follow. While commands move other tips, poses are
    /// followed beside them: a solve would know nothing of those.
    ///
    /// # Errors
    /// [`Refused`] where the stream of these targets is shut out.
    pub(crate) fn takes(&self, tip: usize, message: &TargetMessage) -> Result<bool, Refused> {
        let is_drag = message.topic == HANDLE_FEEDBACK.short_name();
        let timeout = self.arm.settings().servo.timeout;
        let mut sources = self.arm.sources.lock();
        match sources.clutch(tip) {
            Clutch::Closed => {}
            Clutch::Open if !is_drag => {
                let _ = sources.gate(Source::Pose(tip)).admit(Instant::now(), false);
                return Ok(true);
            }
            Clutch::Absent if message.axes == TargetAxes::Pose && self.arm.output.moves_beside(tip, timeout) => {}
            Clutch::Absent | Clutch::Open => {
                let source = if is_drag { Source::Drag(tip) } else { Source::Pose(tip) };
                return sources.gate(source).admit(Instant::now(), false).map(|()| false);
            }
        }
        let is_relative = sources.clutch(tip) == Clutch::Closed;
        drop(sources);
        self.pose(tip, message, is_relative);
        Ok(true)
    }

    /// Drops all commands: the arm comes to rest as after `servo.timeout`.
    #[cfg(feature = "moveit_servo")]
    pub(crate) fn rest(&self) {
        self.arm.output.rest_servo(None);
    }

    /// The frame of a command, as it is known now: a stream does not wait for a transform. The axes of the newest one count, whatever the stamp.
    fn frame(&self, now: &Configuration, header: &Header, is_damaged: bool) -> Result<Located, Refused> {
        if is_damaged {
            return Err(Refused::damaged_frame());
        }
        let (settings, name) = (self.arm.settings(), &header.frame_id);
        let latest = Header { stamp: Time::default(), frame_id: name.clone() };
        let frame = self.arm.frames.locate(&now.loaded, &settings.frame_prefix, &latest, tokio::time::Instant::now());
        // It has an answer now, because it has no time to wait.
        frame.now_or_never().unwrap_or_else(|| Err(Refused::unknown_frame(name, "the frame is not known yet")))
    }

    /// Stores the command that `relate` makes of it, or says why it is refused.
    fn take(&self, arrival: &Arrival, relate: impl FnOnce(&Configuration) -> Result<Wish, Refused>) {
        let stored = self.store(arrival, relate);
        if self.arm.reporter.warnings.note(arrival.topic, &stored)
            && let Err(refused) = stored
        {
            publish_refusal(&self.arm, arrival, &refused);
        }
    }

    fn store(
        &self,
        arrival: &Arrival,
        relate: impl FnOnce(&Configuration) -> Result<Wish, Refused>,
    ) -> Result<(), Refused> {
        let arm = &self.arm;
        let now = arm.configuration()?;
        let wish = relate(&now)?;
        let settings = arm.settings();
        // Until the command is stored: a stop that comes meanwhile waits, and then stops it.
        let mut sources = arm.sources.lock();
        sources.gate(arrival.source).admit(Instant::now(), wish.is_zero())?;
        if !wish.is_zero() {
            // Only now: a command that is refused, or asks for nothing, does not put the arm where it was measured.
            arm.start()?;
        }
        let steered = arm.output.steer(&now.loaded, &settings, Input { topic: arrival.topic, wish })?;
        let Some(steered) = steered else { return Ok(()) };
        let goes_on_with_targets =
            steered.has_begun && sources.takes_over_again(Instant::now(), settings.servo.timeout);
        drop(sources);
        if steered.has_begun {
            let arm = Arc::clone(arm);
            task::start_in(&self.tasks, async move { arm.forget_targets().await });
        }
        if let Some(other) = steered.rival.or(goes_on_with_targets.then_some("targets")) {
            let topic = arrival.topic;
            let sentence = format!("{topic} and {other} command the arm at the same time: the newest command counts");
            arm.reporter.warnings.warn_once(topic, "rival", &sentence);
        }
        Ok(())
    }
}

/// The axes of the link with that index, for a twist of `tip`.
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

/// A command that has arrived.
struct Arrival<'a> {
    source: Source,
    /// `None` where it is about joints.
    tip: Option<usize>,
    topic: &'static str,
    header: &'a Header,
}

/// Publishes that a command is refused.
fn publish_refusal(arm: &Arm, arrival: &Arrival, refused: &Refused) {
    let now = arm.output.configuration();
    let tip = now.as_ref().zip(arrival.tip).and_then(|(now, tip)| now.loaded.chain.tips().get(tip));
    arm.reporter.servo.publish(&ServoStatus {
        header: arrival.header.clone(),
        tip_links: tip.map(|tip| tip.link.clone()).into_iter().collect(),
        ..steering::status_of(refused)
    });
}
