//! The robot in use, its posture, and their publication. Whoever changes the posture publishes it in the same breath, but for smooth
//! motion, whose postures come with the ticks of the publish rate.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use r2r::QosProfile;
use r2r::builtin_interfaces::msg::Time;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::{Float64MultiArray, String as Text};
use r2r::urdf_ik::msg::SolveStatus;

use super::clock::Clock;
use super::description::Loaded;
use super::drive::{Drive, Posture, Reports};
use super::publisher::Publisher;
use super::status::{Refused, Reporter};
use super::{NodeError, Shared, convert, latched};
use crate::motion::{MotionLimits, TrajectoryPoint};
use crate::parameters::{Motion, Settings};

/// How long the publication sleeps at most before it looks at the rate again.
const NAP: Duration = Duration::from_millis(100);
/// Simulated time that one tick may bring at most \[s\], or two periods where they are longer: time that jumps must not make the arm jump.
const LONGEST_TICK: f64 = 0.2;

/// What is published of the robot.
pub(super) struct Output {
    state: Mutex<State>,
    joint_states: Publisher<JointState>,
    commands: Option<Commands>,
    description: Publisher<Text>,
    pub(super) reporter: Reporter,
    clock: Clock,
}

/// The topic of bare positions for controllers.
struct Commands {
    joints: Vec<String>,
    publisher: Publisher<Float64MultiArray>,
}

#[derive(Default)]
struct State {
    drive: Option<Drive>,
    /// The message of its posture: what stays the same is kept.
    message: JointState,
    /// When the last target was taken up.
    last_target: Option<Instant>,
    /// Counts what was asked for: a path that took long to plan must not undo what came meanwhile.
    requests: u64,
    /// Whether the posture is one that somebody asked for, and not only where the robot is said to stand.
    commanded: bool,
    /// Whether the velocities are known: not where postures are published at once.
    smooth: bool,
    /// Stamp of the joint state last published, and when that was.
    last_stamp: Time,
    last_publication: Option<Instant>,
    /// ROS time of the last tick.
    last_tick: Duration,
}

/// What a new goal led to at once.
pub(super) struct Moved {
    /// Stamp of the joint state that is the robot's now.
    pub stamp: Time,
    /// The chain's positions in it.
    pub positions: Vec<f64>,
    /// How it goes on; `None` where the goal is reached.
    pub on_its_way: Option<Way>,
}

/// How a goal is gone to that is not reached at once.
pub(super) enum Way {
    /// In bounded steps.
    Steps,
    /// Smoothly, in so many seconds.
    Smooth(f64),
}

