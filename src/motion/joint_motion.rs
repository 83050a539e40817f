//! Joint motion over time: to goals, along trajectories, and to rest.

use std::f64::consts::TAU;
use std::fmt;
use std::sync::Arc;

use super::generator::{Generator, State, Which};
use super::limits::MotionLimits;
use super::motion_error::{MAX_DURATION, MotionError};
use super::trajectory::TrajectoryPoint;
use crate::robot::{Chain, Domain};

/// Greatest distance of a joint from the first point of a trajectory when it begins \[rad or m\].
const MAX_START_DISTANCE: f64 = 1e-6;
/// The motion of the joints of a chain: to a goal, along a trajectory, or to rest. A new motion begins with the positions, velocities and
/// accelerations of the motion under way. It stays within the limits of position, velocity, acceleration and jerk; a trajectory has its
/// own.
///
/// Motions to a goal and to rest are time-optimal under these limits (Berscheid and Kröger 2021, "Jerk-limited real-time trajectory
/// generation with arbitrary target states"). From rest, all joints move in proportion: a straight line in joint space. The same calls
/// give the same motion.
pub struct JointMotion {
    names: Vec<String>,
    pub(super) domains: Vec<Domain>,
    pub(super) state: State,
    pub(super) phase: Phase,
    pub(super) generator: Generator,
}

/// The motion under way.
pub(super) enum Phase {
    Rest,
    /// Along the generator's profile to `end` for `elapsed` seconds so far; `then` along a trajectory, if there is one.
    Profile {
        elapsed: f64,
        end: Vec<f64>,
        then: Option<Arc<[TrajectoryPoint]>>,
    },
    /// Along a trajectory for `elapsed` seconds so far.
    Trajectory {
        points: Arc<[TrajectoryPoint]>,
        elapsed: f64,
    },
}

impl JointMotion {
    /// Joints at rest at `positions` of the chain's variables, inside their limits. The `limits` must be finite: see
    /// [`MotionLimits::or`].
    #[must_use]
    pub fn new(chain: &Chain, limits: &MotionLimits, positions: &[f64]) -> Self {
        let domains = chain.domains();
        Self {
            names: chain.variables().iter().map(|variable| variable.name.clone()).collect(),
            generator: Generator::new(&domains, limits),
            domains,
            state: State::at_rest(positions),
            phase: Phase::Rest,
        }
    }

    /// Positions of the variables \[rad or m\], inside their limits.
    #[must_use]
    pub fn positions(&self) -> &[f64] {
        &self.state.positions
    }

    /// Velocities of the variables \[rad/s or m/s\].
    #[must_use]
    pub fn velocities(&self) -> &[f64] {
        &self.state.velocities
    }

    /// Accelerations of the variables \[rad/s² or m/s²\].
    #[must_use]
    pub fn accelerations(&self) -> &[f64] {
        &self.state.accelerations
    }

