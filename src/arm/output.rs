//! The published configuration of the robot. Every change is published, and repeated at `publish_rate`.
//!
//! A function that changes the configuration publishes it under the same lock, so that messages are in order. Smooth
//! motion is published only by the ticks of the publish rate. Readers use a snapshot under a separate lock and do not
//! wait for a change.
//!
//! The next target starts from the last published configuration.

mod path;
mod tick;

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::QosProfile;
use r2r::builtin_interfaces::msg::Time;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::String as Text;

use super::activity::MotionCondition;
use super::configuration_motion::ConfigurationMotion;
use super::controller_topics::ControllerTopics;
use super::deadman::Deadman;
use super::progress::{ArrivalReports, MotionProgress, StartedMotion};
use super::resting::Resting;
use super::shared_state::SharedState;
use super::state::{ArmState, Snapshot};
use super::steering::{ServoInput, Taken};
use crate::Result;
use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, Reporter, TargetOutcome, refused};
use crate::robot_in_use::{Configuration, LoadedRobot, Measured};
use crate::ros::{Clock, JOINT_STATES, Lock, Publisher, ROBOT_DESCRIPTION_IN_USE, Spinner, latched};
use crate::surroundings::Avoidance;
use urdf_ik_motion::{MotionError, MotionLimits};
use urdf_ik_parameters::{Motion, Settings};

/// The published state of the robot.
pub(crate) struct Output {
    state: SharedState,
    joint_states: Publisher<JointState>,
    controllers: ControllerTopics,
    description: Publisher<Text>,
    pub(super) measured: Arc<Measured>,
    deadman: Arc<Deadman>,
    reporter: Arc<Reporter>,
    clock: Clock,
    /// The current parameters.
    pub(super) settings: Arc<Lock<Arc<Settings>>>,
}

impl Output {
    pub(crate) fn new(
        spinner: &mut Spinner,
        measured: Arc<Measured>,
        deadman: Arc<Deadman>,
        reporter: Arc<Reporter>,
        clock: Clock,
        settings: Arc<Lock<Arc<Settings>>>,
    ) -> Result<Self> {
        let controllers = ControllerTopics::new(spinner, &settings.lock())?;
        Ok(Self {
            measured,
            deadman,
            state: SharedState::default(),
            joint_states: Publisher::new(spinner, JOINT_STATES, QosProfile::default().keep_last(10))?,
            controllers,
            description: Publisher::new(spinner, ROBOT_DESCRIPTION_IN_USE, latched())?,
            reporter,
            clock,
            settings,
        })
    }

    /// The robot and its published configuration; `None` before a robot is loaded.
    pub(crate) fn configuration(&self) -> Option<Configuration> {
        self.state.snapshot().configuration.clone()
    }

