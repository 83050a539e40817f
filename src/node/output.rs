//! The robot in use, its posture, and their publication. Whoever changes the posture publishes it in the same breath.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use r2r::QosProfile;
use r2r::builtin_interfaces::msg::Time;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::{Header, String as Text};
use r2r::urdf_ik::msg::SolveStatus;

use super::clock::Clock;
use super::description::Loaded;
use super::publisher::Publisher;
use super::status::Reporter;
use super::{NodeError, Shared, convert, latched};

/// How long the publication sleeps at most before it looks at the rate again.
const NAP: Duration = Duration::from_millis(100);

/// What is published of the robot.
pub(super) struct Output {
    state: Mutex<State>,
    joint_states: Publisher<JointState>,
    description: Publisher<Text>,
    pub(super) reporter: Reporter,
    clock: Clock,
}

#[derive(Default)]
struct State {
    current: Option<Posture>,
    goal: Option<Goal>,
    /// When the last target was taken up.
    last_target: Option<Instant>,
    /// When the last step towards a goal was taken.
    last_step: Option<Instant>,
}

/// A robot at some posture.
#[derive(Clone)]
pub(super) struct Posture {
    pub loaded: Arc<Loaded>,
    /// One entry for each joint of the robot, as last published.
    pub positions: Vec<f64>,
}

/// Where the arm is stepping to.
struct Goal {
    /// Of the chain's variables.
    positions: Vec<f64>,
    max_step: f64,
    /// Of the arm at those positions.
    report: SolveStatus,
}

/// What a new goal led to at once.
pub(super) struct Moved {
    /// Stamp of the joint state that was published.
    pub stamp: Time,
    /// Whether it is the goal already.
    pub arrived: bool,
    /// The chain's positions that were published.
    pub positions: Vec<f64>,
}

impl Output {
    pub(super) fn new(node: &mut r2r::Node, clock: Clock) -> Result<Self, NodeError> {
        Ok(Self {
            state: Mutex::default(),
            joint_states: Publisher::new(node, "~/joint_states", QosProfile::default().keep_last(10))?,
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
        self.lock().current.clone()
    }

    /// Whether the arm stands still and no target was taken up for longer than `pause`.
    pub(super) fn idle(&self, pause: Duration) -> bool {
        let state = self.lock();
        state.goal.is_none() && state.last_target.is_none_or(|last| last.elapsed() > pause)
    }

    /// Takes a robot into use at `positions` (one entry a joint), in place of the one before.
    pub(super) fn replace_robot(&self, loaded: Arc<Loaded>, positions: Vec<f64>) {
        let mut state = self.lock();
        self.description.publish(&Text { data: loaded.text.clone() });
        *state = State { current: Some(Posture { loaded, positions }), ..State::default() };
        self.publish(&state);
    }

    /// Sets the whole posture (one entry a joint) and publishes it, if `loaded` is still the robot in use.
    pub(super) fn set_posture(&self, loaded: &Arc<Loaded>, positions: Vec<f64>) {
        let mut state = self.lock();
        if state.holds(loaded) {
            state.goal = None;
            state.current = Some(Posture { loaded: Arc::clone(loaded), positions });
            self.publish(&state);
        }
    }

    /// Publishes the posture once more, and gives the stamp; any goal is dropped.
    pub(super) fn hold(&self) -> Time {
        let mut state = self.lock();
        (state.goal, state.last_target) = (None, Some(Instant::now()));
        self.publish(&state)
    }

    /// Moves the chain to `positions`, in steps of `max_step` at most if there is such a bound, one each `period`: the first is
    /// published at once if it is due, the others with the ticks. `report` is the status of the goal. `None` where `loaded` is no longer the robot in use.
    pub(super) fn move_to(
        &self,
        loaded: &Arc<Loaded>,
        positions: &[f64],
        (max_step, period): (Option<f64>, Duration),
        report: &SolveStatus,
    ) -> Option<Moved> {
        let mut state = self.lock();
        if !state.holds(loaded) {
            return None;
        }
        state.last_target = Some(Instant::now());
        let max_step = max_step.unwrap_or(f64::INFINITY);
        state.goal = Some(Goal { positions: positions.to_vec(), max_step, report: report.clone() });
        let arrived = state.step(period).is_some();
        let stamp = self.publish(&state);
        let positions = state.current.as_ref().map(|now| loaded.chain.positions_from(&now.positions))?;
        Some(Moved { stamp, arrived, positions })
    }

    /// One more step towards the goal, and the posture published once more. Tells the status of a goal that is reached.
    fn tick(&self, period: Duration) {
        let mut state = self.lock();
        let reached = state.step(period);
        let stamp = self.publish(&state);
        drop(state);
        if let Some(goal) = reached {
            self.reporter.arrived(goal.report, stamp);
        }
    }

    /// Publishes the joint state and gives its stamp. Simulated time that has not begun gives no stamp that a reader could
    /// use: nothing is published then.
    fn publish(&self, state: &State) -> Time {
        let stamp = self.clock.stamp();
        let begun = stamp != Time::default();
        if let Some(now) = state.current.as_ref().filter(|_| begun) {
            let mut message = convert::joint_state(&now.loaded.robot, &now.positions);
            message.header = Header { stamp: stamp.clone(), frame_id: String::new() };
            self.joint_states.publish(&message);
        }
        stamp
    }
}

impl State {
    fn holds(&self, loaded: &Arc<Loaded>) -> bool {
        self.current.as_ref().is_some_and(|now| Arc::ptr_eq(&now.loaded, loaded))
    }

    /// Moves the chain one step towards the goal, if one is due; gives the goal back when it is reached.
    fn step(&mut self, period: Duration) -> Option<Goal> {
        let (goal, now) = (self.goal.as_ref()?, self.current.as_mut()?);
        let bounded = goal.max_step.is_finite();
        // A little early is in time: ticks are not exact.
        if bounded && self.last_step.is_some_and(|last| last.elapsed() < period.mul_f64(0.95)) {
            return None;
        }
        self.last_step = Some(Instant::now());
        let (robot, chain) = (&now.loaded.robot, &now.loaded.chain);
        let mut aim = now.positions.clone();
        chain.write_into(robot, &goal.positions, &mut aim);
        // Over every joint: one that mimics may move farther than its master.
        let farthest = now.positions.iter().zip(&aim).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
        if farthest <= goal.max_step {
            now.positions = aim;
            return self.goal.take();
        }
        let share = goal.max_step / farthest;
        let from = chain.positions_from(&now.positions);
        let next: Vec<f64> = from.iter().zip(&goal.positions).map(|(from, to)| from + share * (to - from)).collect();
        chain.write_into(robot, &next, &mut now.positions);
        None
    }
}

/// Publishes the posture at the publish rate.
pub(super) fn serve(shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let mut next = tokio::time::Instant::now();
        loop {
            let period = shared.settings().publish_period;
            let now = tokio::time::Instant::now();
            // In short naps, for the rate may change while the node runs.
            next = next.min(now + period);
            if now < next {
                tokio::time::sleep_until(next.min(now + NAP)).await;
                continue;
            }
            shared.output.tick(period);
            next = (next + period).max(now);
        }
    });
}
