//! A motion of the joints over time, stored as data: it is sampled and never planned again.

use std::ops::Range;
use std::sync::Arc;

use super::generator::{JointState, Profile};
use super::trajectory::TrajectoryPoint;

/// A motion of the joints from now on that ends at rest.
#[derive(Debug, Clone)]
pub(super) struct MotionPlan {
    stage: Stage,
    /// Time since its start \[s\].
    elapsed: f64,
}

#[derive(Debug, Clone)]
enum Stage {
    /// Rest at these positions.
    Rest(Vec<f64>),
    /// A profile, followed by the trajectory `then`, if any.
    Profile {
        profile: Arc<Profile>,
        then: Option<Arc<[TrajectoryPoint]>>,
    },
    Trajectory(Arc<[TrajectoryPoint]>),
}

impl MotionPlan {
    /// A plan that rests at `positions` \[rad or m\].
    pub fn at_rest(positions: &[f64]) -> Self {
        Self { stage: Stage::Rest(positions.to_vec()), elapsed: 0.0 }
    }

    /// A plan that follows `profile` to its end.
    pub fn along(profile: Profile) -> Self {
        Self { stage: Stage::Profile { profile: Arc::new(profile), then: None }, elapsed: 0.0 }
    }

    /// Appends a trajectory of at least one point that starts at the end of this motion. It replaces a previously
    /// appended trajectory.
    pub fn add(&mut self, points: Arc<[TrajectoryPoint]>) {
        if let Stage::Profile { then, .. } = &mut self.stage {
            *then = Some(points);
        } else {
            *self = Self { stage: Stage::Trajectory(points), elapsed: 0.0 };
        }
    }

    /// True if the joints are at rest.
    pub fn is_at_rest(&self) -> bool {
        matches!(self.stage, Stage::Rest(_))
    }

    /// True if the joints already follow a trajectory.
    pub fn is_on_trajectory(&self) -> bool {
        matches!(self.stage, Stage::Trajectory(_))
    }

    /// Positions of the variables at the end \[rad or m\].
    pub fn end(&self) -> &[f64] {
        match &self.stage {
            Stage::Rest(positions) => positions,
            Stage::Profile { profile, then } => {
                then.as_deref().and_then(<[_]>::last).map_or(&profile.end, |last| &last.positions)
            }
            Stage::Trajectory(points) => points.last().map_or(&[], |last| &last.positions),
        }
    }

    /// Time to the end \[s\].
    pub fn time_left(&self) -> f64 {
        let of = |points: &[TrajectoryPoint]| points.last().map_or(0.0, |last| last.time);
        match &self.stage {
            Stage::Rest(_) => 0.0,
            Stage::Profile { profile, then } => profile.duration() + then.as_deref().map_or(0.0, of) - self.elapsed,
            Stage::Trajectory(points) => of(points) - self.elapsed,
        }
    }

    /// The state in `time` \[s\] from now; at rest past the end.
    pub fn ahead(&self, time: f64) -> JointState {
        let elapsed = self.elapsed + time;
        match &self.stage {
            Stage::Rest(positions) => JointState::at_rest(positions),
            Stage::Profile { profile, .. } if elapsed < profile.duration() => profile.at(elapsed),
            Stage::Profile { profile, then: None } => JointState::at_rest(&profile.end),
            Stage::Profile { profile, then: Some(points) } => on_trajectory(points, elapsed - profile.duration()),
            Stage::Trajectory(points) => on_trajectory(points, elapsed),
        }
    }

    /// The states at both ends of a range of `times` from now \[s\], and between them every `interval` seconds. The
    /// `interval` must be above 0, otherwise the loop never ends.
    pub fn states(&self, times: Range<f64>, interval: f64) -> Vec<JointState> {
        let mut states = vec![self.ahead(times.start)];
        let mut time = times.start;
        while time < times.end {
            time = (time + interval).min(times.end);
            states.push(self.ahead(time));
        }
        states
    }

    /// Advances by `step` \[s\] and returns the new state.
    pub fn advance(&mut self, step: f64) -> JointState {
        let state = self.ahead(step);
        if self.time_left() <= step {
            *self = Self::at_rest(&state.positions);
            return state;
        }
        self.elapsed += step;
        if let Stage::Profile { profile, then: Some(points) } = &self.stage
            && self.elapsed >= profile.duration()
        {
            let elapsed = self.elapsed - profile.duration();
            *self = Self { stage: Stage::Trajectory(Arc::clone(points)), elapsed };
        }
        state
    }
}

/// The state of a trajectory at `time`; past its end, the state at the end.
fn on_trajectory(points: &[TrajectoryPoint], time: f64) -> JointState {
    let after = points.partition_point(|point| point.time <= time);
    let before = &points[after.saturating_sub(1)];
    let Some(next) = points.get(after) else { return JointState::at_rest(&before.positions) };
    let mut state = JointState::at_rest(&before.positions);
    for variable in 0..state.positions.len() {
        state.set(variable, before.interpolate(next, variable, time));
    }
    state
}
