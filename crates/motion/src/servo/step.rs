//! The servo: one step after the other.

mod bounds;
mod follow;
mod status;

use std::collections::VecDeque;
use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use super::acceleration::Acceleration;
use super::command::{Aim, Command, CommandError};
use super::constants::CONTACT_ROOM;
use super::goal::{Goal, RowKind};
use super::jerk_bounds::Limits;
use super::look_ahead::{CAPACITY, LookAhead};
use super::options::ServoOptions;
use super::place::Place;
use super::report::Report;
use super::viability::Viability;
use crate::MotionLimits;
use crate::fail_safe::{FailSafe, HandOver, Surroundings};
use crate::generator::JointState as Joints;
use crate::joint_motion::{JointMotion, first_beyond_limits};
use crate::standing_goals::Moving;
use urdf_ik_collision::Clearance;
use urdf_ik_robot::Chain;
use urdf_ik_solver::Solver;

/// The chain has more variables than a servo can control in time: the cost of a step grows with the cube of their
/// number.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("a servo steers at most {} joints, and the chain has {variables}", Servo::MAX_VARIABLES)]
pub struct TooManyVariables {
    /// Number of variables of the chain.
    pub variables: usize,
}

/// Joints that follow velocity commands. See the [module](super).
#[derive(Debug, Clone)]
pub struct Servo {
    chain: Arc<Chain>,
    limits: MotionLimits,
    goal: Goal,
    /// Commanded velocities of the tips along the axes of their commands: six entries for each \[rad/s\].
    command: Vec<f64>,
    /// The current configuration, and the one predicted for the end of the period.
    here: Place,
    there: Place,
    ahead: LookAhead,
    viability: Viability,
    acceleration: Acceleration,
    /// Velocities that the joints approach.
    wanted: Vec<f64>,
    /// Unit direction of the joints along the line.
    along: Vec<f64>,
    /// Rate of change of `wanted` along the line \[rad/s² or m/s²\].
    change_ahead: Vec<f64>,
    /// Gradient of a bound.
    gradient: Vec<f64>,
    /// The joints at the end of the period, if the acceleration changes as in the last one.
    predicted: Joints,
    /// Change of the acceleration in the last period.
    change: Vec<f64>,
    now: Joints,
    next: Joints,
    fail_safe: FailSafe,
    /// The motion of joints that started outside their limits, until they rest.
    inward: Option<Box<JointMotion>>,
    /// The joint whose position limit restricts a jog.
    jog_limit: Option<usize>,
    /// The tip whose maximum speed restricts the command.
    limited_tip: Option<usize>,
    /// Recent shares of the commanded speed, with their times.
    shares: VecDeque<[f64; 2]>,
    report: Report,
}

impl Servo {
    /// Maximum number of variables.
    pub const MAX_VARIABLES: usize = 100;

    /// A servo of joints at rest at `positions` of the chain's n variables \[rad or m\]. The `limits` must be finite:
    /// see [`MotionLimits::or`]. Joints outside their limits first return inside under the first command, within the
    /// other limits, and then follow it.
    ///
    /// # Errors
    /// [`TooManyVariables`] if the chain has more than [`Servo::MAX_VARIABLES`] variables.
    pub fn new(
        solver: &Solver,
        limits: &MotionLimits,
        options: ServoOptions,
        positions: &[f64],
    ) -> Result<Self, TooManyVariables> {
        if positions.len() > Self::MAX_VARIABLES {
            return Err(TooManyVariables { variables: positions.len() });
        }
        let chain = Arc::clone(solver.chain());
        let (tips, variables) = (chain.tips().len(), positions.len());
        let goal = Goal::new(solver, limits, options, positions);
        let place = Place::new(&chain, goal.radian);
        let zeros = vec![0.0; variables];
        let mut servo = Self {
            goal,
            limits: limits.clone(),
            command: vec![0.0; 6 * tips],
            ahead: LookAhead::new(&place, variables),
            viability: Viability::new(CAPACITY),
            acceleration: Acceleration::default(),
            wanted: zeros.clone(),
            along: zeros.clone(),
            change_ahead: zeros.clone(),
            gradient: zeros.clone(),
            predicted: Joints::at_rest(positions),
            change: zeros,
            now: Joints::at_rest(positions),
            next: Joints::at_rest(positions),
            fail_safe: FailSafe::new(&chain.domains(), limits),
            inward: None,
            jog_limit: None,
            limited_tip: None,
            shares: VecDeque::with_capacity(Self::MAX_VARIABLES),
            report: Report::new(tips),
            here: place.clone(),
            there: place,
            chain,
        };
        servo.acceleration.begin(variables, 0.0);
        servo.leave_line();
        Ok(servo)
    }

