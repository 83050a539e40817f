//! Jerk-limited trajectory generation: time-optimal profiles from a state of the joints to a goal, or to rest.

use rsruckig::prelude::{
    ControlInterface, DataArrayOrVec, InputParameter, Ruckig, RuckigResult, Synchronization, ThrowErrorHandler,
    Trajectory,
};
use thiserror::Error;

use super::limits::{MotionLimits, MotionLimitsError};
use urdf_ik_mathematics::vectors::{dot, length};
use urdf_ik_robot::{Domain, PositionsError};
use urdf_ik_text::names::short;

/// Maximum duration of a motion: the generator's bound \[s\].
pub(super) const MAX_DURATION: f64 = 7600.0;

/// Why a motion cannot start. The current motion continues.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MotionError {
    /// A joint position is missing or not finite.
    #[error(transparent)]
    Positions(#[from] PositionsError),
    /// A motion limit is missing, not finite or not above 0.
    #[error(transparent)]
    Limits(#[from] MotionLimitsError),
    /// The trajectory generator found no motion; the text is the reason.
    #[error("no smooth motion to the goal was found: {0}")]
    NotFound(String),
    /// The velocity limit of a joint is too low for the distance.
    #[error(
        "joint '{}' would take {duration:.3e} s at its velocity limit {velocity:e} (rad/s or m/s); a motion may take {MAX_DURATION} s",
        short(joint)
    )]
    TooSlow {
        /// Name of the joint.
        joint: String,
        /// Its velocity limit \[rad/s or m/s\].
        velocity: f64,
        /// Duration of the motion at that velocity \[s\].
        duration: f64,
    },
    /// The trajectory does not start where the joints come to rest.
    #[error("the trajectory begins {distance:.3e} rad or m from where the joints are")]
    Elsewhere {
        /// Largest distance of a joint from its position at rest \[rad or m\].
        distance: f64,
    },
}

/// State of the joints, with one entry for each variable in each list.
#[derive(Debug, Clone)]
pub(super) struct JointState {
    /// Positions \[rad or m\].
    pub positions: Vec<f64>,
    /// Velocities \[rad/s or m/s\].
    pub velocities: Vec<f64>,
    /// Accelerations \[rad/s² or m/s²\].
    pub accelerations: Vec<f64>,
}

/// Rate of motion time relative to clock time (time scaling of a trajectory).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Motion time per clock time \[s/s\], from 0 to 1.
    pub scale: f64,
    /// Rate of change of the scale per second of clock time \[1/s\].
    pub rate: f64,
}

impl Pace {
    /// Full pace: motion time equals clock time.
    pub const FULL: Self = Self { scale: 1.0, rate: 0.0 };
}

impl JointState {
    /// This state in clock time, for a motion at this `pace`: the positions stay, the velocities are scaled, and the
    /// accelerations are scaled and changed by the rate of the pace.
    pub fn at_pace(&self, pace: &Pace) -> Self {
        let rates = self.velocities.iter().zip(&self.accelerations);
        Self {
            positions: self.positions.clone(),
            velocities: self.velocities.iter().map(|velocity| velocity * pace.scale).collect(),
            accelerations: rates.map(|(v, a)| a * pace.scale.powi(2) + v * pace.rate).collect(),
        }
    }

    /// State of joints at rest at `positions` \[rad or m\].
    pub fn at_rest(positions: &[f64]) -> Self {
        let still = vec![0.0; positions.len()];
        Self { positions: positions.to_vec(), velocities: still.clone(), accelerations: still }
    }

    /// Position \[rad or m\], velocity \[rad/s or m/s\] and acceleration \[rad/s² or m/s²\] of a variable.
    pub fn of(&self, variable: usize) -> [f64; 3] {
        [&self.positions, &self.velocities, &self.accelerations].map(|list| list[variable])
    }

    /// Sets position \[rad or m\], velocity \[rad/s or m/s\] and acceleration \[rad/s² or m/s²\] of a variable.
    pub fn set(&mut self, variable: usize, state: [f64; 3]) {
        (self.positions[variable], self.velocities[variable], self.accelerations[variable]) = state.into();
    }

    /// True if all velocities and accelerations are zero.
    pub fn is_at_rest(&self) -> bool {
        self.velocities.iter().chain(&self.accelerations).all(|v| *v == 0.0)
    }

