//! The generator of jerk-limited motions: profiles of time from a state of the joints to a goal, or to rest.

use rsruckig::prelude::{
    ControlInterface, DataArrayOrVec, InputParameter, Ruckig, RuckigResult, Synchronization, ThrowErrorHandler,
    Trajectory,
};
use thiserror::Error;

use super::limits::MotionLimits;
use urdf_ik_mathematics::vectors::{dot, length};
use urdf_ik_robot::Domain;
use urdf_ik_text::names::short;

/// The generator's bound on the time of a motion \[s\].
pub(super) const MAX_DURATION: f64 = 7600.0;

/// Why a motion cannot begin. The motion under way continues.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The generator found no motion.
    #[error("no smooth motion to the goal was found: {0}")]
    NotFound(String),
    /// The velocity limit of a joint is too low for the distance.
    #[error(
        "joint '{}' would take {duration:.3e} s at its velocity limit {velocity:e} (rad/s or m/s); a motion may take {MAX_DURATION} s",
        short(joint)
    )]
    TooSlow {
        /// The joint.
        joint: String,
        /// Its velocity limit \[rad/s or m/s\].
        velocity: f64,
        /// The least time that it takes \[s\].
        duration: f64,
    },
    /// The trajectory does not begin where the joints come to rest.
    #[error("the trajectory begins {distance:.3e} rad or m from where the joints are")]
    Elsewhere {
        /// The greatest distance of a joint \[rad or m\].
        distance: f64,
    },
}

/// State of the joints: each list has one entry for each variable.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub positions: Vec<f64>,
    pub velocities: Vec<f64>,
    pub accelerations: Vec<f64>,
}

/// How fast the time of a motion passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Seconds of the motion in a second of the clock: 0 to 1.
    pub scale: f64,
    /// How fast that changes \[1/s\].
    pub rate: f64,
}

impl Pace {
    /// The motion passes with the clock.
    pub const FULL: Self = Self { scale: 1.0, rate: 0.0 };
}

impl State {
    /// The state in the time of the clock, of a motion whose time passes at this `pace`.
    pub fn at_pace(&self, pace: &Pace) -> Self {
        let rates = self.velocities.iter().zip(&self.accelerations);
        Self {
            positions: self.positions.clone(),
            velocities: self.velocities.iter().map(|velocity| velocity * pace.scale).collect(),
            accelerations: rates.map(|(v, a)| a * pace.scale.powi(2) + v * pace.rate).collect(),
        }
    }

    /// Joints that stand at `positions`.
    pub fn at_rest(positions: &[f64]) -> Self {
        let still = vec![0.0; positions.len()];
        Self { positions: positions.to_vec(), velocities: still.clone(), accelerations: still }
    }

    /// Whether no joint moves.
    pub fn is_at_rest(&self) -> bool {
        self.velocities.iter().chain(&self.accelerations).all(|v| *v == 0.0)
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

/// Jerk-limited motion of the joints over time, from a state to rest.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    trajectory: Trajectory<0>,
    /// Positions at its end: inside the limits, or no farther outside than at its start.
    pub end: Vec<f64>,
}

impl Profile {
    /// The time that it takes \[s\].
    pub fn duration(&self) -> f64 {
        self.trajectory.get_duration()
    }

    /// The state after `time` seconds.
    pub fn at(&self, time: f64) -> State {
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
        State { positions: positions.to_vec(), velocities: velocities.to_vec(), accelerations: accelerations.to_vec() }
    }
}

/// Online trajectory generation.
pub(super) struct Generator {
    ruckig: Ruckig<0, ThrowErrorHandler>,
    input: InputParameter<0>,
    /// The positions that the joints may have \[rad or m\].
    lower: DataArrayOrVec<f64, 0>,
    upper: DataArrayOrVec<f64, 0>,
    /// Where the next profile is made.
    next: Trajectory<0>,
}

impl Clone for Generator {
    fn clone(&self) -> Self {
        // ruckig keeps nothing between two profiles.
        let ruckig = Self::ruckig(Some(self.lower.len()));
        let (input, lower, upper, next) =
            (self.input.clone(), self.lower.clone(), self.upper.clone(), self.next.clone());
        Self { ruckig, input, lower, upper, next }
    }
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
        Self {
            ruckig: Self::ruckig(count),
            input,
            lower: list(&|variable| ends(variable).0),
            upper: list(&|variable| ends(variable).1),
            next: Trajectory::new(count),
        }
    }

