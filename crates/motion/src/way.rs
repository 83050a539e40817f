//! A way of the joints over time, kept as data: it is sampled, and never planned again.

use std::sync::Arc;

use super::generator::{Profile, State};
use super::trajectory::TrajectoryPoint;

/// A way of the joints from now on, which ends at rest.
#[derive(Debug, Clone)]
pub(super) struct Way {
    course: Course,
    /// Time on it so far \[s\].
    elapsed: f64,
}

#[derive(Debug, Clone)]
enum Course {
    /// The joints stand at these positions.
    Rest(Vec<f64>),
    /// Along a profile; `then` along a trajectory, if there is one.
    Profile {
        profile: Arc<Profile>,
        then: Option<Arc<[TrajectoryPoint]>>,
    },
    Trajectory(Arc<[TrajectoryPoint]>),
}

impl Way {
    /// Joints that stand at `positions`.
    pub fn rest(positions: &[f64]) -> Self {
        Self { course: Course::Rest(positions.to_vec()), elapsed: 0.0 }
    }

    pub fn along(profile: Profile) -> Self {
        Self { course: Course::Profile { profile: Arc::new(profile), then: None }, elapsed: 0.0 }
    }

    /// Adds a trajectory of at least one point, which begins where the way ends. It takes the place of another trajectory.
    pub fn add(&mut self, points: Arc<[TrajectoryPoint]>) {
        match &mut self.course {
            Course::Profile { then, .. } => *then = Some(points),
            Course::Rest(_) | Course::Trajectory(_) => {
                *self = Self { course: Course::Trajectory(points), elapsed: 0.0 };
            }
        }
    }

    /// Whether the joints stand.
    pub fn is_over(&self) -> bool {
        matches!(self.course, Course::Rest(_))
    }

    /// Whether the joints are on a trajectory already.
    pub fn is_on_trajectory(&self) -> bool {
        matches!(self.course, Course::Trajectory(_))
    }

    /// Positions of the variables at its end.
    pub fn end(&self) -> &[f64] {
        match &self.course {
            Course::Rest(positions) => positions,
            Course::Profile { profile, then } => {
                then.as_deref().and_then(<[_]>::last).map_or(&profile.end, |last| &last.positions)
            }
            Course::Trajectory(points) => points.last().map_or(&[], |last| &last.positions),
        }
    }

    /// The time until it is at its end \[s\].
    pub fn time_left(&self) -> f64 {
        let of = |points: &[TrajectoryPoint]| points.last().map_or(0.0, |last| last.time);
        match &self.course {
            Course::Rest(_) => 0.0,
            Course::Profile { profile, then } => profile.duration() + then.as_deref().map_or(0.0, of) - self.elapsed,
            Course::Trajectory(points) => of(points) - self.elapsed,
        }
    }

    /// The state that many seconds from now.
    pub fn ahead(&self, time: f64) -> State {
        let elapsed = self.elapsed + time;
        match &self.course {
            Course::Rest(positions) => State::at_rest(positions),
            Course::Profile { profile, .. } if elapsed < profile.duration() => profile.at(elapsed),
            Course::Profile { profile, then: None } => State::at_rest(&profile.end),
            Course::Profile { profile, then: Some(points) } => on_trajectory(points, elapsed - profile.duration()),
            Course::Trajectory(points) => on_trajectory(points, elapsed),
        }
    }

    /// Moves on by `step` seconds, and gives the state there.
    pub fn advance(&mut self, step: f64) -> State {
        let state = self.ahead(step);
        if self.time_left() <= step {
            *self = Self::rest(&state.positions);
        } else {
            self.elapsed += step;
            self.pass_to_trajectory();
        }
        state
    }

    /// Leaves a profile that has ended behind.
    fn pass_to_trajectory(&mut self) {
        if let Course::Profile { profile, then: Some(points) } = &self.course
            && self.elapsed >= profile.duration()
        {
            let elapsed = self.elapsed - profile.duration();
            *self = Self { course: Course::Trajectory(Arc::clone(points)), elapsed };
        }
    }
}

/// The state on a trajectory at `time`; that at its end afterwards.
fn on_trajectory(points: &[TrajectoryPoint], time: f64) -> State {
    let after = points.partition_point(|point| point.time <= time);
    let before = &points[after.saturating_sub(1)];
    let Some(next) = points.get(after) else { return State::at_rest(&before.positions) };
    let mut state = State::at_rest(&before.positions);
    for variable in 0..state.positions.len() {
        let [position, velocity, acceleration] = before.towards(next, variable, time);
        state.positions[variable] = position;
        state.velocities[variable] = velocity;
        state.accelerations[variable] = acceleration;
    }
    state
}