    /// Positions of the n variables \[rad or m\], inside their limits, or no farther outside than at the start.
    pub fn positions(&self) -> &[f64] {
        &self.now.positions
    }

    /// Velocities of the n variables \[rad/s or m/s\].
    pub fn velocities(&self) -> &[f64] {
        &self.now.velocities
    }

    /// Accelerations of the n variables \[rad/s² or m/s²\].
    pub fn accelerations(&self) -> &[f64] {
        &self.now.accelerations
    }

    /// True if no joint moves.
    pub fn is_at_rest(&self) -> bool {
        self.now.is_at_rest()
    }

    /// The pose of the tip with index `tip`, in the base link's frame, from which a relative motion starts.
    pub fn target(&self, tip: usize) -> Isometry3<f64> {
        self.here.tips()[tip]
    }

    /// Sets the limits from the next step on, one of each kind for each variable. They must be finite.
    pub fn set_limits(&mut self, limits: &MotionLimits) {
        self.goal.limits = Limits::of_chain(&self.chain, limits);
        self.fail_safe.set_limits(&self.chain.domains(), limits);
        self.limits.clone_from(limits);
    }

    /// Sets the options from the next step on.
    pub fn set_options(&mut self, options: ServoOptions) {
        self.goal.options = options;
    }

    /// Sets goals of the chain that have priority over every command, from the next step on. If the joints violate a
    /// goal, the violation may only decrease. A stop before a collision may violate angles and equal bounds.
    pub fn set_goals(&mut self, goals: &[urdf_ik_goals::Goal]) {
        self.goal.set_standing(goals);
        for place in [&mut self.here, &mut self.there] {
            place.find(&self.now.positions, &self.goal, 0.0);
        }
    }

    /// The goals of [`Servo::set_goals`].
    pub fn goals(&self) -> &[urdf_ik_goals::Goal] {
        self.goal.standing.all()
    }

    /// Continues the motion of joints of the same chain that another controller moved.
    pub fn take_over(&mut self, joints: &HandOver) {
        self.now.clone_from(joints.state);
        self.fail_safe.take_over(joints.fail_safe);
        self.inward = None;
        self.leave_line();
    }

    /// Continues at the current positions with the `velocities` \[rad/s or m/s\] and `accelerations` \[rad/s² or m/s²\]
    /// of a saved servo, one entry for each variable.
    ///
    /// # Panics
    /// If either slice does not have one entry for each variable.
    pub fn resume(&mut self, velocities: &[f64], accelerations: &[f64]) {
        self.now.velocities.copy_from_slice(velocities);
        self.now.accelerations.copy_from_slice(accelerations);
        self.leave_line();
    }