    /// True if velocities and accelerations are in proportion, as on a straight line.
    fn is_on_a_line(&self) -> bool {
        /// Rounding, relative to the product of the norms.
        const PROPORTION_TOLERANCE: f64 = 1e-9;
        let [speed, acceleration] = [length(&self.velocities), length(&self.accelerations)];
        let along = dot(&self.velocities, &self.accelerations).signum();
        let apart = self.velocities.iter().zip(&self.accelerations);
        apart.map(|(v, a)| (v * acceleration - along * a * speed).abs()).fold(0.0, f64::max)
            <= PROPORTION_TOLERANCE * speed * acceleration
    }
}

/// Jerk-limited motion of the joints from a state to rest.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    trajectory: Trajectory<0>,
    /// Positions of the variables at the end \[rad or m\]: inside the limits, or no farther outside than at the start.
    pub end: Vec<f64>,
}

impl Profile {
    /// Duration of the motion \[s\].
    pub fn duration(&self) -> f64 {
        self.trajectory.get_duration()
    }

    /// The state of the joints at `time` after the start \[s\].
    pub fn at(&self, time: f64) -> JointState {
        let list = || DataArrayOrVec::new(Some(self.end.len()), 0.0);
        let (mut positions, mut velocities, mut accelerations) = (list(), list(), list());
        self.trajectory.at_time(
            time,
            &mut Some(&mut positions),
            &mut Some(&mut velocities),
            &mut Some(&mut accelerations),
            &mut None,
            &mut None,
        );
        JointState {
            positions: positions.to_vec(),
            velocities: velocities.to_vec(),
            accelerations: accelerations.to_vec(),
        }
    }
}

/// Plans motions with ruckig.
#[derive(Debug, Clone)]
pub(super) struct Generator {
    ruckig: Ruckig<0, ThrowErrorHandler>,
    input: InputParameter<0>,
    /// Position limits \[rad or m\].
    domains: Vec<Domain>,
    /// Output of the next plan.
    next: Trajectory<0>,
}

impl Generator {
    /// A generator within the position limits `domains` \[rad or m\] and the motion limits, one entry for each
    /// variable.
    pub fn new(domains: &[Domain], limits: &MotionLimits) -> Self {
        let count = Some(domains.len());
        let mut input = InputParameter::new(count);
        input.max_velocity.copy_from_slice(&limits.velocities);
        input.max_acceleration.copy_from_slice(&limits.accelerations);
        input.max_jerk.copy_from_slice(&limits.jerks);
        // The cycle time matters only for ruckig's own steps, which are not used.
        let ruckig = Ruckig::new(count, 1.0);
        Self { ruckig, input, domains: domains.to_vec(), next: Trajectory::new(count) }
    }

    /// Velocity limit of one variable \[rad/s or m/s\].
    pub fn max_velocity(&self, variable: usize) -> f64 {
        self.input.max_velocity[variable]
    }

    /// Largest acceleration limit of all variables \[rad/s² or m/s²\].
    pub fn max_acceleration(&self) -> f64 {
        self.input.max_acceleration.iter().copied().fold(0.0, f64::max)
    }

    /// Plans a motion to `goal`, positions of the variables inside the limits \[rad or m\]. The joints move in
    /// proportion if possible, otherwise independently.
    ///
    /// # Errors
    /// [`MotionError::NotFound`] if the generator finds no motion.
    pub fn plan_to_goal(&mut self, from: &JointState, goal: &[f64]) -> Result<Profile, MotionError> {
        self.input.control_interface = ControlInterface::Position;
        // From rest the joints move straight to the goal: only rounding could exceed the limits, for which the
        // generator would refuse the plan.
        let bounds = (!from.is_at_rest()).then(|| {
            let (lower, upper) = self.allowed(from).map(|domain| domain.ends().into()).unzip();
            (DataArrayOrVec::Heap(lower), DataArrayOrVec::Heap(upper))
        });
        (self.input.min_position, self.input.max_position) = bounds.unzip();
        self.input.target_position.copy_from_slice(goal);
        self.plan_in_proportion(from)?;
        Ok(Profile { trajectory: self.next.clone(), end: goal.to_vec() })
    }

