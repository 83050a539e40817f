//! Motion of the robot's joints over time: immediate, in steps, smooth, along a trajectory or by the servo, with stops
//! before collisions.

mod path;
mod servo;

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::urdf_ik::msg::ServoStatus;

use super::collision_check::{CollisionCheck, Obstruction};
use super::followed_path::FollowedPath;
use super::progress::{ArrivalReport, ArrivalReports, MotionProgress, arrives};
use super::steering::{Steering, Tick};
use crate::robot_in_use::{Configuration, LoadedRobot};
use crate::surroundings::{Avoidance, NotReady};
use urdf_ik_collision::interpolate_into;
use urdf_ik_motion::{JointMotion, MotionError, MotionLimits, Pace, SpeedScale, TrajectoryPoint};
use urdf_ik_parameters::{Motion, Settings};

/// The pace of a motion that has stopped on its path.
const STANDSTILL: Pace = Pace { scale: 0.0, rate: 0.0 };

/// The configuration of a robot and its motion.
pub(crate) struct ConfigurationMotion {
    pub loaded: Arc<LoadedRobot>,
    /// One entry for each joint of the robot.
    positions: Vec<f64>,
    /// Motion of the chain's variables.
    motion: JointMotion,
    limits: MotionLimits,
    /// Time scaling of that motion.
    speed_scale: SpeedScale,
    active: ActiveMotion,
    /// Time until the end of a stop \[s\].
    time_to_rest: f64,
    /// The path that the arm follows, or was following until its present rest.
    followed: Option<FollowedPath>,
    /// Time of the last bounded step.
    last_step: Option<Instant>,
    /// Reports to publish at the end of the motion.
    arrivals: Vec<ArrivalReport>,
    collision_check: CollisionCheck,
    /// The obstruction because of which the goal was given up, until the arm is at rest.
    obstruction: Option<Obstruction>,
}

/// The current motion.
enum ActiveMotion {
    AtRest,
    /// In steps.
    Steps {
        /// Positions of the chain's variables.
        goal: Vec<f64>,
        /// Greatest step of a joint \[rad or m\].
        max_step: f64,
        /// True after the first step.
        begun: bool,
    },
    /// By the joint motion: smooth or along a trajectory.
    Motion,
    /// The joint motion slows down to rest on its path.
    StopOnPath,
    /// The joint motion brakes to rest.
    Stop,
    /// By velocity and pose commands.
    Servo(Box<Steering>),
}

/// The results of a tick.
#[derive(Default)]
pub(crate) struct Ticked {
    /// Reports of a motion that has ended.
    pub ended: Vec<ArrivalReport>,
    /// The status of the servo, without a header.
    pub servo: Option<ServoStatus>,
}

impl ConfigurationMotion {
    /// A robot at rest at `positions` (one entry a joint).
    ///
    /// # Errors
    /// [`MotionError`] as for [`JointMotion::new`].
    pub(crate) fn new(
        loaded: Arc<LoadedRobot>,
        positions: Vec<f64>,
        limits: &MotionLimits,
    ) -> Result<Self, MotionError> {
        let chain = &loaded.chain;
        let motion = JointMotion::new(chain, limits, &chain.positions_from(&positions))?;
        Ok(Self {
            loaded,
            positions,
            motion,
            limits: limits.clone(),
            speed_scale: SpeedScale::default(),
            active: ActiveMotion::AtRest,
            time_to_rest: 0.0,
            followed: None,
            last_step: None,
            arrivals: Vec::new(),
            collision_check: CollisionCheck::default(),
            obstruction: None,
        })
    }

    pub(crate) fn configuration(&self) -> Configuration {
        let mut end = self.positions.clone();
        let goal = match &self.active {
            ActiveMotion::AtRest | ActiveMotion::Servo(_) | ActiveMotion::StopOnPath => None,
            ActiveMotion::Steps { goal, .. } => Some(goal.as_slice()),
            ActiveMotion::Motion | ActiveMotion::Stop => Some(self.motion.end()),
        };
        if let Some(goal) = goal {
            self.loaded.chain.write_into(&self.loaded.robot, goal, &mut end);
        }
        Configuration { loaded: Arc::clone(&self.loaded), positions: self.positions.clone(), end }
    }

