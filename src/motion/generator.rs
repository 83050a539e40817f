//! The generator of jerk-limited motions: profiles of time from a state of the joints to a goal, or to rest.

use rsruckig::prelude::{
    ControlInterface, DataArrayOrVec, InputParameter, Ruckig, RuckigResult, Synchronization, ThrowErrorHandler,
    Trajectory as Profile,
};

use super::limits::MotionLimits;
use super::motion_error::MotionError;
use crate::robot::Domain;
use crate::vectors::{dot, length};

/// State of the joints: each list has one entry for each variable.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub positions: Vec<f64>,
    pub velocities: Vec<f64>,
    pub accelerations: Vec<f64>,
}

impl State {
    pub fn at_rest(positions: &[f64]) -> Self {
        let still = vec![0.0; positions.len()];
        Self { positions: positions.to_vec(), velocities: still.clone(), accelerations: still }
    }

    /// Whether velocities and accelerations are in proportion.
    fn is_on_a_line(&self) -> bool {
        /// Rounding, over the product of the lengths.
        const ROUNDING: f64 = 1e-9;
        let [speed, acceleration] = [length(&self.velocities), length(&self.accelerations)];
        let along = dot(&self.velocities, &self.accelerations).signum();
        let apart = self.velocities.iter().zip(&self.accelerations);
        apart.map(|(v, a)| (v * acceleration - along * a * speed).abs()).fold(0.0, f64::max)
            <= ROUNDING * speed * acceleration
    }
}

/// Online trajectory generation.
pub(super) struct Generator {
    ruckig: Ruckig<0, ThrowErrorHandler>,
    input: InputParameter<0>,
    profile: Profile<0>,
    /// Where the next profile is made: a failure does not change the profile in use.
    next: Profile<0>,
    // Memory for one sample.
    positions: DataArrayOrVec<f64, 0>,
    velocities: DataArrayOrVec<f64, 0>,
    accelerations: DataArrayOrVec<f64, 0>,
}

/// Which of two profiles: the one in use, or the one that was planned last and is not used.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Which {
    InUse,
    Planned,
}

impl Generator {
    pub fn new(domains: &[Domain], limits: &MotionLimits) -> Self {
        let count = Some(domains.len());
        let list = |values: &dyn Fn(usize) -> f64| {
            let mut list = DataArrayOrVec::new(count, 0.0);
            list.iter_mut().enumerate().for_each(|(variable, entry)| *entry = values(variable));
            list
        };
        let ends = |variable: usize| match domains[variable] {
            Domain::Interval { lower, upper } => (lower, upper),
            Domain::Circle => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let mut input = InputParameter::new(count);
        input.max_velocity = list(&|variable| limits.velocities[variable]);
        input.max_acceleration = list(&|variable| limits.accelerations[variable]);
        input.max_jerk = list(&|variable| limits.jerks[variable]);
        input.min_position = Some(list(&|variable| ends(variable).0));
        input.max_position = Some(list(&|variable| ends(variable).1));
        Self {
            // The cycle time is for ruckig's own steps, which are not used.
            ruckig: Ruckig::new(count, 1.0),
            input,
            profile: Profile::new(count),
            next: Profile::new(count),
            positions: list(&|_| 0.0),
            velocities: list(&|_| 0.0),
            accelerations: list(&|_| 0.0),
        }
    }

    /// The same with other limits, for the profiles from the next one on.
    pub fn with_limits(&self, domains: &[Domain], limits: &MotionLimits) -> Self {
        Self { profile: self.profile.clone(), ..Self::new(domains, limits) }
    }

    /// The velocity limit of a variable \[rad/s or m/s\].
    pub fn greatest_velocity(&self, variable: usize) -> f64 {
        self.input.max_velocity[variable]
    }

    /// The greatest of the acceleration limits \[rad/s² or m/s²\].
    pub fn greatest_acceleration(&self) -> f64 {
        self.input.max_acceleration.iter().copied().fold(0.0, f64::max)
    }

    /// Plans to a goal, and uses that profile from now on.
    pub fn plan_to_goal(&mut self, from: &State, goal: &[f64]) -> Result<(), MotionError> {
        self.input.control_interface = ControlInterface::Position;
        self.input.target_position.copy_from_slice(goal);
        self.plan_in_proportion(from)?;
        self.use_planned();
        Ok(())
    }

    /// Plans to rest, each joint as fast as it can, and uses that profile from now on.
    pub fn plan_to_rest(&mut self, from: &State) -> Result<(), MotionError> {
        self.input.control_interface = ControlInterface::Velocity;
        self.plan(from, Synchronization::None)?;
        self.use_planned();
        Ok(())
    }

    /// Plans to rest on a line where the joints move on one, and else each joint as fast as it can, but does not use that profile yet.
    pub fn plan_to_brake(&mut self, from: &State) -> Result<(), MotionError> {
        self.input.control_interface = ControlInterface::Velocity;
        // The generator takes joints for such that move on a line where they nearly do, and then exceeds their jerks.
        if from.is_on_a_line() { self.plan_in_proportion(from) } else { self.plan(from, Synchronization::None) }
    }

    /// Uses the profile that was planned last.
    pub fn use_planned(&mut self) {
        std::mem::swap(&mut self.profile, &mut self.next);
    }

    /// The joints move in proportion where that is possible, else all in the same time, else each on its own.
    fn plan_in_proportion(&mut self, from: &State) -> Result<(), MotionError> {
        self.plan(from, Synchronization::Phase).or_else(|_| self.plan(from, Synchronization::None))
    }

    fn plan(&mut self, from: &State, synchronization: Synchronization) -> Result<(), MotionError> {
        self.input.synchronization = synchronization;
        self.input.current_position.copy_from_slice(&from.positions);
        self.input.current_velocity.copy_from_slice(&from.velocities);
        self.input.current_acceleration.copy_from_slice(&from.accelerations);
        match self.ruckig.calculate(&self.input, &mut self.next) {
            Ok(RuckigResult::Working | RuckigResult::Finished) => Ok(()),
            Ok(other) => Err(MotionError::NotFound(format!("{other:?}"))),
            // After the first line comes a list of the input.
            Err(error) => Err(MotionError::NotFound(error.to_string().lines().next().unwrap_or_default().to_owned())),
        }
    }

    /// The time that a profile takes \[s\].
    pub fn duration(&self, which: Which) -> f64 {
        match which {
            Which::InUse => self.profile.get_duration(),
            Which::Planned => self.next.get_duration(),
        }
    }

    /// The state on a profile after `time` seconds.
    pub fn sample(&mut self, which: Which, time: f64, state: &mut State) {
        let Self { profile, next, positions, velocities, accelerations, .. } = self;
        let profile = if which == Which::InUse { profile } else { next };
        profile.at_time(
            time,
            &mut Some(positions),
            &mut Some(velocities),
            &mut Some(accelerations),
            &mut None,
            &mut None,
        );
        state.positions.copy_from_slice(positions);
        state.velocities.copy_from_slice(velocities);
        state.accelerations.copy_from_slice(accelerations);
    }

    /// The positions at the end of the profile in use.
    pub fn end(&mut self, domains: &[Domain]) -> Vec<f64> {
        let duration = self.profile.get_duration();
        self.profile.at_time(duration, &mut Some(&mut self.positions), &mut None, &mut None, &mut None, &mut None);
        self.positions.iter().zip(domains).map(|(position, domain)| domain.clamp(*position)).collect()
    }
}
