//! Moves the joints of the robot over time: at once, in steps, smoothly, along a trajectory, or by a servo; and stops them before collisions.

mod servo;

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::urdf_ik::msg::ServoStatus;

use super::collision_check::{CollisionCheck, Obstruction};
use super::progress::{Arrival, Arrivals, Progress, arrives};
use super::steering::Steering;
use crate::robot_in_use::{Configuration, LoadedRobot};
use crate::surroundings::{Avoidance, NotReady};
use urdf_ik_collision::write_between;
use urdf_ik_motion::{JointMotion, MotionError, MotionLimits, SpeedScale, TrajectoryPoint};
use urdf_ik_parameters::{Motion, Settings};

/// The configuration of a robot, and its motion.
pub(crate) struct ConfigurationMotion {
    loaded: Arc<LoadedRobot>,
    /// One entry for each joint of the robot.
    positions: Vec<f64>,
    /// Motion of the chain's variables.
    motion: JointMotion,
    limits: MotionLimits,
    /// How fast the time of that motion passes.
    speed_scale: SpeedScale,
    course: Course,
    /// When the last bounded step was taken.
    last_step: Option<Instant>,
    /// What to publish when the motion has ended.
    arrivals: Vec<Arrival>,
    collision_check: CollisionCheck,
    /// Why the motion to the goal was given up, until the arm stands.
    obstruction: Option<Obstruction>,
}

/// The kind of the motion under way.
enum Course {
    AtRest,
    /// In steps.
    Steps {
        /// Positions of the chain's variables.
        goal: Vec<f64>,
        /// Greatest step of a joint \[rad or m\].
        max_step: f64,
        /// Whether a step was taken already.
        begun: bool,
    },
    /// That of the joint motion: smooth or along a trajectory.
    Motion,
    /// The joint motion brakes to rest.
    Stop,
    /// By commands of velocities and poses.
    Servo(Box<Steering>),
}

/// How a command of the servo was taken.
pub(crate) struct Steered {
    /// Whether the servo has taken over from something else.
    pub has_begun: bool,
    /// Topic of another source that commands the servo at the same time.
    pub rival: Option<&'static str>,
}

/// What a tick does.
pub(crate) struct Tick<'a> {
    /// Time that passes \[s\].
    pub step: f64,
    pub settings: &'a Settings,
    /// What the arm keeps clear of. Where that is not ready, nothing begins to move.
    pub avoidance: Result<Option<&'a Avoidance>, &'a NotReady>,
    /// Whether somebody listens to what the servo does.
    pub reports_servo: bool,
}

/// What there is to say after a tick.
#[derive(Default)]
pub(crate) struct Ticked {
    /// The arrivals of a motion that has ended.
    pub ended: Vec<Arrival>,
    /// The status of the servo, without a header.
    pub servo: Option<ServoStatus>,
}

impl ConfigurationMotion {
    /// At rest at `positions` (one entry a joint).
    pub(crate) fn new(loaded: Arc<LoadedRobot>, positions: Vec<f64>, limits: &MotionLimits) -> Self {
        let chain = &loaded.chain;
        let motion = JointMotion::new(chain, limits, &chain.positions_from(&positions));
        Self {
            loaded,
            positions,
            motion,
            limits: limits.clone(),
            speed_scale: SpeedScale::default(),
            course: Course::AtRest,
            last_step: None,
            arrivals: Vec::new(),
            collision_check: CollisionCheck::default(),
            obstruction: None,
        }
    }

    /// Uses the same robot with other tools, at rest.
    pub(crate) fn use_tools(&mut self, loaded: Arc<LoadedRobot>) {
        self.loaded = loaded;
    }

    pub(crate) fn loaded(&self) -> &Arc<LoadedRobot> {
        &self.loaded
    }

    pub(crate) fn configuration(&self) -> Configuration {
        let mut end = self.positions.clone();
        let goal = match &self.course {
            Course::AtRest | Course::Servo(_) => None,
            Course::Steps { goal, .. } => Some(goal.as_slice()),
            Course::Motion | Course::Stop => Some(self.motion.end()),
        };
        if let Some(goal) = goal {
            self.loaded.chain.write_into(&self.loaded.robot, goal, &mut end);
        }
        Configuration { loaded: Arc::clone(&self.loaded), positions: self.positions.clone(), end }
    }

    pub(crate) fn is_at_rest(&self) -> bool {
        matches!(self.course, Course::AtRest)
    }

    /// Whether the motion is sampled at even times, so that nothing must be published between the ticks.
    pub(crate) fn is_sampled(&self) -> bool {
        matches!(self.course, Course::Motion | Course::Stop | Course::Servo(_))
    }

    /// The present positions: one entry for each joint of the robot.
    pub(crate) fn positions(&self) -> &[f64] {
        &self.positions
    }

    /// Velocities of the chain's variables \[rad/s or m/s\].
    pub(crate) fn velocities(&self) -> Vec<f64> {
        self.motion.velocities_at(&self.speed_scale.pace())
    }