    pub(crate) fn is_at_rest(&self) -> bool {
        matches!(self.active, ActiveMotion::AtRest)
    }

    /// True if the motion is sampled at a fixed rate: nothing must be published between ticks.
    pub(crate) fn is_sampled(&self) -> bool {
        !matches!(self.active, ActiveMotion::AtRest | ActiveMotion::Steps { .. })
    }

    /// Current positions (one entry for each joint of the robot).
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

    /// True if trajectory controllers need each state: during servoing and stops.
    pub(crate) fn is_streamed(&self) -> bool {
        matches!(self.active, ActiveMotion::Servo(_) | ActiveMotion::Stop | ActiveMotion::StopOnPath)
    }

    /// The state of the chain's variables as a trajectory point at `time` \[s\].
    pub(crate) fn state(&self, time: f64) -> TrajectoryPoint {
        TrajectoryPoint {
            time,
            length: 0.0,
            positions: self.motion.positions().to_vec(),
            velocities: self.velocities(),
            accelerations: self.motion.accelerations_at(&self.speed_scale.pace()),
        }
    }

    pub(crate) fn set_limits(&mut self, limits: &MotionLimits) -> Result<(), MotionError> {
        self.motion.set_limits(limits)?;
        self.limits.clone_from(limits);
        if let ActiveMotion::Servo(steering) = &mut self.active {
            steering.servo.set_limits(limits);
        }
        Ok(())
    }

    /// Sets the robot to `positions` (one entry a joint) at rest, without a motion.
    pub(crate) fn place(&mut self, positions: Vec<f64>) {
        self.motion.place(&self.loaded.chain.positions_from(&positions));
        self.positions = positions;
        self.begin(ActiveMotion::AtRest, Vec::new());
    }

    /// Starts the motion to `goal`, positions of the chain's variables, of the kind in `settings`. Takes the first of
    /// several steps if it is due. Returns the remaining motion; `None` at the goal. The tick at its end returns the
    /// reports of `arrivals`.
    pub(crate) fn move_to(
        &mut self,
        goal: &[f64],
        settings: &Settings,
        avoidance: Option<&Avoidance>,
        arrivals: ArrivalReports,
    ) -> Result<Option<MotionProgress>, MotionError> {
        let progress = match settings.motion {
            Motion::Immediate if !self.motion.is_outside() => {
                let max_step = settings.max_joint_step.unwrap_or(f64::INFINITY);
                self.motion.place(&self.loaded.chain.positions_from(&self.positions));
                self.begin(ActiveMotion::Steps { goal: goal.to_vec(), max_step, begun: false }, Vec::new());
                self.step(settings.publish_period(), avoidance);
                if self.is_at_rest() {
                    return Ok(self.obstruction.take().map(MotionProgress::Stopped));
                }
                MotionProgress::Steps
            }
            // VariableLimits outside their limits return within the limits of velocity and acceleration, for
            // every kind of motion.
            Motion::Immediate | Motion::Smooth => {
                let time = self.move_smoothly(goal, settings)?;
                let is_there = self.motion.is_at_rest();
                self.begin(if is_there { ActiveMotion::AtRest } else { ActiveMotion::Motion }, Vec::new());
                if is_there {
                    return Ok(None);
                }
                MotionProgress::Smooth(arrives(time, settings.speed_scale))
            }
        };
        self.arrivals = arrivals();
        Ok(Some(progress))
    }

    /// Brakes to rest at any speed scale; immediate motion stops at once. Returns the time until rest \[s\].
    pub(crate) fn stop(&mut self) -> Result<f64, MotionError> {
        let time = self.motion.stop_from(&self.speed_scale.pace())?;
        let active = if self.motion.is_at_rest() { ActiveMotion::AtRest } else { ActiveMotion::Stop };
        self.begin(active, Vec::new());
        self.time_to_rest = time;
        // The motion already continues from the velocities at that pace.
        let _ = self.speed_scale.suspend();
        Ok(time)
    }

