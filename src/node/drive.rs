//! The robot's posture as time goes on: at once, in steps, smoothly, or along a path.

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::urdf_ik::msg::SolveStatus;

use super::description::Loaded;
use crate::motion::{JointMotion, MotionError, MotionLimits, TrajectoryPoint};

/// A robot at some posture.
#[derive(Clone)]
pub(super) struct Posture {
    pub loaded: Arc<Loaded>,
    /// One entry for each joint of the robot, as last published.
    pub positions: Vec<f64>,
    /// The same in the posture in which the motion under way ends.
    pub end: Vec<f64>,
}

/// A robot that may be on its way.
pub(super) struct Drive {
    loaded: Arc<Loaded>,
    /// One entry for each joint of the robot.
    positions: Vec<f64>,
    /// Of the chain's variables.
    motion: JointMotion,
    course: Course,
    /// When the last bounded step was taken.
    last_step: Option<Instant>,
    /// Statuses to publish on arrival.
    reports: Vec<SolveStatus>,
}

/// Makes the statuses on arrival, which takes longer than to move: only where they are needed.
pub(super) type Reports<'a> = &'a dyn Fn() -> Vec<SolveStatus>;

/// How it is on its way.
enum Course {
    Still,
    /// To positions of the chain's variables, in steps of at most so much.
    Steps {
        goal: Vec<f64>,
        max_step: f64,
    },
    /// As the joint motion goes.
    Motion,
}

impl Drive {
    /// At rest at `positions` (one entry a joint).
    pub(super) fn new(loaded: Arc<Loaded>, positions: Vec<f64>, limits: &MotionLimits) -> Self {
        let chain = &loaded.chain;
        let motion = JointMotion::new(chain, limits, &chain.positions_from(&positions));
        Self { loaded, positions, motion, course: Course::Still, last_step: None, reports: Vec::new() }
    }

    pub(super) fn loaded(&self) -> &Arc<Loaded> {
        &self.loaded
    }

    pub(super) fn posture(&self) -> Posture {
        let mut end = self.positions.clone();
        let goal = match &self.course {
            Course::Still => None,
            Course::Steps { goal, .. } => Some(goal.as_slice()),
            Course::Motion => Some(self.motion.end()),
        };
        if let Some(goal) = goal {
            self.loaded.chain.write_into(&self.loaded.robot, goal, &mut end);
        }
        Posture { loaded: Arc::clone(&self.loaded), positions: self.positions.clone(), end }
    }

    pub(super) fn is_still(&self) -> bool {
        matches!(self.course, Course::Still)
    }

    /// Whether it moves so that each posture is one of many at even times, and must not be published between them.
    pub(super) fn is_timed(&self) -> bool {
        matches!(self.course, Course::Motion)
    }

    /// One entry for each joint of the robot.
    pub(super) fn positions(&self) -> &[f64] {
        &self.positions
    }

    /// Of the chain's variables.
    pub(super) fn velocities(&self) -> &[f64] {
        self.motion.velocities()
    }

    pub(super) fn set_limits(&mut self, limits: &MotionLimits) {
        self.motion.set_limits(limits);
    }

    /// At rest at `positions` (one entry a joint) at once.
    pub(super) fn place(&mut self, positions: Vec<f64>) {
        self.motion.place(&self.loaded.chain.positions_from(&positions));
        (self.positions, self.course) = (positions, Course::Still);
        self.reports.clear();
    }

    /// To `goal` of the chain's variables in steps of at most `max_step`, one each `period`. The first is taken now if it is due; tells
    /// whether it is the last. If not, the `reports` are given back on arrival.
    pub(super) fn step_to(&mut self, goal: &[f64], max_step: f64, period: Duration, reports: Reports) -> bool {
        self.motion.place(&self.loaded.chain.positions_from(&self.positions));
        self.course = Course::Steps { goal: goal.to_vec(), max_step };
        self.step(period);
        self.reports = if self.is_still() { Vec::new() } else { reports() };
        self.is_still()
    }

    /// Smoothly to `goal` of the chain's variables; gives the time that it takes \[s\], or nothing where it is there already. If not,
    /// the `reports` are given back on arrival.
    pub(super) fn glide_to(&mut self, goal: &[f64], reports: Reports) -> Result<Option<f64>, MotionError> {
        let time = self.motion.aim(goal)?;
        if self.motion.at_rest() {
            (self.course, self.reports) = (Course::Still, Vec::new());
            return Ok(None);
        }
        (self.course, self.reports) = (Course::Motion, reports());
        Ok(Some(time))
    }

    /// Along a trajectory, once the motion under way has ended where it begins. `report` is given back on arrival.
    pub(super) fn follow(&mut self, points: Arc<[TrajectoryPoint]>, report: SolveStatus) -> Result<(), MotionError> {
        self.motion.follow(points)?;
        (self.course, self.reports) = (Course::Motion, vec![report]);
        Ok(())
    }

    /// To rest: at once where it is not moving smoothly. Gives the time that it takes \[s\].
    pub(super) fn stop(&mut self) -> Result<f64, MotionError> {
        let time = self.motion.stop()?;
        self.reports.clear();
        if self.motion.at_rest() {
            self.course = Course::Still;
        }
        Ok(time)
    }

    /// Lets `step` seconds of motion pass, or takes the step that is due each `period`. Gives the statuses of what is reached by it.
    pub(super) fn tick(&mut self, step: f64, period: Duration) -> Vec<SolveStatus> {
        match self.course {
            Course::Still => return Vec::new(),
            Course::Steps { .. } => self.step(period),
            Course::Motion => {
                self.motion.advance(step);
                self.loaded.chain.write_into(&self.loaded.robot, self.motion.positions(), &mut self.positions);
                if self.motion.at_rest() {
                    self.course = Course::Still;
                }
            }
        }
        if self.is_still() { std::mem::take(&mut self.reports) } else { Vec::new() }
    }

    /// Moves the chain one step towards the goal, if one is due.
    fn step(&mut self, period: Duration) {
        let Course::Steps { goal, max_step } = &self.course else { return };
        // A little early is in time: ticks are not exact.
        if max_step.is_finite() && self.last_step.is_some_and(|last| last.elapsed() < period.mul_f64(0.95)) {
            return;
        }
        self.last_step = Some(Instant::now());
        let (robot, chain) = (&self.loaded.robot, &self.loaded.chain);
        let mut aim = self.positions.clone();
        chain.write_into(robot, goal, &mut aim);
        // Over every joint: one that mimics may move farther than its master.
        let farthest = self.positions.iter().zip(&aim).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
        let arrived = farthest <= *max_step;
        if arrived {
            self.positions = aim;
        } else {
            let share = max_step / farthest;
            let from = chain.positions_from(&self.positions);
            let next: Vec<f64> = from.iter().zip(goal).map(|(from, to)| from + share * (to - from)).collect();
            chain.write_into(robot, &next, &mut self.positions);
        }
        self.motion.place(&chain.positions_from(&self.positions));
        if arrived {
            self.course = Course::Still;
        }
    }
}
