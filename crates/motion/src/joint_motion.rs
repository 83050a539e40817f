//! Joint motion over time: to goals, along trajectories, and to rest.

use std::fmt;
use std::sync::Arc;

use super::generator::{MAX_DURATION, MotionError, Pace, State};
use super::keeper::{HandOver, Keeper, Step};
use super::limits::MotionLimits;
use super::trajectory::TrajectoryPoint;
use super::way::Way;
use urdf_ik_collision::{Clearance, Near};
use urdf_ik_robot::{Chain, Domain, nearest_turn};

/// Greatest distance of a joint from the first point of a trajectory when it begins \[rad or m\].
const MAX_START_DISTANCE: f64 = 1e-6;
/// A joint no farther outside its limits is inside: rounding of profiles and of a servo's curves \[rad or m\].
const ROUNDING: f64 = 1e-9;

/// The motion of the joints of a chain: to a goal, along a trajectory, or to rest. A new motion begins with the positions, velocities and
/// accelerations of the motion under way. It stays within the limits of position, velocity, acceleration and jerk; a trajectory has its
/// own.
///
/// Joints may start outside their position limits, where they were measured. A motion brings them inside within the other limits, and
/// never farther outside on the way.
///
/// Motions to a goal and to rest are time-optimal under these limits (Berscheid and Kröger 2021, "Jerk-limited real-time trajectory
/// generation with arbitrary target states"). From rest, all joints move in proportion: a straight line in joint space. The same calls
/// give the same motion.
#[derive(Clone)]
pub struct JointMotion {
    names: Vec<String>,
    domains: Vec<Domain>,
    /// Where each joint may be until the next plan: inside its limits, or no farther outside than where that motion began.
    room: Vec<Domain>,
    state: State,
    /// The way under way.
    way: Way,
    standing: Standing,
    keeper: Keeper,
}

/// What is known of the way under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Each step on it has to be looked at.
    Wanted,
    /// All of it is clear.
    Clear,
    /// It is what the joints hold, because something is in the way of what was wanted.
    Held,
}

impl JointMotion {
    /// Joints at rest at `positions` of the chain's variables. The `limits` must be finite: see [`MotionLimits::or`].
    pub fn new(chain: &Chain, limits: &MotionLimits, positions: &[f64]) -> Self {
        let domains = chain.domains();
        let mut motion = Self {
            names: chain.variables().iter().map(|variable| variable.name.clone()).collect(),
            keeper: Keeper::new(&domains, limits),
            room: domains.clone(),
            domains,
            state: State::at_rest(positions),
            way: Way::rest(positions),
            standing: Standing::Wanted,
        };
        motion.begin(Way::rest(positions));
        motion
    }

    /// Positions of the variables \[rad or m\]: inside their limits, or no farther outside than at the start.
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

    /// Velocities of the variables in the time of the clock, where the motion has that `pace` \[rad/s or m/s\].
    pub fn velocities_at(&self, pace: &Pace) -> Vec<f64> {
        self.state.at_pace(pace).velocities
    }

    /// Accelerations of the variables in the time of the clock, where the motion has that `pace` \[rad/s² or m/s²\].
    pub fn accelerations_at(&self, pace: &Pace) -> Vec<f64> {
        self.state.at_pace(pace).accelerations
    }

    /// Whether no joint moves.
    pub fn is_at_rest(&self) -> bool {
        self.way.is_over()
    }

    /// Whether no joint moves, nor has been taken over while it moved.
    fn is_still(&self) -> bool {
        self.is_at_rest() && self.state.is_at_rest()
    }

    /// Whether a joint is outside its limits.
    pub fn is_outside(&self) -> bool {
        first_beyond_limits(self.domains.iter(), self.positions()).is_some()
    }

    /// Whether the motion under way leaves a joint outside its limits.
    pub fn ends_outside(&self) -> bool {
        first_beyond_limits(self.domains.iter(), self.end()).is_some()
    }

    /// Positions of the variables at the end of the motion under way.
    pub fn end(&self) -> &[f64] {
        self.way.end()
    }

    /// What was in the way of the last step that was not [`Step::Safe`]; `None` where a way was too long to look at.
    pub fn stopped_by(&self) -> Option<&Near> {
        self.keeper.stopped_by.as_ref()
    }