    /// Brakes to rest, or stops at once if no braking motion is found. Returns the reports of the aborted motion.
    pub(crate) fn halt(&mut self) -> Vec<ArrivalReport> {
        let arrivals = std::mem::take(&mut self.arrivals);
        if self.stop().is_err() {
            self.place(self.positions.clone());
        }
        arrivals
    }

    /// Starts a smooth motion; in place of steps, at most as fast as these.
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
        self.motion.set_limits(&limits)?;
        let time = self.motion.move_to(goal);
        self.motion.set_limits(&self.limits)?;
        time
    }

    /// Advances the motion, or takes the step that is due in each period.
    pub(crate) fn tick(&mut self, tick: &Tick) -> Ticked {
        let Tick { avoidance, .. } = *tick;
        match &self.active {
            ActiveMotion::AtRest => return Ticked::default(),
            ActiveMotion::Servo(_) => return Ticked { servo: self.servo(tick), ..Ticked::default() },
            ActiveMotion::Steps { .. } => {
                if let Ok(avoidance) = avoidance {
                    self.step(tick.settings.publish_period(), avoidance);
                }
            }
            ActiveMotion::Motion | ActiveMotion::Stop | ActiveMotion::StopOnPath => {
                let is_stopping = matches!(self.active, ActiveMotion::StopOnPath);
                let scale = if is_stopping { 0.0 } else { tick.settings.speed_scale };
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

    fn begin(&mut self, active: ActiveMotion, arrivals: Vec<ArrivalReport>) {
        (self.active, self.arrivals, self.obstruction) = (active, arrivals, None);
        (self.time_to_rest, self.followed) = (0.0, None);
        self.speed_scale.resume();
    }

    /// The final report of an arm at rest, at the target or before an obstruction.
    fn arrive(
        &mut self,
        arrival: ArrivalReport,
        avoidance: Option<&Avoidance>,
        obstruction: Option<&Obstruction>,
    ) -> ArrivalReport {
        let ArrivalReport { target, mut report } = arrival;
        let here = self.loaded.chain.positions_from(&self.positions);
        if let Some(avoidance) = avoidance {
            self.collision_check.report_nearest(&mut report, avoidance, &here);
        }
        if let Some(obstruction) = obstruction {
            self.loaded.measure(&mut report, &target, &here, &mut self.loaded.solver.scratch());
            obstruction.put_into(&mut report);
        }
        ArrivalReport { target, report }
    }

    /// Advances by `step` seconds, or along the verified stopping motion.
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
                if self.motion.advance_fail_safe(step) {
                    self.obstruction.get_or_insert_with(|| Obstruction::unknown(reason));
                }
            }
        }
        self.time_to_rest -= step;
        if let Some(followed) = self.followed.as_mut().filter(|_| self.obstruction.is_none()) {
            followed.time += step;
        }
        self.loaded.chain.write_into(&self.loaded.robot, self.motion.positions(), &mut self.positions);
        if matches!(self.active, ActiveMotion::StopOnPath) && self.speed_scale.pace() == STANDSTILL {
            self.motion.place(&self.loaded.chain.positions_from(&self.positions));
        }
        if self.motion.is_at_rest() {
            self.active = ActiveMotion::AtRest;
        }
    }

    /// Moves the chain one step towards the goal if a step is due, as far as the motion is collision-free.
    fn step(&mut self, period: Duration, avoidance: Option<&Avoidance>) {
        let ActiveMotion::Steps { goal, max_step, begun } = &mut self.active else { return };
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
            interpolate_into(&from, goal, fraction, &mut end);
        }
        *begun = true;
        let mut end_positions = self.positions.clone();
        chain.write_into(robot, &end, &mut end_positions);
        // Over all joints: a mimic joint may move farther than its master.
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
            self.active = ActiveMotion::AtRest;
        }
    }
}