    /// Velocity limits of the chain's variables \[rad/s or m/s\].
    pub(crate) fn velocity_limits(&self) -> &[f64] {
        &self.limits.velocities
    }

    /// Whether controllers of trajectories need each state: the servo steers, or the motion under way is a stop.
    pub(crate) fn is_streamed(&self) -> bool {
        matches!(self.course, Course::Servo(_) | Course::Stop)
    }

    /// The state of the chain's variables, as a point of a trajectory at that `time` \[s\].
    pub(crate) fn state(&self, time: f64) -> TrajectoryPoint {
        TrajectoryPoint {
            time,
            length: 0.0,
            positions: self.motion.positions().to_vec(),
            velocities: self.velocities(),
            accelerations: self.motion.accelerations_at(&self.speed_scale.pace()),
        }
    }

    pub(crate) fn set_limits(&mut self, limits: &MotionLimits) {
        self.motion.set_limits(limits);
        self.limits.clone_from(limits);
        if let Course::Servo(steering) = &mut self.course {
            steering.set_limits(limits);
        }
    }

    /// Puts the robot at rest at `positions` (one entry a joint) at once, without a motion.
    pub(crate) fn place(&mut self, positions: Vec<f64>) {
        self.motion.place(&self.loaded.chain.positions_from(&positions));
        self.positions = positions;
        self.begin(Course::AtRest, Vec::new());
    }

    /// Begins the motion to `goal`, positions of the chain's variables, that `settings` ask for. The first of several steps is taken now if it
    /// is due. Returns the motion that is left; `None` where the goal is reached. The tick at its end gives back the reports of the `arrivals`.
    pub(crate) fn move_to(
        &mut self,
        goal: &[f64],
        settings: &Settings,
        avoidance: Option<&Avoidance>,
        arrivals: Arrivals,
    ) -> Result<Option<Progress>, MotionError> {
        let progress = match settings.motion {
            Motion::Immediate if !self.motion.is_outside() => {
                let max_step = settings.max_joint_step.unwrap_or(f64::INFINITY);
                self.motion.place(&self.loaded.chain.positions_from(&self.positions));
                self.begin(Course::Steps { goal: goal.to_vec(), max_step, begun: false }, Vec::new());
                self.step(settings.publish_period(), avoidance);
                if self.is_at_rest() {
                    return Ok(self.obstruction.take().map(Progress::Stopped));
                }
                Progress::Steps
            }
            // Joints outside their limits come inside within the limits of velocity and acceleration, whatever the kind of the motion.
            Motion::Immediate | Motion::Smooth => {
                let time = self.move_smoothly(goal, settings)?;
                let is_there = self.motion.is_at_rest();
                self.begin(if is_there { Course::AtRest } else { Course::Motion }, Vec::new());
                if is_there {
                    return Ok(None);
                }
                Progress::Smooth(arrives(time, settings.speed_scale))
            }
        };
        self.arrivals = arrivals();
        Ok(Some(progress))
    }

    /// Follows a trajectory, after the motion under way has ended at its first point. The tick at its end gives back the report of the
    /// `arrival`.
    pub(crate) fn follow(&mut self, points: Arc<[TrajectoryPoint]>, arrival: Arrival) -> Result<(), MotionError> {
        self.motion.follow(points)?;
        self.begin(Course::Motion, vec![arrival]);
        Ok(())
    }

    /// Brakes to rest, whatever the speed scale; at once where the motion is not smooth. Returns the time that it takes \[s\].
    pub(crate) fn stop(&mut self) -> Result<f64, MotionError> {
        let time = self.motion.stop_from(&self.speed_scale.pace())?;
        let course = if self.motion.is_at_rest() { Course::AtRest } else { Course::Stop };
        self.begin(course, Vec::new());
        // The motion goes on from the velocities at that pace already.
        let _ = self.speed_scale.suspend();
        Ok(time)
    }

    /// Brakes to rest, where no other motion is found at once. Returns the arrivals of the motion that is given up.
    pub(crate) fn halt(&mut self) -> Vec<Arrival> {
        let arrivals = std::mem::take(&mut self.arrivals);
        if self.stop().is_err() {
            self.place(self.positions.clone());
        }
        arrivals
    }

    /// Brakes to rest, inside the limits: joints that are outside move on to them.
    pub(crate) fn stop_inside(&mut self) -> Result<(), MotionError> {
        self.stop()?;
        if self.motion.ends_outside() {
            self.motion.come_inside()?;
            self.begin(Course::Motion, Vec::new());
        }
        Ok(())
    }

    /// Begins a smooth motion; one in place of steps is no faster than these.
    fn move_smoothly(&mut self, goal: &[f64], settings: &Settings) -> Result<f64, MotionError> {
        let (Motion::Immediate, Some(max_step)) = (settings.motion, settings.max_joint_step) else {
            return self.motion.move_to(goal);
        };
        let velocity = max_step / settings.publish_period().as_secs_f64();
        let mut limits = self.limits.clone();
        for (limit, variable) in limits.velocities.iter_mut().zip(self.loaded.chain.variables()) {
            let followers = self.loaded.robot.followers(variable.joint);
            let fastest = followers.map(|(_, mimic)| mimic.multiplier.abs()).fold(1.0, f64::max);
            *limit = limit.min(velocity / fastest);
        }
        self.motion.set_limits(&limits);
        let time = self.motion.move_to(goal);
        self.motion.set_limits(&self.limits);
        time
    }