    /// Whether no joint moves.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        matches!(self.phase, Phase::Rest)
    }

    /// Whether no joint moves, nor has been taken over while it moved.
    fn is_still(&self) -> bool {
        self.is_at_rest() && self.state.velocities.iter().chain(&self.state.accelerations).all(|v| *v == 0.0)
    }

    /// Positions of the variables at the end of the motion under way.
    #[must_use]
    pub fn end(&self) -> &[f64] {
        match &self.phase {
            Phase::Rest => &self.state.positions,
            Phase::Profile { end, then: None, .. } => end,
            Phase::Profile { then: Some(points), .. } | Phase::Trajectory { points, .. } => {
                points.last().map_or(&self.state.positions, |last| &last.positions)
            }
        }
    }

    /// Sets the limits of the motions from the next one on. They must be finite, as in [`JointMotion::new`].
    pub fn set_limits(&mut self, limits: &MotionLimits) {
        self.generator = self.generator.with_limits(&self.domains, limits);
    }

    /// Puts the joints at rest at `positions` without a motion. The positions must be inside the limits.
    pub fn place(&mut self, positions: &[f64]) {
        self.state = State::at_rest(positions);
        self.phase = Phase::Rest;
    }

    /// Takes over joints that move: positions inside the limits, velocities and accelerations, one entry for each variable. The next motion
    /// begins with these; until then the joints stand.
    pub fn place_moving(&mut self, [positions, velocities, accelerations]: [&[f64]; 3]) {
        self.place(positions);
        self.state.velocities.copy_from_slice(velocities);
        self.state.accelerations.copy_from_slice(accelerations);
    }

    /// Begins a motion to `goal`, positions of the variables inside their limits. Continuous joints move the short way. Gives the time that
    /// it takes \[s\].
    ///
    /// # Errors
    /// [`MotionError::TooSlow`], [`MotionError::NotFound`].
    pub fn move_to(&mut self, goal: &[f64]) -> Result<f64, MotionError> {
        let near = |(domain, (here, there)): (&Domain, (&f64, &f64))| match domain {
            Domain::Circle => there - ((there - here) / TAU).round() * TAU,
            Domain::Interval { .. } => domain.clamp(*there),
        };
        let end: Vec<f64> = self.domains.iter().zip(self.state.positions.iter().zip(goal)).map(near).collect();
        if self.is_still() && end == self.state.positions {
            return Ok(0.0);
        }
        self.check_duration(&end)?;
        self.generator.plan_to_goal(&self.state, &end)?;
        self.phase = Phase::Profile { elapsed: 0.0, end, then: None };
        Ok(self.generator.duration(Which::InUse))
    }

    /// The generator says of very slow joints only that it failed.
    fn check_duration(&self, end: &[f64]) -> Result<(), MotionError> {
        for (index, (here, there)) in self.state.positions.iter().zip(end).enumerate() {
            let velocity = self.generator.greatest_velocity(index);
            let duration = (there - here).abs() / velocity;
            if duration > MAX_DURATION {
                return Err(MotionError::TooSlow { joint: self.names[index].clone(), velocity, duration });
            }
        }
        Ok(())
    }

    /// Brakes to rest, each joint as fast as it can. Gives the time that it takes \[s\].
    ///
    /// # Errors
    /// [`MotionError::NotFound`].
    pub fn stop(&mut self) -> Result<f64, MotionError> {
        if self.is_still() {
            return Ok(0.0);
        }
        self.generator.plan_to_rest(&self.state)?;
        let end = self.generator.end(&self.domains);
        self.phase = Phase::Profile { elapsed: 0.0, end, then: None };
        Ok(self.generator.duration(Which::InUse))
    }

    /// Follows a trajectory from rest to rest, after the motion under way has come to its [end](Self::end). The trajectory must begin
    /// there. A trajectory under way is braked first.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`], or [`MotionError::NotFound`] where it cannot brake.
    pub fn follow(&mut self, points: Arc<[TrajectoryPoint]>) -> Result<(), MotionError> {
        let Some(first) = points.first() else { return Ok(()) };
        if matches!(self.phase, Phase::Trajectory { .. }) {
            self.stop()?;
        }
        let apart = self.end().iter().zip(&first.positions).map(|(here, there)| (here - there).abs());
        let distance = apart.fold(0.0, f64::max);
        if distance > MAX_START_DISTANCE {
            return Err(MotionError::Elsewhere { distance });
        }
        if let Phase::Profile { then, .. } = &mut self.phase {
            *then = Some(points);
        } else {
            self.phase = Phase::Trajectory { points, elapsed: 0.0 };
        }
        Ok(())
    }

    /// Moves on by `step` seconds.
    pub fn advance(&mut self, step: f64) {
        match &mut self.phase {
            Phase::Rest => {}
            Phase::Profile { elapsed, .. } if *elapsed + step < self.generator.duration(Which::InUse) => {
                *elapsed += step;
                self.generator.sample(Which::InUse, *elapsed, &mut self.state);
            }
            Phase::Profile { elapsed, end, then } => {
                let left = *elapsed + step - self.generator.duration(Which::InUse);
                let then = then.take();
                self.state = State::at_rest(end);
                self.phase = Phase::Rest;
                if let Some(points) = then {
                    self.phase = Phase::Trajectory { points, elapsed: 0.0 };
                    self.advance(left);
                }
            }
            Phase::Trajectory { points, elapsed } => {
                *elapsed += step;
                if !sample(points, *elapsed, &mut self.state) {
                    self.phase = Phase::Rest;
                }
            }
        }
        for (position, domain) in self.state.positions.iter_mut().zip(&self.domains) {
            // Only rounding can bring it outside.
            *position = domain.clamp(*position);
        }
    }
}

impl fmt::Debug for JointMotion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("JointMotion")
            .field("state", &self.state)
            .field("at_rest", &self.is_at_rest())
            .finish_non_exhaustive()
    }
}

/// Puts the state on a trajectory at `time` into `state`. Returns false at the end of the trajectory.
pub(super) fn sample(points: &[TrajectoryPoint], time: f64, state: &mut State) -> bool {
    let after = points.partition_point(|point| point.time <= time);
    let Some(to) = points.get(after) else {
        if let Some(last) = points.last() {
            *state = State::at_rest(&last.positions);
        }
        return false;
    };
    let Some(from) = after.checked_sub(1).map(|before| &points[before]) else { return true };
    for variable in 0..state.positions.len() {
        let [position, velocity, acceleration] = from.towards(to, variable, time);
        state.positions[variable] = position;
        state.velocities[variable] = velocity;
        state.accelerations[variable] = acceleration;
    }
    true
}
