//! Jerk-limited motion of the joints: to goals, along trajectories, and to rest.
//!
//! Smooth motion advances by the period, not by the clock, so that a late tick does not cause a long step.

use std::sync::Arc;

use super::fail_safe::{FailSafe, HandOver, Step};
use super::generator::{JointState, MAX_DURATION, MotionError, Pace};
use super::limits::MotionLimits;
use super::motion_plan::MotionPlan;
use super::trajectory::TrajectoryPoint;
use urdf_ik_collision::{Clearance, Near};
use urdf_ik_robot::{Chain, Domain, nearest_turn};

/// Maximum distance of a joint from the first point of a trajectory when it begins \[rad or m\].
const MAX_START_DISTANCE: f64 = 1e-6;
/// A joint that exceeds its limits by no more counts as inside \[rad or m\]: rounding of profiles and of a servo's
/// curves.
const LIMIT_TOLERANCE: f64 = 1e-9;

/// Motion of the joints of a chain: to a goal, along a trajectory, or to rest. A new motion starts from the positions,
/// velocities and accelerations of the current one. It respects the limits of position, velocity, acceleration and
/// jerk; a trajectory defines its own motion.
///
/// The start positions may be outside the position limits. A motion brings the joints inside under the other limits,
/// and never moves them farther outside.
///
/// Motions to a goal and to rest are time-optimal under these limits (Berscheid and Kröger 2021, "Jerk-limited
/// real-time trajectory generation with arbitrary target states"). From rest, all joints move in proportion: a
/// straight
/// line in joint space. The motion is deterministic.
///
/// ```
/// use urdf_ik_motion::{JointLimit, JointLimits, JointMotion, MotionLimits};
/// use urdf_ik_robot::{Chain, Robot};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
/// let chain = Chain::with_defaults(&robot, None, &[])?;
/// let limits = MotionLimits::new(&robot, &chain, &JointLimits::default()).or(&JointLimit::DEFAULT);
/// let mut motion = JointMotion::new(&chain, &limits, &chain.nominal_positions())?;
///
/// let mut goal = chain.nominal_positions();
/// goal[0] += 0.5;
/// let duration = motion.move_to(&goal)?;
/// motion.advance(0.5 * duration);
/// assert!(motion.velocities()[0] > 0.0);
/// motion.advance(duration);
/// assert!(motion.is_at_rest() && motion.positions() == goal);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct JointMotion {
    names: Vec<String>,
    domains: Vec<Domain>,
    /// Allowed range of each joint until the next plan: its limits, extended to where the motion began.
    allowed: Vec<Domain>,
    state: JointState,
    plan: MotionPlan,
    /// Result of the collision checks of the plan so far; [`Step::Safe`] if each step has to be checked.
    status: Step,
    fail_safe: FailSafe,
}

impl JointMotion {
    /// A motion of joints at rest at `positions` of the chain's n variables \[rad or m\].
    ///
    /// # Errors
    /// [`MotionError::Positions`] if there is not one finite position for each variable; [`MotionError::Limits`] if
    /// there is not one finite limit above 0 of each kind for each variable (see [`MotionLimits::or`]).
    pub fn new(chain: &Chain, limits: &MotionLimits, positions: &[f64]) -> Result<Self, MotionError> {
        chain.check_positions(positions)?;
        limits.check(&chain.variable_names())?;
        Ok(Self::unchecked(chain, limits, positions))
    }

    /// [`JointMotion::new`] of valid limits and positions.
    pub(super) fn unchecked(chain: &Chain, limits: &MotionLimits, positions: &[f64]) -> Self {
        let domains = chain.domains();
        let mut motion = Self {
            names: chain.variables().iter().map(|variable| variable.name.clone()).collect(),
            fail_safe: FailSafe::new(&domains, limits),
            allowed: domains.clone(),
            domains,
            state: JointState::at_rest(positions),
            plan: MotionPlan::at_rest(positions),
            status: Step::Safe,
        };
        motion.begin(MotionPlan::at_rest(positions));
        motion
    }

    /// Positions of the variables \[rad or m\], inside their limits or no farther outside than at the start.
    pub fn positions(&self) -> &[f64] {
        &self.state.positions
    }

    /// Velocities of the variables \[rad/s or m/s\].
    pub fn velocities(&self) -> &[f64] {
        &self.state.velocities
    }

    /// Accelerations of the variables \[rad/s² or m/s²\].
    pub fn accelerations(&self) -> &[f64] {
        &self.state.accelerations
    }

    /// Velocities of the variables in clock time \[rad/s or m/s\], for a motion at this `pace`.
    pub fn velocities_at(&self, pace: &Pace) -> Vec<f64> {
        self.state.at_pace(pace).velocities
    }

    /// Accelerations of the variables in clock time \[rad/s² or m/s²\], for a motion at this `pace`.
    pub fn accelerations_at(&self, pace: &Pace) -> Vec<f64> {
        self.state.at_pace(pace).accelerations
    }

