//! The robot's configuration, its one owner: who changes it publishes it, and it is repeated at `publish_rate`.
//!
//! A function that changes the configuration publishes it under the same lock, so that all is published in its order. Smooth motion is
//! different: it is published with the ticks of the publish rate alone. Who only reads the configuration does not wait for any of them:
//! it is shown under a lock of its own.

mod tick;

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::builtin_interfaces::msg::Time;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::String as Text;
use r2r::{Node, QosProfile};

use super::configuration_motion::{ConfigurationMotion, Steered};
use super::controller_topics::ControllerTopics;
use super::deadman::Deadman;
use super::progress::{Arrival, Arrivals, Moved, Progress, Synchronizing};
use super::resting::Resting;
use super::state::{Snapshot, State};
use super::steering::Input;
use crate::Result;
use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, Reporter, Verdict};
use crate::robot_in_use::{Configuration, LoadedRobot, Measured};
use crate::ros::{Clock, JOINT_STATES, Lock, Publisher, ROBOT_DESCRIPTION_IN_USE, latched};
use crate::surroundings::Avoidance;
use urdf_ik_motion::{MotionLimits, TrajectoryPoint};
use urdf_ik_parameters::{Motion, Settings};

/// What is published of the robot.
pub(crate) struct Output {
    state: Lock<State>,
    shown: Lock<Snapshot>,
    joint_states: Publisher<JointState>,
    controllers: ControllerTopics,
    description: Publisher<Text>,
    measured: Arc<Measured>,
    deadman: Arc<Deadman>,
    reporter: Arc<Reporter>,
    clock: Clock,
}

impl Output {
    pub(crate) fn new(
        node: &mut Node,
        measured: Arc<Measured>,
        deadman: Arc<Deadman>,
        reporter: Arc<Reporter>,
        clock: Clock,
        settings: &Settings,
    ) -> Result<Self> {
        Ok(Self {
            measured,
            deadman,
            state: Lock::default(),
            shown: Lock::default(),
            joint_states: Publisher::new(node, JOINT_STATES, QosProfile::default().keep_last(10))?,
            controllers: ControllerTopics::new(node, settings)?,
            description: Publisher::new(node, ROBOT_DESCRIPTION_IN_USE, latched())?,
            reporter,
            clock,
        })
    }

    /// Shows readers the state after a change.
    fn show(&self, state: &State) {
        *self.shown.lock() = state.snapshot();
    }

    /// The robot and its configuration; `None` before a robot is known.
    pub(crate) fn configuration(&self) -> Option<Configuration> {
        self.shown.lock().configuration.clone()
    }