    /// True if the arm is at rest.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.state.snapshot().is_at_rest
    }

    /// # Errors
    /// [`Refused`] while commands are refused.
    pub(super) fn check_accepting(&self) -> Result<(), Refused> {
        self.state.snapshot().refused.clone().map_or(Ok(()), Err)
    }

    /// The reason of a halt, if the arm has halted.
    pub(crate) fn halted(&self) -> Option<String> {
        let refused = self.check_accepting().err().filter(|refused| refused.outcome == TargetOutcome::FollowingError);
        refused.map(|refused| refused.sentence)
    }

    /// True if the command already equals the measured configuration while commands are refused.
    pub(super) fn is_synchronized(&self) -> bool {
        self.state.snapshot().is_synchronized
    }

    /// The largest deviation between measurement and command since the last call, as a sentence.
    pub(crate) fn greatest_difference(&self) -> Option<String> {
        let mut state = self.state.lock();
        let deviation = state.supervision.take_greatest_difference()?;
        state.motion.as_ref().map(|motion| deviation.sentence(&motion.loaded))
    }

    /// The arm, if it is at rest and accepts commands.
    pub(super) fn resting(&self) -> Option<Resting> {
        let snapshot = self.state.snapshot();
        let Snapshot { is_at_rest, activity, .. } = *snapshot;
        let published = snapshot.configuration.as_ref().filter(|_| is_at_rest && snapshot.refused.is_none())?.clone();
        Some(Resting { published, activity })
    }

    /// Replaces the robot by that of `motion`, at rest at its positions.
    pub(crate) fn replace_robot(&self, motion: ConfigurationMotion) {
        let mut state = self.state.lock();
        let message = convert::joint_state(&motion.loaded.robot, motion.positions());
        self.description.publish(&Text { data: motion.loaded.text.to_string() });
        state.replace_robot(motion, message);
        self.publish(&mut state, self.clock.now());
    }

    /// Replaces the tools: `loaded` is the same robot with other tools. Does nothing and returns false unless the arm
    /// is at rest. A path that is being planned becomes void.
    pub(crate) fn use_tools(&self, loaded: &Arc<LoadedRobot>) -> bool {
        let mut state = self.state.lock();
        let Some(motion) = state.motion_of(loaded).filter(|motion| motion.is_at_rest()) else { return false };
        motion.loaded = Arc::clone(loaded);
        state.activity.note("a change of tools");
        self.state.update_snapshot(&state);
        true
    }

    /// Sets the limits of all subsequent motions, if `loaded` is still in use.
    ///
    /// # Errors
    /// [`MotionError`] if a limit is invalid.
    pub(crate) fn set_limits(&self, loaded: &Arc<LoadedRobot>, limits: &MotionLimits) -> Result<(), MotionError> {
        self.state.lock().motion_of(loaded).map_or(Ok(()), |motion| motion.set_limits(limits))
    }

    /// Sets and publishes all positions (one entry a joint), if `loaded` is still in use. They are not a command.
    pub(crate) fn set_configuration(&self, loaded: &Arc<LoadedRobot>, positions: Vec<f64>) {
        let mut state = self.state.lock();
        if let Some(motion) = state.motion_of(loaded) {
            motion.place(positions);
            state.drop_command();
            self.publish(&mut state, self.clock.now());
        }
    }

    /// Sets and publishes all positions (one entry a joint) of an arm at rest, unless there was a request since or a
    /// success waits for the arm. Changed positions of the chain are no longer a command.
    pub(super) fn take_over(&self, resting: &Resting, positions: Vec<f64>) {
        let mut state = self.state.lock();
        let Resting { published: Configuration { loaded, .. }, activity } = resting;
        if state.activity.requests != activity.requests || state.supervision.is_settling() {
            return;
        }
        if let Some(motion) = state.motion_of(loaded) {
            let of_chain = |positions| loaded.chain.positions_from(positions);
            let is_displaced = of_chain(motion.positions()) != of_chain(&positions);
            motion.place(positions);
            if is_displaced {
                state.drop_command();
            }
            self.publish(&mut state, self.clock.now());
        }
    }

    /// Discards the targets of all tips, also those whose search lasts.
    pub(super) fn discard_targets(&self) {
        self.state.discard_targets();
    }

    /// How often the targets were discarded.
    pub(crate) fn discards(&self) -> u64 {
        self.state.snapshot().activity.discards
    }

    /// The refusal of a target that was discarded.
    pub(crate) fn discarded(&self) -> Refused {
        self.state.snapshot().activity.discarded()
    }

    /// Brakes to rest. Returns the stamp of the joint state and the time until rest \[s\].
    ///
    /// # Errors
    /// [`Refused`] if the current motion cannot be braked, or the `condition` no longer holds; it continues.
    pub(crate) fn stop(&self, condition: MotionCondition) -> Result<(Time, f64), Refused> {
        let mut state = self.state.lock();
        state.activity.check(condition)?;
        let time = state.brake()?;
        state.note_request("a stop");
        Ok((self.publish_unless_sampled(&mut state), time))
    }

    /// Brakes to rest if a stream of commands moved the arm last. A motion that cannot be braked is tried again at the
    /// next call.
    pub(super) fn stop_stream(&self) {
        let is_stream = self.state.lock().is_stream;
        if is_stream && let Err(refused) = self.stop(MotionCondition::None) {
            self.reporter.warnings.warn_once("deadman_topic", "stop", &refused.sentence);
        }
    }

    /// Brakes to rest, sets the command to the measured configuration, and meanwhile refuses commands with `refused`,
    /// until [`Output::resume`]. Returns a ticket for it and the time until rest \[s\].
    ///
    /// # Errors
    /// [`Refused`] if the current motion cannot be braked; it continues.
    pub(super) fn synchronize(&self, refused: Refused) -> Result<(u64, f64), Refused> {
        let mut state = self.state.lock();
        let time = state.brake()?;
        state.supervision.synchronize(refused);
        state.note_request("a resynchronization");
        (state.activity.is_commanded, state.smooth) = (true, true);
        self.state.update_snapshot(&state);
        Ok((state.activity.requests, time))
    }

    /// Accepts commands again, unless there was a request after the [`Output::synchronize`] of `ticket`. True on
    /// success.
    pub(super) fn resume(&self, ticket: Option<u64>) -> bool {
        let mut state = self.state.lock();
        let is_ours = ticket.is_none_or(|ticket| ticket == state.activity.requests);
        if is_ours {
            state.supervision.resume();
            self.state.update_snapshot(&state);
        }
        is_ours
    }

    /// Starts the motion of the chain to `positions` as configured in `settings`, as far as `avoidance` allows.
    /// `arrivals` makes the reports for the end of the motion.
    ///
    /// # Errors
    /// [`Refused`] if `loaded` is no longer in use, no smooth motion was found, or the `condition` no longer holds.
    pub(crate) fn move_to(
        &self,
        loaded: &Arc<LoadedRobot>,
        positions: &[f64],
        settings: &Settings,
        avoidance: Option<&Avoidance>,
        condition: MotionCondition,
        arrivals: ArrivalReports,
    ) -> Result<StartedMotion, Refused> {
        let mut state = self.state.lock();
        state.activity.check(condition)?;
        self.deadman.permits(settings)?;
        let motion = state.permitted_motion_of(loaded)?;
        let progress = motion.move_to(positions, settings, avoidance, arrivals).refuse_as("motion")?;
        let positions = loaded.chain.positions_from(motion.positions());
        let is_smooth = settings.motion == Motion::Smooth || matches!(progress, Some(MotionProgress::Smooth(_)));
        state.note_request("a target");
        (state.activity.is_commanded, state.smooth, state.is_stream) = (true, is_smooth, true);
        let ticket = state.activity.requests;
        let progress =
            progress.or_else(|| state.settle(&self.measured, settings, arrivals).then_some(MotionProgress::Settling));
        Ok(StartedMotion { stamp: self.publish_unless_sampled(&mut state), positions, progress, ticket })
    }

    /// Passes a command to the servo. `None` if the command has no effect.
    ///
    /// # Errors
    /// [`Refused`] if `loaded` is no longer in use, or its chain is too long for a servo.
    pub(crate) fn steer(
        &self,
        loaded: &Arc<LoadedRobot>,
        settings: &Settings,
        input: ServoInput,
    ) -> Result<Option<Taken>, Refused> {
        let mut state = self.state.lock();
        if !input.command.is_zero() {
            self.deadman.permits(settings)?;
        }
        let motion = state.permitted_motion_of(loaded)?;
        let steered = motion.steer(input, settings);
        let steered = steered.map_err(|e| refused!("servo", "{e}: send target poses instead"))?;
        if steered.is_some() {
            state.note_request("a velocity command");
            (state.activity.is_commanded, state.smooth, state.is_stream) = (true, true, true);
            self.state.update_snapshot(&state);
        }
        Ok(steered)
    }

    /// True if the servo is commanded to move a tip other than `tip`.
    pub(crate) fn moves_other_tip(&self, tip: usize, timeout: Duration) -> bool {
        let mut state = self.state.lock();
        let steering = state.motion.as_mut().and_then(ConfigurationMotion::steering);
        steering.is_some_and(|steering| steering.moves_other_tip(tip, timeout))
    }

    /// Drops the pose command of a tip; without a tip, all commands of the servo.
    pub(crate) fn drop_servo_commands(&self, tip: Option<usize>) {
        if let Some(steering) = self.state.lock().motion.as_mut().and_then(ConfigurationMotion::steering) {
            steering.drop_commands(tip);
        }
    }

    /// Publishes the joint state and returns its stamp. During sampled motion it only returns the last stamp.
    fn publish_unless_sampled(&self, state: &mut ArmState) -> Time {
        if state.motion.as_ref().is_some_and(ConfigurationMotion::is_sampled) {
            self.state.update_snapshot(state);
            return state.last_stamp.clone();
        }
        self.publish(state, self.clock.now())
    }

    /// Publishes the joint state for `time` and returns its stamp. Publishes nothing before simulated time starts: the
    /// stamp would be useless.
    fn publish(&self, state: &mut ArmState, time: Duration) -> Time {
        self.state.update_snapshot(state);
        let stamp = r2r::Clock::to_builtin_time(&time);
        let begun = stamp != Time::default();
        if let Some(motion) = state.motion.as_ref().filter(|_| begun) {
            let (robot, chain) = (&motion.loaded.robot, &motion.loaded.chain);
            state.message.header.stamp = stamp.clone();
            state.message.position.clear();
            state.message.position.extend(robot.movable().map(|joint| motion.positions()[joint]));
            state.message.velocity.clear();
            if state.smooth {
                state.message.velocity = convert::joint_velocities(robot, chain, &motion.velocities());
            }
            self.joint_states.publish(&state.message);
            if state.activity.is_commanded {
                self.controllers.publish_positions(motion);
            }
        }
        (state.last_stamp, state.last_publication) = (stamp.clone(), Some(Instant::now()));
        stamp
    }
}
