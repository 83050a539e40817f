//! The state of the arm: its motion, supervision and last publication.

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::builtin_interfaces::msg::Time;
use r2r::sensor_msgs::msg::JointState;

use super::activity::{Activity, RESET};
use super::configuration_motion::ConfigurationMotion;
use super::progress::{ArrivalReport, ArrivalReports};
use super::supervision::{Supervised, Supervision, SupervisionInput};
use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::{Configuration, LoadedRobot, Measured};
use crate::ros::TickTimes;
use urdf_ik_parameters::Settings;

/// Longest simulated time of one tick \[s\], or two periods if longer: the arm does not jump when the time jumps.
const MAX_SIMULATED_STEP: f64 = 0.2;

/// The state of the arm.
#[derive(Default)]
pub(super) struct ArmState {
    /// `None` before a robot is known.
    pub motion: Option<ConfigurationMotion>,
    pub supervision: Supervision,
    /// The joint state message: its names never change.
    pub message: JointState,
    pub activity: Activity,
    /// True if the last request belonged to a stream of commands.
    pub is_stream: bool,
    /// True during a motion that a driver executes as a whole. It ends such a motion in its own way, so that the arm
    /// is no longer where it is commanded.
    pub is_driven: bool,
    /// True if the motion has velocities. Immediate motion has none.
    pub smooth: bool,
    /// Stamp of the last published joint state.
    pub last_stamp: Time,
    /// Time of its publication, unless by a tick.
    pub last_publication: Option<Instant>,
    pub tick_times: TickTimes,
    /// Time of the last tick.
    pub last_tick: Duration,
}

/// The state for readers.
#[derive(Default)]
pub(super) struct Snapshot {
    /// `None` before a robot is known.
    pub configuration: Option<Configuration>,
    pub is_at_rest: bool,
    /// Covered length of the path that the arm follows, or followed until its present rest \[m\].
    pub covered: Option<f64>,
    pub activity: Activity,
    /// Why commands are refused.
    pub refused: Option<Refused>,
    pub is_synchronized: bool,
}

impl ArmState {
    pub(super) fn snapshot(&self) -> Snapshot {
        let motion = self.motion.as_ref();
        Snapshot {
            configuration: motion.map(ConfigurationMotion::configuration),
            is_at_rest: motion.is_none_or(ConfigurationMotion::is_at_rest),
            covered: motion.and_then(ConfigurationMotion::covered),
            activity: self.activity,
            refused: self.supervision.check_accepting().err(),
            is_synchronized: self.supervision.is_synchronized(),
        }
    }

    /// The time of a tick that was `due` then, and the time since the previous tick \[s\]. `now` is ROS time.
    pub(super) fn next_time(&mut self, settings: &Settings, now: Duration, due: Instant) -> (Duration, f64) {
        let period = settings.publish_period();
        let is_sampled = self.motion.as_ref().is_some_and(ConfigurationMotion::is_sampled);
        // Each step is one period, even if the tick is a little late. Simulated time may have any pace.
        let (time, max_step) = if settings.use_sim_time {
            (now, MAX_SIMULATED_STEP.max(2.0 * period.as_secs_f64()))
        } else {
            (self.tick_times.next(due, now.saturating_sub(due.elapsed()), is_sampled), period.as_secs_f64())
        };
        let step = time.saturating_sub(self.last_tick).as_secs_f64().min(max_step);
        self.last_tick = time;
        (time, step)
    }

    /// True if the joint state was published within the last `period`. A tick may be a little early.
    pub(super) fn was_just_published(&self, period: Duration) -> bool {
        self.last_publication.is_some_and(|last| last.elapsed() < period.mul_f64(0.9))
    }

    /// The motion of `loaded`, if still in use.
    pub(super) fn motion_of(&mut self, loaded: &Arc<LoadedRobot>) -> Option<&mut ConfigurationMotion> {
        self.motion.as_mut().filter(|motion| motion.loaded.is_same_robot(loaded))
    }

    /// The motion of `loaded`, for a command.
    ///
    /// # Errors
    /// [`Refused`] if the robot is no longer in use, or commands are refused.
    pub(super) fn permitted_motion_of(
        &mut self,
        loaded: &Arc<LoadedRobot>,
    ) -> Result<&mut ConfigurationMotion, Refused> {
        self.supervision.check_accepting()?;
        self.motion_of(loaded).ok_or_else(Refused::other_robot)
    }

    /// Supervises the arm after its motion has advanced by `step` seconds; `ended` are the reports of an ended motion.
    pub(super) fn supervise(
        &mut self,
        measured: &Measured,
        settings: &Settings,
        step: f64,
        ended: Vec<ArrivalReport>,
    ) -> Supervised {
        let input = SupervisionInput { measured, settings, step, activity: self.activity };
        let Some(motion) = &mut self.motion else { return Supervised::default() };
        let supervised = self.supervision.tick(motion, ended, &input);
        if supervised.has_halted {
            self.note_request("a following error");
        }
        supervised
    }

    /// Defers the success of an immediate motion until the measured arm has arrived. True if it waits.
    pub(super) fn settle(&mut self, measured: &Measured, settings: &Settings, arrivals: ArrivalReports) -> bool {
        let input = SupervisionInput { measured, settings, step: 0.0, activity: self.activity };
        let Some(motion) = &self.motion else { return false };
        let has_to_settle = input.has_to_settle(motion);
        if has_to_settle {
            self.supervision.wait_for(arrivals(), self.activity.requests);
        }
        has_to_settle
    }

    /// Brakes to rest. Returns the time until rest \[s\].
    ///
    /// # Errors
    /// [`Refused`] without a robot, or if the current motion cannot be braked: it continues, without
    /// commands of the servo.
    pub(super) fn brake(&mut self) -> Result<f64, Refused> {
        let motion = self.motion.as_mut().ok_or_else(Refused::no_robot)?;
        if let Some(steering) = motion.steering() {
            steering.drop_commands(None);
        }
        motion.stop().refuse_as("motion")
    }

    /// Replaces the robot by that of `motion`, at rest; `message` is its joint state.
    pub(super) fn replace_robot(&mut self, motion: ConfigurationMotion, message: JointState) {
        let Activity { requests, discards, .. } = self.activity;
        let activity = Activity { requests: requests + 1, discards, latest: "another robot", ..Activity::default() };
        *self = Self { motion: Some(motion), message, activity, ..Self::default() };
    }

    /// Ends the command: the configuration is measured or initial.
    pub(super) fn drop_command(&mut self) {
        self.supervision = Supervision::default();
        (self.activity.is_commanded, self.smooth) = (false, false);
        self.activity.note(RESET);
    }

    /// Registers a request for a motion or a stop; `kind` is a noun.
    pub(super) fn note_request(&mut self, kind: &'static str) {
        if std::mem::take(&mut self.is_driven) {
            self.activity.is_commanded = false;
        }
        self.activity.last = Some(Instant::now());
        self.activity.note(kind);
        self.is_stream = false;
    }
}
