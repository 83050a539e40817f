//! The state of the arm: its motion, its supervision, and what was published of it last.

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::builtin_interfaces::msg::Time;
use r2r::sensor_msgs::msg::JointState;

use super::configuration_motion::ConfigurationMotion;
use super::progress::{Arrival, Arrivals};
use super::supervision::{Supervised, Supervision, Watch};
use crate::reports::Refused;
use crate::robot_in_use::{Configuration, LoadedRobot, Measured};
use crate::ros::TickTimes;
use urdf_ik_parameters::Settings;

/// Longest simulated time of one tick \[s\]; two periods where they are longer. So the arm does not jump when the time jumps.
const MAX_SIMULATED_STEP: f64 = 0.2;

/// The state of the arm.
#[derive(Default)]
pub(super) struct State {
    /// `None` before a robot is known.
    pub motion: Option<ConfigurationMotion>,
    pub supervision: Supervision,
    /// The joint state message: its names never change.
    pub message: JointState,
    /// When the arm moved last, or a motion or stop was requested.
    pub last_activity: Option<Instant>,
    /// Number of motions, stops and resets so far. A path whose plan took long must not undo a newer one.
    pub requests: u64,
    /// Whether the configuration is that of a requested motion, and not only where the robot was measured or starts.
    pub commanded: bool,
    /// Whether the last request was one of a stream of commands.
    pub is_stream: bool,
    /// Whether the motion has velocities. Immediate motion has none.
    pub smooth: bool,
    /// Stamp of the joint state last published.
    pub last_stamp: Time,
    /// When it was published, if not by a tick.
    pub last_publication: Option<Instant>,
    pub tick_times: TickTimes,
    /// The time of the last tick.
    pub last_tick: Duration,
}

/// What readers see of the state.
#[derive(Default)]
pub(super) struct Snapshot {
    /// `None` before a robot is known.
    pub configuration: Option<Configuration>,
    pub is_at_rest: bool,
    pub commanded: bool,
    pub last_activity: Option<Instant>,
    pub requests: u64,
    /// Why commands are refused.
    pub refused: Option<Refused>,
    pub is_synchronized: bool,
}

impl State {
    pub(super) fn snapshot(&self) -> Snapshot {
        let motion = self.motion.as_ref();
        Snapshot {
            configuration: motion.map(ConfigurationMotion::configuration),
            is_at_rest: motion.is_none_or(ConfigurationMotion::is_at_rest),
            commanded: self.commanded,
            last_activity: self.last_activity,
            requests: self.requests,
            refused: self.supervision.permit().err(),
            is_synchronized: self.supervision.is_synchronized(),
        }
    }

    /// The time of a tick that was `due` then, and the time that passes until it \[s\]. `now` is ROS time.
    pub(super) fn next_time(&mut self, settings: &Settings, now: Duration, due: Instant) -> (Duration, f64) {
        let period = settings.publish_period();
        let is_sampled = self.motion.as_ref().is_some_and(ConfigurationMotion::is_sampled);
        // Each step is one period, even when the tick is a little late. Simulated time may have any pace.
        let (time, max_step) = if settings.use_sim_time {
            (now, MAX_SIMULATED_STEP.max(2.0 * period.as_secs_f64()))
        } else {
            (self.tick_times.next(due, now.saturating_sub(due.elapsed()), is_sampled), period.as_secs_f64())
        };
        let step = time.saturating_sub(self.last_tick).as_secs_f64().min(max_step);
        self.last_tick = time;
        (time, step)
    }

    /// Whether the joint state was published within the last `period`. A tick may be a little early: ticks are not exact.
    pub(super) fn was_just_published(&self, period: Duration) -> bool {
        self.last_publication.is_some_and(|last| last.elapsed() < period.mul_f64(0.9))
    }

    /// The motion of `loaded`, if that is still the robot in use.
    pub(super) fn motion_of(&mut self, loaded: &Arc<LoadedRobot>) -> Option<&mut ConfigurationMotion> {
        self.motion.as_mut().filter(|motion| motion.loaded().is_same_robot(loaded))
    }

    /// The motion of `loaded`, for a command.
    ///
    /// # Errors
    /// [`Refused`] where that is no longer the robot in use, or commands are refused.
    pub(super) fn permitted_motion_of(
        &mut self,
        loaded: &Arc<LoadedRobot>,
    ) -> Result<&mut ConfigurationMotion, Refused> {
        self.supervision.permit()?;
        self.motion_of(loaded).ok_or_else(Refused::other_robot)
    }

    /// Supervises the arm after its motion has moved on by `step` seconds; the arrivals are those of a motion that has `ended`.
    pub(super) fn supervise(
        &mut self,
        measured: &Measured,
        settings: &Settings,
        step: f64,
        ended: Vec<Arrival>,
    ) -> Supervised {
        let watch = self.watch(measured, settings, step);
        let Some(motion) = &mut self.motion else { return Supervised::default() };
        let supervised = self.supervision.tick(motion, ended, &watch);
        if supervised.has_halted {
            self.note_request();
        }
        supervised
    }

    /// Lets the success of an immediate motion wait for the measured arm, where that is elsewhere. Returns whether it does.
    pub(super) fn settle(&mut self, measured: &Measured, settings: &Settings, arrivals: Arrivals) -> bool {
        let watch = self.watch(measured, settings, 0.0);
        let Some(motion) = &self.motion else { return false };
        let has_to_settle = watch.has_to_settle(motion);
        if has_to_settle {
            self.supervision.wait_for(arrivals(), self.requests);
        }
        has_to_settle
    }

    fn watch<'a>(&self, measured: &'a Measured, settings: &'a Settings, step: f64) -> Watch<'a> {
        Watch {
            measured,
            settings,
            step,
            is_commanded: self.commanded,
            requests: self.requests,
            last_activity: self.last_activity,
        }
    }

    /// The configuration is that of no command any more.
    pub(super) fn drop_command(&mut self) {
        self.supervision = Supervision::default();
        (self.commanded, self.smooth) = (false, false);
        self.requests += 1;
    }

    /// Notes that a motion or a stop was requested.
    pub(super) fn note_request(&mut self) {
        self.last_activity = Some(Instant::now());
        self.requests += 1;
        self.is_stream = false;
    }
}