    /// Whether the arm is at rest.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.shown.lock().is_at_rest
    }

    /// # Errors
    /// [`Refused`] while commands are refused.
    pub(super) fn permit(&self) -> Result<(), Refused> {
        self.shown.lock().refused.clone().map_or(Ok(()), Err)
    }

    /// The sentence of a halt, where the arm has halted.
    pub(crate) fn halted(&self) -> Option<String> {
        let refused = self.permit().err().filter(|refused| refused.verdict == Verdict::FollowingError);
        refused.map(|refused| refused.sentence)
    }

    /// Whether the command is the measured configuration by now, while commands are refused.
    pub(super) fn is_synchronized(&self) -> bool {
        self.shown.lock().is_synchronized
    }

    /// The greatest difference between measurement and command since this was asked last, as a sentence.
    pub(crate) fn greatest_difference(&self) -> Option<String> {
        let mut state = self.state.lock();
        let deviation = state.supervision.take_greatest_difference()?;
        state.motion.as_ref().map(|motion| deviation.sentence(motion.loaded()))
    }

    /// The arm, where nothing moves it and it accepts commands.
    pub(super) fn resting(&self) -> Option<Resting> {
        let shown = self.shown.lock();
        let Snapshot { is_at_rest, commanded: is_commanded, last_activity, requests, .. } = *shown;
        let published = shown.configuration.as_ref().filter(|_| is_at_rest && shown.refused.is_none())?.clone();
        Some(Resting { published, is_commanded, last_activity, requests })
    }

    /// Uses a robot at `positions` (one entry a joint) from now on, instead of the one before.
    pub(crate) fn replace_robot(&self, loaded: Arc<LoadedRobot>, positions: Vec<f64>, limits: &MotionLimits) {
        let mut state = self.state.lock();
        self.description.publish(&Text { data: loaded.text.to_string() });
        let message = convert::joint_state(&loaded.robot, &positions);
        let motion = Some(ConfigurationMotion::new(loaded, positions, limits));
        *state = State { motion, message, requests: state.requests + 1, ..State::default() };
        self.publish(&mut state, self.clock.now());
    }

    /// Uses `loaded`, the robot in use with other tools, from now on, if the arm is at rest; returns whether it does. A path that is being
    /// planned is for the tools before, and becomes void.
    pub(crate) fn use_tools(&self, loaded: &Arc<LoadedRobot>) -> bool {
        let mut state = self.state.lock();
        let Some(motion) = state.motion_of(loaded).filter(|motion| motion.is_at_rest()) else { return false };
        motion.use_tools(Arc::clone(loaded));
        state.requests += 1;
        self.show(&state);
        true
    }

    /// Sets the limits of all motions from the next one on, if `loaded` is still the robot in use.
    pub(crate) fn set_limits(&self, loaded: &Arc<LoadedRobot>, limits: &MotionLimits) {
        if let Some(motion) = self.state.lock().motion_of(loaded) {
            motion.set_limits(limits);
        }
    }

    /// Sets all positions (one entry a joint) and publishes them, if `loaded` is still the robot in use. They say where the robot is, and
    /// command nothing.
    pub(crate) fn set_configuration(&self, loaded: &Arc<LoadedRobot>, positions: Vec<f64>) {
        let mut state = self.state.lock();
        if let Some(motion) = state.motion_of(loaded) {
            motion.place(positions);
            state.drop_command();
            self.publish(&mut state, self.clock.now());
        }
    }

    /// Sets all positions (one entry a joint) of an arm that rests and publishes them, unless something was requested since or a success waits
    /// for the arm. Where those of the chain change, they command nothing.
    pub(super) fn take_over(&self, resting: &Resting, positions: Vec<f64>) {
        let mut state = self.state.lock();
        let Resting { published: Configuration { loaded, .. }, requests, .. } = resting;
        if state.requests != *requests || state.supervision.is_settling() {
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

    /// Brakes to rest. Returns the stamp of the joint state, and the time until rest \[s\].
    ///
    /// # Errors
    /// [`Refused`] where the motion under way cannot be braked; it continues.
    pub(crate) fn stop(&self) -> Result<(Time, f64), Refused> {
        let mut state = self.state.lock();
        let motion = state.motion.as_mut().ok_or_else(Refused::no_robot)?;
        motion.rest_servo(None);
        let time = motion.stop().refuse_as("motion")?;
        state.note_request();
        Ok((self.publish_unless_sampled(&mut state), time))
    }

    /// Brakes to rest where a stream of commands has moved the arm last. A motion that cannot be braked now is tried again.
    pub(super) fn stop_stream(&self) {
        let is_stream = self.state.lock().is_stream;
        if is_stream && let Err(refused) = self.stop() {
            self.reporter.warnings.warn_once("deadman_topic", "stop", &refused.sentence);
        }
    }

    /// Brakes to rest, synchronizes the command with the measured configuration, and refuses commands meanwhile with `refused`, until
    /// [`Output::resume`]. Returns a ticket for that, and the time until rest \[s\].
    ///
    /// # Errors
    /// [`Refused`] where the motion under way cannot be braked; it continues.
    pub(super) fn synchronize(&self, refused: Refused) -> Result<Synchronizing, Refused> {
        let mut state = self.state.lock();
        let motion = state.motion.as_mut().ok_or_else(Refused::no_robot)?;
        motion.rest_servo(None);
        let time = motion.stop().refuse_as("motion")?;
        state.supervision.synchronize(refused);
        state.note_request();
        (state.commanded, state.smooth) = (true, true);
        self.show(&state);
        Ok(Synchronizing { ticket: state.requests, time })
    }

    /// Accepts commands again, unless something was requested since [`Output::synchronize`] gave a `ticket`. Returns whether it does.
    pub(super) fn resume(&self, ticket: Option<u64>) -> bool {
        let mut state = self.state.lock();
        let is_ours = ticket.is_none_or(|ticket| ticket == state.requests);
        if is_ours {
            state.supervision.resume();
            self.show(&state);
        }
        is_ours
    }

    /// Begins the motion of the chain to `positions` that `settings` ask for, as far as `avoidance` allows it. `arrivals` makes the reports
    /// for the end of the motion. It goes on from the motion that gave `ticket`, or from whatever there is.
    ///
    /// # Errors
    /// [`Refused`] where `loaded` is no longer the robot in use, no smooth motion was found, or something else was requested since that
    /// ticket.
    pub(crate) fn move_to(
        &self,
        loaded: &Arc<LoadedRobot>,
        positions: &[f64],
        settings: &Settings,
        avoidance: Option<&Avoidance>,
        ticket: Option<u64>,
        arrivals: Arrivals,
    ) -> Result<Moved, Refused> {
        let mut state = self.state.lock();
        if ticket.is_some_and(|ticket| ticket != state.requests) {
            return Err(Refused::invalid("motion", "another motion was requested meanwhile"));
        }
        self.deadman.permits(settings)?;
        let motion = state.permitted_motion_of(loaded)?;
        let progress = motion.move_to(positions, settings, avoidance, arrivals).refuse_as("motion")?;
        let positions = loaded.chain.positions_from(motion.positions());
        let is_smooth = settings.motion == Motion::Smooth || matches!(progress, Some(Progress::Smooth(_)));
        state.note_request();
        (state.commanded, state.smooth, state.is_stream) = (true, is_smooth, true);
        let ticket = state.requests;
        let progress =
            progress.or_else(|| state.settle(&self.measured, settings, arrivals).then_some(Progress::Settling));
        Ok(Moved { stamp: self.publish_unless_sampled(&mut state), positions, progress, ticket })
    }

    /// Lets the servo follow a command. `None` where the command asks for nothing.
    ///
    /// # Errors
    /// [`Refused`] where `loaded` is no longer the robot in use, or its chain is too long for a servo.
    pub(crate) fn steer(
        &self,
        loaded: &Arc<LoadedRobot>,
        settings: &Settings,
        input: Input,
    ) -> Result<Option<Steered>, Refused> {
        let mut state = self.state.lock();
        if !input.wish.is_zero() {
            self.deadman.permits(settings)?;
        }
        let motion = state.permitted_motion_of(loaded)?;
        let steered = motion.steer(input, settings);
        let steered = steered.map_err(|e| Refused::invalid("servo", format!("{e}: send target poses instead")))?;
        if steered.is_some() {
            state.note_request();
            (state.commanded, state.smooth, state.is_stream) = (true, true, true);
            self.show(&state);
        }
        Ok(steered)
    }

    /// Whether the servo is commanded to move another tip than this one.
    pub(crate) fn moves_beside(&self, tip: usize, timeout: Duration) -> bool {
        self.state.lock().motion.as_mut().is_some_and(|motion| motion.moves_beside(tip, timeout))
    }

    /// Drops the pose that a tip follows by the servo; without a tip, all commands of the servo.
    pub(crate) fn rest_servo(&self, tip: Option<usize>) {
        if let Some(motion) = self.state.lock().motion.as_mut() {
            motion.rest_servo(tip);
        }
    }

    /// Brakes before a path is planned for `loaded`; joints outside their limits come inside. Returns the configuration, whose end is where
    /// the robot comes to rest, and a ticket for [`Output::follow`].
    ///
    /// # Errors
    /// [`Refused`] where `loaded` is no longer the robot in use, or it cannot be braked.
    pub(crate) fn prepare_path(&self, loaded: &Arc<LoadedRobot>) -> Result<(Configuration, u64), Refused> {
        let mut state = self.state.lock();
        let motion = state.permitted_motion_of(loaded)?;
        motion.stop_inside().refuse_as("motion")?;
        let (configuration, moves) = (motion.configuration(), !motion.is_at_rest());
        state.note_request();
        if moves {
            (state.commanded, state.smooth) = (true, true);
        }
        self.show(&state);
        Ok((configuration, state.requests))
    }

    /// Begins to follow a trajectory, if nothing else was requested since [`Output::prepare_path`] gave `ticket`. `arrival` has
    /// the status for the end. Returns the stamp of the joint state.
    ///
    /// # Errors
    /// [`Refused`] where something else was requested.
    pub(crate) fn follow(
        &self,
        ticket: u64,
        points: Arc<[TrajectoryPoint]>,
        arrival: Arrival,
    ) -> Result<Time, Refused> {
        let mut state = self.state.lock();
        let ours = state.requests == ticket;
        let motion = state
            .motion
            .as_mut()
            .filter(|_| ours)
            .ok_or_else(|| Refused::invalid("path", "another motion was requested while the path was planned"))?;
        motion.follow(points, arrival).refuse_as("path")?;
        state.note_request();
        (state.commanded, state.smooth) = (true, true);
        self.show(&state);
        Ok(state.last_stamp.clone())
    }

    /// Publishes the joint state and gives its stamp. In a motion that is sampled at even times, it only gives the stamp of the last one.
    fn publish_unless_sampled(&self, state: &mut State) -> Time {
        if state.motion.as_ref().is_some_and(ConfigurationMotion::is_sampled) {
            self.show(state);
            return state.last_stamp.clone();
        }
        self.publish(state, self.clock.now())
    }

    /// Publishes the joint state of a `time` and gives its stamp. Publishes nothing before simulated time begins: no reader could use the
    /// stamp.
    fn publish(&self, state: &mut State, time: Duration) -> Time {
        self.show(state);
        let stamp = r2r::Clock::to_builtin_time(&time);
        let begun = stamp != Time::default();
        if let Some(motion) = state.motion.as_ref().filter(|_| begun) {
            let (robot, chain) = (&motion.loaded().robot, &motion.loaded().chain);
            state.message.header.stamp = stamp.clone();
            state.message.position.clear();
            state.message.position.extend(robot.movable().map(|joint| motion.positions()[joint]));
            state.message.velocity.clear();
            if state.smooth {
                state.message.velocity = convert::joint_velocities(robot, chain, &motion.velocities());
            }
            self.joint_states.publish(&state.message);
            if state.commanded {
                self.controllers.publish_positions(motion);
            }
        }
        (state.last_stamp, state.last_publication) = (stamp.clone(), Some(Instant::now()));
        stamp
    }
}