    /// The cycle time is for ruckig's own steps, which are not used.
    fn ruckig(count: Option<usize>) -> Ruckig<0, ThrowErrorHandler> {
        Ruckig::new(count, 1.0)
    }

    /// The velocity limit of a variable \[rad/s or m/s\].
    pub fn max_velocity(&self, variable: usize) -> f64 {
        self.input.max_velocity[variable]
    }

    /// The greatest of the acceleration limits \[rad/s² or m/s²\].
    pub fn max_acceleration(&self) -> f64 {
        self.input.max_acceleration.iter().copied().fold(0.0, f64::max)
    }

    /// Plans to a goal inside the limits. The joints move in proportion where that is possible, else all in the same time, else each on its
    /// own.
    pub fn plan_to_goal(&mut self, from: &State, goal: &[f64]) -> Result<Profile, MotionError> {
        self.input.control_interface = ControlInterface::Position;
        // From rest the joints go straight to the goal, so that only rounding could leave the limits, for which the generator refuses a plan.
        let bounds = (!from.is_at_rest()).then(|| {
            let (mut lower, mut upper) = (self.lower.clone(), self.upper.clone());
            for (i, position) in from.positions.iter().enumerate() {
                [lower[i], upper[i]] = self.bounds(i, *position);
            }
            (lower, upper)
        });
        (self.input.min_position, self.input.max_position) = bounds.unzip();
        self.input.target_position.copy_from_slice(goal);
        self.plan_in_proportion(from)?;
        Ok(Profile { trajectory: self.next.clone(), end: goal.to_vec() })
    }

    /// Plans to rest, each joint as fast as it can.
    pub fn plan_to_rest(&mut self, from: &State) -> Result<Profile, MotionError> {
        self.begin_to_rest();
        self.plan(from, Synchronization::None)?;
        Ok(self.profile_to_rest(from))
    }

    /// Plans to rest on a line where the joints move on one, and else each joint as fast as it can.
    pub fn plan_to_brake(&mut self, from: &State) -> Result<Profile, MotionError> {
        // The generator takes joints for such that move on a line where they nearly do, and then exceeds their jerks.
        if !from.is_on_a_line() {
            return self.plan_to_rest(from);
        }
        self.begin_to_rest();
        self.plan_in_proportion(from)?;
        Ok(self.profile_to_rest(from))
    }

    /// The next plan is one to rest. Nothing stays farther inside the limits than that; and the generator takes some plans to rest in the
    /// middle of the limits for such that leave them.
    fn begin_to_rest(&mut self) {
        self.input.control_interface = ControlInterface::Velocity;
        (self.input.min_position, self.input.max_position) = (None, None);
    }

    fn plan_in_proportion(&mut self, from: &State) -> Result<(), MotionError> {
        self.plan(from, Synchronization::Phase).or_else(|_| self.plan(from, Synchronization::None))
    }

    /// The least and the greatest position of a variable in a motion from `start`: its limits, extended to a start outside them.
    fn bounds(&self, variable: usize, start: f64) -> [f64; 2] {
        [self.lower[variable].min(start), self.upper[variable].max(start)]
    }

    /// The profile that was planned last from a state, with the end that it has.
    fn profile_to_rest(&self, from: &State) -> Profile {
        let mut profile = Profile { trajectory: self.next.clone(), end: vec![0.0; self.input.current_position.len()] };
        profile.end = profile.at(profile.duration()).positions;
        for (i, end) in profile.end.iter_mut().enumerate() {
            let [lower, upper] = self.bounds(i, from.positions[i]);
            *end = end.max(lower).min(upper);
        }
        profile
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
}