    /// Lets time pass, or takes the step that is due in each period.
    pub(crate) fn tick(&mut self, tick: &Tick) -> Ticked {
        let Tick { avoidance, .. } = *tick;
        match &self.course {
            Course::AtRest => return Ticked::default(),
            Course::Servo(_) => return Ticked { servo: self.servo(tick), ..Ticked::default() },
            Course::Steps { .. } => {
                if let Ok(avoidance) = avoidance {
                    self.step(tick.settings.publish_period(), avoidance);
                }
            }
            Course::Motion | Course::Stop => {
                let scale = tick.settings.speed_scale;
                let step = self.speed_scale.advance(scale, tick.step, &self.motion, &self.limits);
                self.advance(step, avoidance);
            }
        }
        if !self.is_at_rest() {
            return Ticked::default();
        }
        let obstruction = self.obstruction.take();
        let arrivals = std::mem::take(&mut self.arrivals);
        let avoidance = avoidance.ok().flatten();
        let at_the_end = |arrival| self.arrive(arrival, avoidance, obstruction.as_ref());
        Ticked { ended: arrivals.into_iter().map(at_the_end).collect(), ..Ticked::default() }
    }

    fn begin(&mut self, course: Course, arrivals: Vec<Arrival>) {
        (self.course, self.arrivals, self.obstruction) = (course, arrivals, None);
        self.speed_scale.resume();
    }

    /// The arrival of an arm at rest, at the target or before an obstruction.
    fn arrive(
        &mut self,
        arrival: Arrival,
        avoidance: Option<&Avoidance>,
        obstruction: Option<&Obstruction>,
    ) -> Arrival {
        let Arrival { target, mut report } = arrival;
        if let Some(avoidance) = avoidance {
            let here = self.loaded.chain.positions_from(&self.positions);
            self.collision_check.report_nearest(&mut report, avoidance, &here);
        }
        if let Some(obstruction) = obstruction {
            let here = self.loaded.chain.positions_from(&self.positions);
            self.loaded.measure(&mut report, &target, &here, &mut self.loaded.solver.scratch());
            obstruction.put_into(&mut report);
        }
        Arrival { target, report }
    }

    /// Moves on by `step` seconds, or along the way to rest that the arm holds.
    fn advance(&mut self, step: f64, avoidance: Result<Option<&Avoidance>, &NotReady>) {
        match avoidance {
            Ok(None) => self.motion.advance(step),
            Ok(Some(avoidance)) => {
                let is_clear = self.collision_check.advance(avoidance, &mut self.motion, step);
                if !is_clear && self.obstruction.is_none() {
                    self.obstruction = Some(self.collision_check.obstruction(avoidance));
                }
            }
            Err(reason) => {
                if self.motion.advance_unseen(step) {
                    self.obstruction.get_or_insert_with(|| Obstruction::unknown(reason));
                }
            }
        }
        self.loaded.chain.write_into(&self.loaded.robot, self.motion.positions(), &mut self.positions);
        if self.motion.is_at_rest() {
            self.course = Course::AtRest;
        }
    }

    /// Moves the chain one step towards the goal, if one is due, or as far as the way there is clear.
    fn step(&mut self, period: Duration, avoidance: Option<&Avoidance>) {
        let Course::Steps { goal, max_step, begun } = &mut self.course else { return };
        // A step may be a little early: ticks are not exact.
        if max_step.is_finite() && self.last_step.is_some_and(|last| last.elapsed() < period.mul_f64(0.95)) {
            return;
        }
        self.last_step = Some(Instant::now());
        let (robot, chain) = (&self.loaded.robot, &self.loaded.chain);
        let from = chain.positions_from(&self.positions);
        let mut end = goal.clone();
        if let Some(avoidance) = avoidance {
            let fraction = self.collision_check.fraction_ahead(avoidance, &from, goal, *begun);
            self.obstruction = (fraction < 1.0).then(|| self.collision_check.obstruction(avoidance));
            write_between(&from, goal, fraction, &mut end);
        }
        *begun = true;
        let mut end_positions = self.positions.clone();
        chain.write_into(robot, &end, &mut end_positions);
        // Over all joints: a joint that mimics another may move farther than that.
        let largest_move =
            self.positions.iter().zip(&end_positions).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
        let arrived = largest_move <= *max_step;
        if arrived {
            self.positions = end_positions;
        } else {
            let fraction = *max_step / largest_move;
            let next: Vec<f64> = from.iter().zip(&end).map(|(from, to)| from + fraction * (to - from)).collect();
            chain.write_into(robot, &next, &mut self.positions);
        }
        self.motion.place(&chain.positions_from(&self.positions));
        if arrived {
            self.course = Course::AtRest;
        }
    }
}