    /// Plans a motion to rest, each joint in minimum time.
    ///
    /// # Errors
    /// [`MotionError::NotFound`] if the generator finds no motion.
    pub fn plan_to_rest(&mut self, from: &JointState) -> Result<Profile, MotionError> {
        self.begin_to_rest();
        self.plan(from, Synchronization::None)?;
        Ok(self.profile_to_rest(from))
    }

    /// Plans a motion to rest in which all joints stop at the same time, so that they nearly keep their direction.
    ///
    /// # Errors
    /// [`MotionError::NotFound`] if the generator finds no motion, if the motion leaves the position limits, or if a
    /// joint would reverse.
    pub fn plan_to_rest_together(&mut self, from: &JointState) -> Result<Profile, MotionError> {
        let states = from.velocities.iter().zip(&from.accelerations).zip(self.input.max_jerk.iter());
        // The generator lets some joints that turn round stop with a jump.
        if states.into_iter().any(|((v, a), jerk)| v * (v + 0.5 * a * a.abs() / jerk) < 0.0) {
            return Err(MotionError::NotFound("a joint turns round".to_owned()));
        }
        self.begin_to_rest();
        self.plan(from, Synchronization::Time)?;
        let farthest = self.next.get_position_extrema().to_vec();
        let mut extremes = self.allowed(from).map(|domain| domain.ends()).zip(farthest);
        if !extremes.all(|([lower, upper], bound)| lower <= bound.min && bound.max <= upper) {
            return Err(MotionError::NotFound("the joints would leave their limits".to_owned()));
        }
        Ok(self.profile_to_rest(from))
    }

    /// Plans a motion to rest: along a line if the joints move along one, otherwise each joint in minimum time.
    ///
    /// # Errors
    /// [`MotionError::NotFound`] if the generator finds no motion.
    pub fn plan_to_brake(&mut self, from: &JointState) -> Result<Profile, MotionError> {
        if !from.is_on_a_line() {
            return self.plan_to_rest(from);
        }
        self.begin_to_rest();
        self.plan_in_proportion(from)?;
        Ok(self.profile_to_rest(from))
    }

    /// Prepares a plan to rest. It has no position limits: no other motion would stay farther inside, and the generator
    /// rejects some plans to rest in the middle of the limits.
    fn begin_to_rest(&mut self) {
        self.input.control_interface = ControlInterface::Velocity;
        (self.input.min_position, self.input.max_position) = (None, None);
    }

    fn plan_in_proportion(&mut self, from: &JointState) -> Result<(), MotionError> {
        // The generator also takes joints that move nearly along a line for such, and then exceeds their jerk limits.
        let first = if from.is_on_a_line() { Synchronization::Phase } else { Synchronization::Time };
        self.plan(from, first).or_else(|_| self.plan(from, Synchronization::None))
    }

    /// Position limits of the variables, extended to a start outside them.
    fn allowed(&self, from: &JointState) -> impl Iterator<Item = Domain> {
        self.domains.iter().zip(&from.positions).map(|(domain, start)| domain.extended_to(*start))
    }

    /// The profile that was planned last, a motion from `from` to rest, with its end.
    fn profile_to_rest(&self, from: &JointState) -> Profile {
        let mut profile = Profile { trajectory: self.next.clone(), end: vec![0.0; self.input.current_position.len()] };
        profile.end = profile.at(profile.duration()).positions;
        for (end, allowed) in profile.end.iter_mut().zip(self.allowed(from)) {
            *end = allowed.clamp(*end);
        }
        profile
    }

    fn plan(&mut self, from: &JointState, synchronization: Synchronization) -> Result<(), MotionError> {
        self.input.synchronization = synchronization;
        self.input.current_position.copy_from_slice(&from.positions);
        self.input.current_velocity.copy_from_slice(&from.velocities);
        self.input.current_acceleration.copy_from_slice(&from.accelerations);
        match self.ruckig.calculate(&self.input, &mut self.next) {
            Ok(RuckigResult::Working | RuckigResult::Finished) => Ok(()),
            Ok(other) => Err(MotionError::NotFound(format!("{other:?}"))),
            // The first line is followed by a dump of the input.
            Err(error) => Err(MotionError::NotFound(error.to_string().lines().next().unwrap_or_default().to_owned())),
        }
    }
}