    /// True if the joints are at rest.
    pub fn is_at_rest(&self) -> bool {
        self.plan.is_at_rest()
    }

    /// True if the motion is over and no joint was taken over while it moved.
    fn is_stationary(&self) -> bool {
        self.is_at_rest() && self.state.is_at_rest()
    }

    /// True if a joint is outside its position limits.
    pub fn is_outside(&self) -> bool {
        first_beyond_limits(self.domains.iter(), self.positions()).is_some()
    }

    /// True if the current motion ends with a joint outside its position limits.
    pub fn ends_outside(&self) -> bool {
        first_beyond_limits(self.domains.iter(), self.end()).is_some()
    }

    /// Positions of the variables at the end of the current motion \[rad or m\].
    pub fn end(&self) -> &[f64] {
        self.plan.end()
    }

    /// The pair that prevented the last step other than [`Step::Safe`]; `None` if the motion was too long to check.
    pub fn stopped_by(&self) -> Option<&Near> {
        self.fail_safe.stopped_by.as_ref()
    }

    /// Sets the limits of later motions, one of each kind for each of the n variables.
    ///
    /// # Errors
    /// [`MotionError::Limits`] if there is not one finite limit above 0 of each kind for each variable.
    pub fn set_limits(&mut self, limits: &MotionLimits) -> Result<(), MotionError> {
        limits.check(&self.names)?;
        self.fail_safe.set_limits(&self.domains, limits);
        Ok(())
    }

    /// Places the joints at rest at `positions` of the n variables \[rad or m\], without a motion.
    pub fn place(&mut self, positions: &[f64]) {
        self.state = JointState::at_rest(positions);
        self.begin(MotionPlan::at_rest(positions));
        self.fail_safe.forget();
    }

    /// Adopts the state of joints of the same chain from another motion. The next motion starts with their velocities
    /// and accelerations; until then they stop.
    pub fn take_over(&mut self, joints: &HandOver) {
        self.state.clone_from(joints.state);
        self.begin(MotionPlan::at_rest(&joints.state.positions));
        self.fail_safe.take_over(joints.fail_safe);
    }