    /// Sets the limits of the motions from the next one on. They must be finite, as in [`JointMotion::new`].
    pub fn set_limits(&mut self, limits: &MotionLimits) {
        self.keeper.set_limits(&self.domains, limits);
    }

    /// Puts the joints at rest at `positions` without a motion.
    pub fn place(&mut self, positions: &[f64]) {
        self.state = State::at_rest(positions);
        self.begin(Way::rest(positions));
        self.keeper.forget();
    }

    /// Takes over joints of the same chain that move by something else. The next motion begins with their velocities and accelerations;
    /// until then they stand.
    pub fn take_over(&mut self, joints: &HandOver) {
        self.state.clone_from(joints.state);
        self.begin(Way::rest(&joints.state.positions));
        self.keeper.take_over(joints.keeper);
    }

    /// The joints as another motion takes them over.
    pub fn hand_over(&self) -> HandOver<'_> {
        HandOver { state: &self.state, keeper: &self.keeper }
    }

    /// Begins a motion to `goal`, positions of the variables inside their limits. Continuous joints move the short way. Returns the time that
    /// it takes \[s\].
    ///
    /// # Errors
    /// [`MotionError::TooSlow`], [`MotionError::NotFound`].
    pub fn move_to(&mut self, goal: &[f64]) -> Result<f64, MotionError> {
        let near = |(domain, (here, there)): (&Domain, (&f64, &f64))| match domain {
            Domain::Circle => nearest_turn(*there, *here),
            Domain::Interval { .. } => domain.clamp(*there),
        };
        let end: Vec<f64> = self.domains.iter().zip(self.state.positions.iter().zip(goal)).map(near).collect();
        if self.is_still() && end == self.state.positions {
            return Ok(0.0);
        }
        self.check_duration(&end)?;
        let profile = self.keeper.generator.plan_to_goal(&self.state, &end)?;
        Ok(self.begin(Way::along(profile)))
    }

    /// Begins a motion to the configuration inside the limits that is nearest to the end of the motion under way. Returns the time that it
    /// takes \[s\].
    ///
    /// # Errors
    /// [`MotionError::TooSlow`], [`MotionError::NotFound`].
    pub fn come_inside(&mut self) -> Result<f64, MotionError> {
        let inside: Vec<f64> =
            self.domains.iter().zip(self.end()).map(|(domain, position)| domain.clamp(*position)).collect();
        self.move_to(&inside)
    }

    /// The generator says of very slow joints only that it failed.
    fn check_duration(&self, end: &[f64]) -> Result<(), MotionError> {
        for (index, (here, there)) in self.state.positions.iter().zip(end).enumerate() {
            let velocity = self.keeper.generator.max_velocity(index);
            let duration = (there - here).abs() / velocity;
            if duration > MAX_DURATION {
                return Err(MotionError::TooSlow { joint: self.names[index].clone(), velocity, duration });
            }
        }
        Ok(())
    }

    /// Brakes to rest, each joint as fast as it can. Returns the time that it takes \[s\].
    ///
    /// # Errors
    /// [`MotionError::NotFound`].
    pub fn stop(&mut self) -> Result<f64, MotionError> {
        self.stop_from(&Pace::FULL)
    }

    /// Brakes to rest in the time of the clock, where the motion under way had another `pace`. Returns the time that it takes \[s\].
    ///
    /// # Errors
    /// [`MotionError::NotFound`]; the motion under way goes on.
    pub fn stop_from(&mut self, pace: &Pace) -> Result<f64, MotionError> {
        let state = self.state.at_pace(pace);
        if self.is_at_rest() && state.is_at_rest() {
            self.use_pace(pace);
            return Ok(0.0);
        }
        let profile = self.keeper.generator.plan_to_rest(&state)?;
        self.use_pace(pace);
        Ok(self.begin(Way::along(profile)))
    }

    /// Sets the joints to the velocities and accelerations that they have where the time of the motion under way has another `pace`. The next
    /// motion begins with them; until then the joints stand. The way to rest that they held does not begin so, and is forgotten.
    pub fn use_pace(&mut self, pace: &Pace) {
        if *pace != Pace::FULL {
            self.state = self.state.at_pace(pace);
            self.begin(Way::rest(&self.state.positions.clone()));
            self.keeper.forget();
        }
    }

    /// Follows a trajectory from rest to rest, after the motion under way has come to its [end](Self::end). The trajectory must begin
    /// there. A trajectory under way is braked first.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`], or [`MotionError::NotFound`] where it cannot brake.
    pub fn follow(&mut self, points: Arc<[TrajectoryPoint]>) -> Result<(), MotionError> {
        let Some(first) = points.first() else { return Ok(()) };
        if self.way.is_on_trajectory() {
            self.stop()?;
        }
        let apart = self.end().iter().zip(&first.positions).map(|(here, there)| (here - there).abs());
        let distance = apart.fold(0.0, f64::max);
        if distance > MAX_START_DISTANCE {
            return Err(MotionError::Elsewhere { distance });
        }
        self.way.add(points);
        self.standing = Standing::Wanted;
        Ok(())
    }

    /// Takes a way in place of the one under way. Returns the time that it takes \[s\].
    fn begin(&mut self, way: Way) -> f64 {
        (self.way, self.standing) = (way, Standing::Wanted);
        for (room, (domain, start)) in self.room.iter_mut().zip(self.domains.iter().zip(&self.state.positions)) {
            *room = domain.extended_to(*start);
        }
        self.way.time_left()
    }

    /// Moves on by `step` seconds, without regard to collisions.
    pub fn advance(&mut self, step: f64) {
        self.keeper.forget();
        let next = self.way.advance(step);
        self.put(next);
    }

    /// Moves on by `step` seconds if that is safe, and else along the way to rest that the joints hold.
    ///
    /// Safe is a step whose way is clear, and after which either the way of braking is clear and ends where the joints may stand, or the
    /// whole motion is clear. What was found clear after the last safe step is held, so that nothing that stands still is ever run into.
    /// What appears within the way of braking is met as slowly as the limits allow. The ways are looked at in straight lines of 10 ms, or
    /// shorter ones, from which no joint deviates by more than 1e-4 rad or m.
    ///
    /// After [`Step::ClearToTheEnd`] nothing is looked at until [`JointMotion::look_again`].
    pub fn advance_if_clear(&mut self, step: f64, clearance: &Clearance) -> Step {
        let done = match self.standing {
            Standing::Wanted if self.is_still() => Step::Safe,
            Standing::Wanted => self.keeper.check_way(&self.state, &self.way, step, clearance),
            Standing::Clear => Step::ClearToTheEnd,
            Standing::Held => Step::Braking,
        };
        if done == Step::Braking {
            self.advance_as_held(step, Some(clearance));
            return done;
        }
        let next = self.way.advance(step);
        self.put(next);
        if done == Step::ClearToTheEnd {
            self.standing = Standing::Clear;
            self.keeper.hold(&self.way);
        }
        done
    }

    /// Moves on by `step` seconds along the way to rest that the joints hold, because what surrounds them is not known. Tells whether they
    /// moved; joints that stand wait.
    pub fn advance_unseen(&mut self, step: f64) -> bool {
        let moves = !self.state.is_at_rest();
        if moves {
            self.advance_as_held(step, None);
        }
        moves
    }

    /// Looks at all that is left of the motion again, because something around the joints has changed.
    pub fn look_again(&mut self) {
        if self.standing == Standing::Clear {
            self.standing = Standing::Wanted;
        }
    }

    fn advance_as_held(&mut self, step: f64, clearance: Option<&Clearance>) {
        let next = self.keeper.follow(&self.state, step, clearance);
        if let Some(held) = self.keeper.held() {
            (self.way, self.standing) = (held.clone(), Standing::Held);
        }
        self.put(next);
    }

    fn put(&mut self, state: State) {
        self.state = state;
        for (position, room) in self.state.positions.iter_mut().zip(&self.room) {
            // Only rounding can bring it outside.
            *position = room.clamp(*position);
        }
    }
}

/// The first variable whose position is outside its domain.
pub(super) fn first_beyond_limits<'a>(domains: impl Iterator<Item = &'a Domain>, positions: &[f64]) -> Option<usize> {
    domains.zip(positions).position(|(domain, position)| domain.excess(*position) > ROUNDING)
}

impl fmt::Debug for JointMotion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("JointMotion")
            .field("state", &self.state)
            .field("at_rest", &self.is_at_rest())
            .finish_non_exhaustive()
    }
}