impl Output {
    pub(super) fn new(node: &mut r2r::Node, clock: Clock, settings: &Settings) -> Result<Self, NodeError> {
        let joints = settings.command_joints.clone();
        let commands = if joints.is_empty() {
            None
        } else {
            let publisher = Publisher::new(node, "~/joint_commands", QosProfile::default().keep_last(10))?;
            Some(Commands { joints, publisher })
        };
        Ok(Self {
            state: Mutex::default(),
            joint_states: Publisher::new(node, "~/joint_states", QosProfile::default().keep_last(10))?,
            commands,
            description: Publisher::new(node, "~/robot_description", latched())?,
            reporter: Reporter::new(node)?,
            clock,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic in another task leaves nothing half-written that the next publication would not replace.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The robot and its posture as last published; `None` before a robot is known.
    pub(super) fn posture(&self) -> Option<Posture> {
        self.lock().drive.as_ref().map(Drive::posture)
    }

    /// Whether the arm stands still and no target was taken up for longer than `pause`.
    pub(super) fn idle(&self, pause: Duration) -> bool {
        let state = self.lock();
        state.drive.as_ref().is_none_or(Drive::is_still) && state.last_target.is_none_or(|last| last.elapsed() > pause)
    }

    /// Takes a robot into use at `positions` (one entry a joint), in place of the one before.
    pub(super) fn replace_robot(&self, loaded: Arc<Loaded>, positions: Vec<f64>, limits: &MotionLimits) {
        let mut state = self.lock();
        self.description.publish(&Text { data: loaded.text.clone() });
        let message = convert::joint_state(&loaded.robot, &positions);
        let drive = Some(Drive::new(loaded, positions, limits));
        *state = State { drive, message, requests: state.requests + 1, ..State::default() };
        self.publish(&mut state);
    }

    /// How fast the joints may move from the next motion on, if `loaded` is still the robot in use.
    pub(super) fn set_limits(&self, loaded: &Arc<Loaded>, limits: &MotionLimits) {
        if let Some(drive) = self.lock().drive_of(loaded) {
            drive.set_limits(limits);
        }
    }

    /// Sets the whole posture (one entry a joint) and publishes it, if `loaded` is still the robot in use: it is where the robot
    /// stands, and commands nothing.
    pub(super) fn set_posture(&self, loaded: &Arc<Loaded>, positions: Vec<f64>) {
        let mut state = self.lock();
        if let Some(drive) = state.drive_of(loaded) {
            drive.place(positions);
            (state.commanded, state.smooth) = (false, false);
            state.requests += 1;
            self.publish(&mut state);
        }
    }

    /// Comes to rest, and gives the stamp of the posture and the time until then \[s\].
    ///
    /// # Errors
    /// A sentence, where the motion under way cannot be braked: it goes on.
    pub(super) fn stop(&self) -> Result<(Time, f64), Refused> {
        let mut state = self.lock();
        let drive = state.drive.as_mut().ok_or_else(Refused::no_robot)?;
        let time = drive.stop().map_err(|e| Refused::invalid("motion", e.to_string()))?;
        state.take_up();
        Ok((self.publish_unless_timed(&mut state), time))
    }

    /// Moves the chain to `positions` as `settings` have it. `reports` makes the statuses on arrival.
    ///
    /// # Errors
    /// [`Refused`] where `loaded` is no longer the robot in use, or there is no smooth motion.
    pub(super) fn move_to(
        &self,
        loaded: &Arc<Loaded>,
        positions: &[f64],
        settings: &Settings,
        reports: Reports,
    ) -> Result<Moved, Refused> {
        let mut state = self.lock();
        let drive = state.drive_of(loaded).ok_or_else(Refused::other_robot)?;
        let on_its_way = match settings.motion {
            Motion::Immediate => {
                let max_step = settings.max_joint_step.unwrap_or(f64::INFINITY);
                let arrived = drive.step_to(positions, max_step, settings.publish_period, reports);
                (!arrived).then_some(Way::Steps)
            }
            Motion::Smooth => {
                let time = drive.glide_to(positions, reports).map_err(|e| Refused::invalid("motion", e.to_string()))?;
                time.map(Way::Smooth)
            }
        };
        let positions = loaded.chain.positions_from(drive.positions());
        state.take_up();
        (state.commanded, state.smooth) = (true, settings.motion == Motion::Smooth);
        Ok(Moved { stamp: self.publish_unless_timed(&mut state), positions, on_its_way })
    }

    /// Brakes for a path of `loaded`: gives the posture, whose end is where the robot will stand, and what [`Output::follow`] must be told.
    ///
    /// # Errors
    /// [`Refused`] where `loaded` is no longer the robot in use, or it cannot be braked.
    pub(super) fn prepare_path(&self, loaded: &Arc<Loaded>) -> Result<(Posture, u64), Refused> {
        let mut state = self.lock();
        let drive = state.drive_of(loaded).ok_or_else(Refused::other_robot)?;
        drive.stop().map_err(|e| Refused::invalid("motion", e.to_string()))?;
        let posture = drive.posture();
        state.take_up();
        Ok((posture, state.requests))
    }

    /// Goes along a trajectory, if nothing else was taken up since [`Output::prepare_path`] gave `ticket`. `report` is the status on arrival.
    /// Gives the stamp of the posture.
    ///
    /// # Errors
    /// [`Refused`] where something was.
    pub(super) fn follow(
        &self,
        ticket: u64,
        points: Arc<[TrajectoryPoint]>,
        report: SolveStatus,
    ) -> Result<Time, Refused> {
        let mut state = self.lock();
        let ours = state.requests == ticket;
        let drive = state.drive.as_mut().filter(|_| ours).ok_or_else(|| {
            Refused::invalid("path", "something else was asked for while the path was planned".into())
        })?;
        drive.follow(points, report).map_err(|e| Refused::invalid("path", e.to_string()))?;
        state.take_up();
        (state.commanded, state.smooth) = (true, true);
        Ok(state.last_stamp.clone())
    }

    /// One more period of motion, and the posture published once more, unless targets have it published all the time. Publishes the
    /// statuses of what is reached by it.
    fn tick(&self, settings: &Settings) {
        let mut state = self.lock();
        let period = settings.publish_period;
        let now = self.clock.now();
        // Steps are even, whether a tick was a little late or not; simulated time may go at any pace.
        let step = if settings.use_sim_time {
            now.saturating_sub(state.last_tick).as_secs_f64().min(LONGEST_TICK.max(2.0 * period.as_secs_f64()))
        } else {
            period.as_secs_f64()
        };
        state.last_tick = now;
        // A little early is in time: ticks are not exact.
        let published_of_late = state.last_publication.is_some_and(|last| last.elapsed() < period.mul_f64(0.9));
        if published_of_late && state.drive.as_ref().is_some_and(Drive::is_still) {
            return;
        }
        let reached = state.drive.as_mut().map(|drive| drive.tick(step, period)).unwrap_or_default();
        let stamp = self.publish(&mut state);
        drop(state);
        for report in reached {
            self.reporter.arrived(report, stamp.clone());
        }
    }

    /// Publishes the joint state, unless it is one of many at even times: the stamp of the last is given then.
    fn publish_unless_timed(&self, state: &mut State) -> Time {
        if state.drive.as_ref().is_some_and(Drive::is_timed) {
            return state.last_stamp.clone();
        }
        self.publish(state)
    }

    /// Publishes the joint state and gives its stamp. Simulated time that has not begun gives no stamp that a reader could
    /// use: nothing is published then.
    fn publish(&self, state: &mut State) -> Time {
        let stamp = self.clock.stamp();
        let begun = stamp != Time::default();
        if let Some(drive) = state.drive.as_ref().filter(|_| begun) {
            let (robot, chain) = (&drive.loaded().robot, &drive.loaded().chain);
            state.message.header.stamp = stamp.clone();
            state.message.position.clear();
            state.message.position.extend(robot.movable().map(|joint| drive.positions()[joint]));
            state.message.velocity.clear();
            if state.smooth {
                state.message.velocity = convert::joint_velocities(robot, chain, drive.velocities());
            }
            self.joint_states.publish(&state.message);
            if let Some(commands) = self.commands.as_ref().filter(|_| state.commanded) {
                let position =
                    |name: &String| robot.movable_index(name).map_or(f64::NAN, |joint| drive.positions()[joint]);
                let data = commands.joints.iter().map(position).collect();
                commands.publisher.publish(&Float64MultiArray { data, ..Float64MultiArray::default() });
            }
        }
        (state.last_stamp, state.last_publication) = (stamp.clone(), Some(Instant::now()));
        stamp
    }
}

impl State {
    /// What drives `loaded`, if that is still the robot in use.
    fn drive_of(&mut self, loaded: &Arc<Loaded>) -> Option<&mut Drive> {
        self.drive.as_mut().filter(|drive| Arc::ptr_eq(drive.loaded(), loaded))
    }

    /// Something was asked for.
    fn take_up(&mut self) {
        self.last_target = Some(Instant::now());
        self.requests += 1;
    }
}

/// Publishes the posture at the publish rate.
pub(super) fn serve(shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let mut next = tokio::time::Instant::now();
        loop {
            let settings = shared.settings();
            let period = settings.publish_period;
            let now = tokio::time::Instant::now();
            // In short naps, for the rate may change while the node runs.
            next = next.min(now + period);
            if now < next {
                tokio::time::sleep_until(next.min(now + NAP)).await;
                continue;
            }
            shared.output.tick(&settings);
            next = (next + period).max(now);
        }
    });
}