    /// The state of the joints, for another motion to [`take_over`](Self::take_over).
    pub fn hand_over(&self) -> HandOver<'_> {
        HandOver { state: &self.state, fail_safe: &self.fail_safe }
    }

    /// Begins a motion to `goal`, positions of the n variables \[rad or m\]. A goal outside the limits is clamped to
    /// them. Continuous joints turn the shorter way. Returns the duration \[s\].
    ///
    /// # Errors
    /// [`MotionError::TooSlow`] if a velocity limit is too low for the distance, [`MotionError::NotFound`] if the
    /// generator finds no motion. The current motion continues.
    pub fn move_to(&mut self, goal: &[f64]) -> Result<f64, MotionError> {
        let near = |(domain, (here, there)): (&Domain, (&f64, &f64))| match domain {
            Domain::Circle => nearest_turn(*there, *here),
            Domain::Interval { .. } => domain.clamp(*there),
        };
        let end: Vec<f64> = self.domains.iter().zip(self.state.positions.iter().zip(goal)).map(near).collect();
        if self.is_stationary() && end == self.state.positions {
            return Ok(0.0);
        }
        self.check_duration(&end)?;
        let profile = self.fail_safe.generator.plan_to_goal(&self.state, &end)?;
        Ok(self.begin(MotionPlan::along(profile)))
    }

    /// Begins a motion to the configuration inside the limits that is nearest to the end of the current motion. Returns
    /// the duration \[s\].
    ///
    /// # Errors
    /// [`MotionError::TooSlow`] if a velocity limit is too low for the distance, [`MotionError::NotFound`] if the
    /// generator finds no motion. The current motion continues.
    pub fn come_inside(&mut self) -> Result<f64, MotionError> {
        let inside: Vec<f64> =
            self.domains.iter().zip(self.end()).map(|(domain, position)| domain.clamp(*position)).collect();
        self.move_to(&inside)
    }

    /// The generator reports very slow joints only as a failure.
    fn check_duration(&self, end: &[f64]) -> Result<(), MotionError> {
        for (index, (here, there)) in self.state.positions.iter().zip(end).enumerate() {
            let velocity = self.fail_safe.generator.max_velocity(index);
            let duration = (there - here).abs() / velocity;
            if duration > MAX_DURATION {
                return Err(MotionError::TooSlow { joint: self.names[index].clone(), velocity, duration });
            }
        }
        Ok(())
    }

    /// Brakes to rest, each joint in minimum time. Returns the duration \[s\].
    ///
    /// # Errors
    /// [`MotionError::NotFound`] if the generator finds no motion. The current motion continues.
    pub fn stop(&mut self) -> Result<f64, MotionError> {
        self.stop_from(&Pace::FULL)
    }

    /// Brakes to rest at full pace, from a current motion at `pace`. Returns the duration \[s\].
    ///
    /// # Errors
    /// [`MotionError::NotFound`] if the generator finds no motion. The current motion continues.
    pub fn stop_from(&mut self, pace: &Pace) -> Result<f64, MotionError> {
        let state = self.state.at_pace(pace);
        if self.is_at_rest() && state.is_at_rest() {
            self.use_pace(pace);
            return Ok(0.0);
        }
        let profile = self.fail_safe.generator.plan_to_rest(&state)?;
        self.use_pace(pace);
        Ok(self.begin(MotionPlan::along(profile)))
    }

    /// Converts the velocities and accelerations of the joints to clock time, from a current motion at `pace`. The next
    /// motion starts with them; until then, the joints stop. The fail-safe motion is discarded because it starts at
    /// other velocities.
    pub fn use_pace(&mut self, pace: &Pace) {
        if *pace != Pace::FULL {
            self.state = self.state.at_pace(pace);
            self.begin(MotionPlan::at_rest(&self.state.positions.clone()));
            self.fail_safe.forget();
        }
    }

    /// Follows a trajectory from rest to rest after the current motion. It must start at the [end](Self::end) of that
    /// motion. A current trajectory is braked first. Without points, nothing changes.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`] if the trajectory starts elsewhere, [`MotionError::NotFound`] if the current
    /// trajectory cannot be braked.
    pub fn follow(&mut self, points: Arc<[TrajectoryPoint]>) -> Result<(), MotionError> {
        let Some(first) = points.first() else { return Ok(()) };
        if self.plan.is_on_trajectory() {
            self.stop()?;
        }
        let apart = self.end().iter().zip(&first.positions).map(|(here, there)| (here - there).abs());
        let distance = apart.fold(0.0, f64::max);
        if distance > MAX_START_DISTANCE {
            return Err(MotionError::Elsewhere { distance });
        }
        self.plan.add(points);
        self.status = Step::Safe;
        Ok(())
    }

    /// Replaces the current motion. Returns the duration \[s\].
    fn begin(&mut self, plan: MotionPlan) -> f64 {
        (self.plan, self.status) = (plan, Step::Safe);
        for (allowed, (domain, start)) in self.allowed.iter_mut().zip(self.domains.iter().zip(&self.state.positions)) {
            *allowed = domain.extended_to(*start);
        }
        self.plan.time_left()
    }

    /// Advances by `step` \[s\] without collision checking.
    pub fn advance(&mut self, step: f64) {
        self.fail_safe.forget();
        let next = self.plan.advance(step);
        self.put(next);
    }

    /// Advances by `step` \[s\] if that is safe, otherwise along the fail-safe motion to rest.
    ///
    /// A step is safe if it is clear, and afterwards either braking is clear and ends at permitted positions, or the
    /// rest of the motion is clear. That clear motion is stored, so the arm never hits a stationary obstacle. If an
    /// obstacle appears within the braking distance, the impact speed is the lowest that the limits allow. Motions are
    /// checked along straight lines in joint space of 10 ms or less; no joint deviates from them by more than 1e-4 rad
    /// or m.
    ///
    /// After [`Step::ClearToTheEnd`] nothing is checked until [`JointMotion::recheck`].
    pub fn advance_if_clear(&mut self, step: f64, clearance: &Clearance) -> Step {
        let done = match self.status {
            Step::Safe if !self.is_stationary() => self.fail_safe.check_plan(&self.state, &self.plan, step, clearance),
            status => status,
        };
        if done == Step::Braking {
            self.follow_fail_safe(step, Some(clearance));
            return done;
        }
        let next = self.plan.advance(step);
        self.put(next);
        if done == Step::ClearToTheEnd {
            self.status = done;
            self.fail_safe.store(&self.plan);
        }
        done
    }

    /// Advances by `step` \[s\] along the fail-safe motion, because the surroundings are unknown. True if the joints
    /// moved; joints at rest wait.
    pub fn advance_fail_safe(&mut self, step: f64) -> bool {
        let moves = !self.state.is_at_rest();
        if moves {
            self.follow_fail_safe(step, None);
        }
        moves
    }

    /// Checks the rest of the motion again from the next step on, because the surroundings have changed.
    pub fn recheck(&mut self) {
        if self.status == Step::ClearToTheEnd {
            self.status = Step::Safe;
        }
    }

    fn follow_fail_safe(&mut self, step: f64, clearance: Option<&Clearance>) {
        let next = self.fail_safe.follow(&self.state, step, clearance);
        if let Some(stored) = self.fail_safe.stored() {
            (self.plan, self.status) = (stored.clone(), Step::Braking);
        }
        self.put(next);
    }

    fn put(&mut self, state: JointState) {
        self.state = state;
        for (position, allowed) in self.state.positions.iter_mut().zip(&self.allowed) {
            // Only rounding can exceed it.
            *position = allowed.clamp(*position);
        }
    }
}

/// Index of the first variable whose position is outside its domain.
pub(super) fn first_beyond_limits<'a>(domains: impl Iterator<Item = &'a Domain>, positions: &[f64]) -> Option<usize> {
    domains.zip(positions).position(|(domain, position)| domain.excess(*position) > LIMIT_TOLERANCE)
}
