//! Moves the joints of the robot over time: at once, in steps, smoothly, or along a trajectory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::urdf_ik::msg::SolveStatus;

use super::description::LoadedRobot;
use crate::motion::{JointMotion, MotionError, MotionLimits, TrajectoryPoint};

/// The configuration of a robot.
#[derive(Clone)]
pub(super) struct Configuration {
    pub loaded: Arc<LoadedRobot>,
    /// The present positions: one entry for each joint of the robot.
    pub positions: Vec<f64>,
    /// The positions at the end of the motion under way.
    pub end: Vec<f64>,
}

/// The configuration of a robot, and its motion.
pub(super) struct ConfigurationMotion {
    loaded: Arc<LoadedRobot>,
    /// One entry for each joint of the robot.
    positions: Vec<f64>,
    /// Motion of the chain's variables.
    motion: JointMotion,
    course: Course,
    /// When the last bounded step was taken.
    last_step: Option<Instant>,
    /// Statuses to publish when the goal is reached.
    reports: Vec<SolveStatus>,
}

/// Makes the statuses for the arrival. This takes longer than to start a motion, so it is done only where they are needed.
pub(super) type Reports<'a> = &'a dyn Fn() -> Vec<SolveStatus>;

/// The kind of the motion under way.
enum Course {
    AtRest,
    /// In steps.
    Steps {
        /// Positions of the chain's variables.
        goal: Vec<f64>,
        /// Greatest step of a joint \[rad or m\].
        max_step: f64,
    },
    /// That of the joint motion: smooth or along a trajectory.
    Motion,
}

impl ConfigurationMotion {
    /// At rest at `positions` (one entry a joint).
    pub(super) fn new(loaded: Arc<LoadedRobot>, positions: Vec<f64>, limits: &MotionLimits) -> Self {
        let chain = &loaded.chain;
        let motion = JointMotion::new(chain, limits, &chain.positions_from(&positions));
        Self { loaded, positions, motion, course: Course::AtRest, last_step: None, reports: Vec::new() }
    }

    pub(super) fn loaded(&self) -> &Arc<LoadedRobot> {
        &self.loaded
    }

    pub(super) fn configuration(&self) -> Configuration {
        let mut end = self.positions.clone();
        let goal = match &self.course {
            Course::AtRest => None,
            Course::Steps { goal, .. } => Some(goal.as_slice()),
            Course::Motion => Some(self.motion.end()),
        };
        if let Some(goal) = goal {
            self.loaded.chain.write_into(&self.loaded.robot, goal, &mut end);
        }
        Configuration { loaded: Arc::clone(&self.loaded), positions: self.positions.clone(), end }
    }

    pub(super) fn is_at_rest(&self) -> bool {
        matches!(self.course, Course::AtRest)
    }

    /// Whether the motion is sampled at even times, so that nothing must be published between the ticks.
    pub(super) fn is_sampled(&self) -> bool {
        matches!(self.course, Course::Motion)
    }

    /// The present positions: one entry for each joint of the robot.
    pub(super) fn positions(&self) -> &[f64] {
        &self.positions
    }

    /// Velocities of the chain's variables \[rad/s or m/s\].
    pub(super) fn velocities(&self) -> &[f64] {
        self.motion.velocities()
    }

    pub(super) fn set_limits(&mut self, limits: &MotionLimits) {
        self.motion.set_limits(limits);
    }

    /// Puts the robot at rest at `positions` (one entry a joint) at once, without a motion.
    pub(super) fn place(&mut self, positions: Vec<f64>) {
        self.motion.place(&self.loaded.chain.positions_from(&positions));
        (self.positions, self.course) = (positions, Course::AtRest);
        self.reports.clear();
    }

    /// Moves to `goal`, positions of the chain's variables, in steps of at most `max_step`, one in each `period`. The first step is taken
    /// now if it is due. Returns whether the goal is reached; if not, the tick that reaches it gives back the `reports`.
    pub(super) fn step_to(&mut self, goal: &[f64], max_step: f64, period: Duration, reports: Reports) -> bool {
        self.motion.place(&self.loaded.chain.positions_from(&self.positions));
        self.course = Course::Steps { goal: goal.to_vec(), max_step };
        self.step(period);
        self.reports = if self.is_at_rest() { Vec::new() } else { reports() };
        self.is_at_rest()
    }

    /// Begins a smooth motion to `goal`, positions of the chain's variables. Gives the time that it takes \[s\]; `None` where the goal is
    /// reached already. If not, the tick that reaches it gives back the `reports`.
    pub(super) fn move_smoothly_to(&mut self, goal: &[f64], reports: Reports) -> Result<Option<f64>, MotionError> {
        let time = self.motion.move_to(goal)?;
        if self.motion.is_at_rest() {
            (self.course, self.reports) = (Course::AtRest, Vec::new());
            return Ok(None);
        }
        (self.course, self.reports) = (Course::Motion, reports());
        Ok(Some(time))
    }

    /// Follows a trajectory, after the motion under way has ended at its first point. The tick at its end gives back the `report`.
    pub(super) fn follow(&mut self, points: Arc<[TrajectoryPoint]>, report: SolveStatus) -> Result<(), MotionError> {
        self.motion.follow(points)?;
        (self.course, self.reports) = (Course::Motion, vec![report]);
        Ok(())
    }

    /// Brakes to rest; at once where the motion is not smooth. Gives the time that it takes \[s\].
    pub(super) fn stop(&mut self) -> Result<f64, MotionError> {
        let time = self.motion.stop()?;
        self.reports.clear();
        if self.motion.is_at_rest() {
            self.course = Course::AtRest;
        }
        Ok(time)
    }

    /// Lets `step` seconds of motion pass, or takes the step that is due in each `period`. Gives the statuses of a goal that is reached.
    pub(super) fn tick(&mut self, step: f64, period: Duration) -> Vec<SolveStatus> {
        match self.course {
            Course::AtRest => return Vec::new(),
            Course::Steps { .. } => self.step(period),
            Course::Motion => {
                self.motion.advance(step);
                self.loaded.chain.write_into(&self.loaded.robot, self.motion.positions(), &mut self.positions);
                if self.motion.is_at_rest() {
                    self.course = Course::AtRest;
                }
            }
        }
        if self.is_at_rest() { std::mem::take(&mut self.reports) } else { Vec::new() }
    }

    /// Moves the chain one step towards the goal, if one is due.
    fn step(&mut self, period: Duration) {
        let Course::Steps { goal, max_step } = &self.course else { return };
        // A step may be a little early: ticks are not exact.
        if max_step.is_finite() && self.last_step.is_some_and(|last| last.elapsed() < period.mul_f64(0.95)) {
            return;
        }
        self.last_step = Some(Instant::now());
        let (robot, chain) = (&self.loaded.robot, &self.loaded.chain);
        let mut goal_positions = self.positions.clone();
        chain.write_into(robot, goal, &mut goal_positions);
        // Over all joints: a joint that mimics another may move farther than that.
        let largest_move =
            self.positions.iter().zip(&goal_positions).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
        let arrived = largest_move <= *max_step;
        if arrived {
            self.positions = goal_positions;
        } else {
            let fraction = max_step / largest_move;
            let from = chain.positions_from(&self.positions);
            let next: Vec<f64> = from.iter().zip(goal).map(|(from, to)| from + fraction * (to - from)).collect();
            chain.write_into(robot, &next, &mut self.positions);
        }
        self.motion.place(&chain.positions_from(&self.positions));
        if arrived {
            self.course = Course::AtRest;
        }
    }
}