    /// The state of the joints, for another motion that continues it.
    pub fn hand_over(&self) -> HandOver<'_> {
        HandOver { state: &self.now, fail_safe: &self.fail_safe }
    }

    /// The report of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Advances by `period` \[s\] along the verified motion to rest, while the surroundings are unknown.
    pub fn step_unseen(&mut self, period: f64) -> &Report {
        if !self.is_at_rest() {
            self.now = self.fail_safe.follow(&self.now, period, None);
            self.inward = None;
            self.leave_line();
        }
        self.write_report();
        &self.report
    }

    /// Advances by `period` \[s\] as commanded. All steps should have the same period. Without a clearance and goals,
    /// no memory is allocated.
    ///
    /// # Errors
    /// [`CommandError`] if the command does not fit the chain; the step is then made as with [`Command::Rest`].
    pub fn step(
        &mut self,
        period: f64,
        command: &Command,
        clearance: Option<&Clearance>,
    ) -> Result<&Report, CommandError> {
        let checked = command.check(&self.chain);
        let command = if checked.is_ok() { command } else { &Command::Rest };
        (self.jog_limit, self.limited_tip) = (None, None);
        if self.come_inside(period, command, clearance) {
            self.write_report();
            return checked.map(|()| &self.report);
        }
        self.predict(period);
        self.goal.contacts_at.copy_from_slice(&self.predicted.positions);
        let velocities = &self.predicted.velocities;
        self.goal.contact_stop = CONTACT_ROOM * self.goal.stop(velocities);
        let (rates, stop_time) = (self.goal.bound_rates(), self.goal.stop_time(velocities));
        let Goal { contacts, contacts_at, limits, standing, .. } = &mut self.goal;
        let braking = Limits::least(limits);
        contacts.update(clearance, contacts_at, braking);
        standing.push_bounds(contacts, Moving { positions: contacts_at, velocities, stop_time }, rates);
        match command {
            Command::Velocities(velocities) => self.follow_joints(velocities, period),
            Command::Rest => self.rest(period),
            Command::Tips(commands) => self.follow_tips(commands, period),
        }
        let is_stopped = self.take_step(period, clearance);
        self.note_share(command, period);
        self.write_report();
        if is_stopped {
            self.leave_line();
        }
        checked.map(|()| &self.report)
    }

    /// Index of the first variable outside its limits; `None` if all are inside. While there is one, a command moves
    /// the joints inside, and they do not follow it yet.
    pub fn outside(&self) -> Option<usize> {
        first_beyond_limits(self.goal.limits.iter().map(|limits| &limits.domain), &self.now.positions)
    }

    /// Moves joints that start outside their limits: inside under a command, else to rest. True if there are any.
    fn come_inside(&mut self, period: f64, command: &Command, clearance: Option<&Clearance>) -> bool {
        let outside = self.outside();
        if self.inward.is_none() && outside.is_none() {
            return false;
        }
        let is_commanded = match command {
            Command::Rest => false,
            Command::Velocities(velocities) => velocities.iter().any(|velocity| *velocity != 0.0),
            Command::Tips(tips) => tips.iter().any(|tip| Aim::of(tip, &self.goal.options).moves()),
        };
        let mut motion = self.inward.take().unwrap_or_else(|| {
            let mut motion = Box::new(JointMotion::unchecked(&self.chain, &self.limits, &self.now.positions));
            motion.take_over(&self.hand_over());
            motion
        });
        if is_commanded == motion.ends_outside() {
            // Where no motion is found, that under way goes on.
            let _ = if is_commanded { motion.come_inside() } else { motion.stop() };
        }
        match clearance {
            None => motion.advance(period),
            Some(clearance) => drop(motion.advance_if_clear(period, clearance)),
        }
        self.take_over(&motion.hand_over());
        self.fail_safe.stopped_by = motion.stopped_by().copied();
        self.inward = (!motion.is_at_rest()).then_some(motion);
        self.jog_limit = outside;
        self.shares.clear();
        self.shares.push_back([period, if is_commanded { 0.0 } else { 1.0 }]);
        true
    }

    /// Forgets the line: the tips are commanded to stay where they are.
    fn leave_line(&mut self) {
        self.goal.line.clear();
        self.goal.aims.fill(Aim::Hold);
        let tips = self.goal.tip_kinds().len();
        self.goal.kinds[..tips].fill(RowKind::Free);
        self.change.fill(0.0);
        self.here.find(&self.now.positions, &self.goal, 0.0);
        self.goal.line.references.copy_from_slice(self.here.tips());
    }

    /// Moves the joints to the next state, or along the fail-safe motion if a collision is ahead. True if so.
    fn take_step(&mut self, period: f64, clearance: Option<&Clearance>) -> bool {
        let Self { fail_safe, goal, now, next, .. } = self;
        let standing = &mut goal.standing;
        let is_stopped = if clearance.is_some() || standing.has_lengths() {
            !fail_safe.check_state(now, next, period, Surroundings { clearance, standing })
        } else {
            fail_safe.forget();
            false
        };
        if is_stopped {
            *next = fail_safe.follow(now, period, clearance);
        }
        std::mem::swap(now, next);
        self.here.find(&self.now.positions, &self.goal, 0.0);
        self.ahead.singular.decompose(self.here.jacobian());
        self.ahead.singular.write_idle(&mut self.goal.idle);
        is_stopped
    }
}
