//! A trajectory along a followed path: points at even times.

use super::path_errors::PathErrors;
use super::path_problem::{Followed, PathProblem, ratio};
use super::speed_profile::{PathProgress, SpeedProfile};
use super::timing::{SpeedProblem, Timing, TimingError, check_points};
use super::tip_kinematics::{PathConfiguration, PathDeviation};
use urdf_ik_robot::Chain;
use urdf_ik_solver::{Residual, Tolerance};
use urdf_ik_text::names::number;

/// State of the joints at one time. Each list has one entry for each of the chain's n variables.
#[derive(Debug, Clone, PartialEq)]
pub struct TrajectoryPoint {
    /// Time from the start \[s\].
    pub time: f64,
    /// Path length reached at this time \[m\].
    pub length: f64,
    /// Positions of the variables \[rad or m\], inside their limits.
    pub positions: Vec<f64>,
    /// Velocities of the variables \[rad/s or m/s\].
    pub velocities: Vec<f64>,
    /// Accelerations of the variables \[rad/s² or m/s²\].
    pub accelerations: Vec<f64>,
}

/// Joint states at regular intervals, from rest to rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// One point per period, from time 0. Empty if no part of the path can be followed.
    pub points: Vec<TrajectoryPoint>,
    /// Maximum distance of the tip from the pose of the path at the same length, over the constrained axes \[m and
    /// rad\]. It is evaluated at the points, and at seven positions between consecutive points on the straight line
    /// in joint space. It exceeds the deviation of [`follow`](super::follow()) if points are [too far
    /// apart](Self::too_coarse).
    pub deviation: Residual,
    /// Maximum violation of each goal, in the order of the goals \[m or rad\], evaluated in the same places; empty
    /// without points.
    pub violations: Vec<f64>,
}

impl TrajectoryPoint {
    fn on_path(&self) -> PathConfiguration<'_> {
        PathConfiguration { length: self.length, positions: &self.positions }
    }

    /// Position, velocity and acceleration of a variable at a time between this point and the next.
    pub(super) fn interpolate(&self, next: &Self, variable: usize, time: f64) -> [f64; 3] {
        let at = |point: &Self| [point.positions[variable], point.velocities[variable], point.accelerations[variable]];
        quintic(at(self), at(next), next.time - self.time, time - self.time)
    }
}

/// Position, velocity and acceleration of the quintic Hermite polynomial through two states of position, velocity and
/// acceleration that are `step` apart, `since` after the first.
fn quintic(from: [f64; 3], to: [f64; 3], step: f64, since: f64) -> [f64; 3] {
    let x = since / step;
    let scaled = |state: [f64; 3]| [state[0], state[1] * step, state[2] * step * step];
    let ([p, v, a], end) = (scaled(from), scaled(to));
    // The difference of the second state from the parabola of the first.
    let (position, velocity, change) = (end[0] - p - v - 0.5 * a, end[1] - v - a, end[2] - a);
    let third = 10.0 * position - 4.0 * velocity + 0.5 * change;
    let fourth = -15.0 * position + 7.0 * velocity - change;
    let fifth = 6.0 * position - 3.0 * velocity + 0.5 * change;
    let at = p + x * (v + x * (0.5 * a + x * (third + x * (fourth + x * fifth))));
    let rate = v + x * (a + x * (3.0 * third + x * (4.0 * fourth + x * 5.0 * fifth)));
    let bend = a + x * (6.0 * third + x * (12.0 * fourth + x * 20.0 * fifth));
    [at, rate / step, bend / (step * step)]
}

impl Trajectory {
    /// The fastest trajectory along a followed path under the limits of speed and acceleration along the path, and of
    /// velocity, acceleration and jerk of each joint. It is at rest at its ends and at corners.
    ///
    /// `followed` is the result of [`follow`](super::follow()) for `problem`. See the [example](crate) of the crate.
    ///
    /// # Errors
    /// [`TimingError`] if a value of `timing` is not a finite number above 0, or there would be too many points.
    pub fn new(
        chain: &Chain,
        problem: &PathProblem,
        followed: &Followed,
        timing: &Timing,
    ) -> Result<Self, TimingError> {
        timing.check()?;
        let Some(curve) = &followed.curve else {
            return Ok(Self { points: Vec::new(), deviation: Residual::default(), violations: Vec::new() });
        };
        let still = vec![0.0; curve.variables];
        let mut points = vec![TrajectoryPoint {
            time: 0.0,
            length: 0.0,
            positions: curve.positions_at(0.0),
            velocities: still.clone(),
            accelerations: still,
        }];
        check_points(curve.length() / timing.speed / timing.period)?;
        for part in &curve.parts {
            add_part(&mut points, &SpeedProblem { chain, path: problem, timing, curve, part })?;
        }
        let PathErrors { tip: deviation, violations } = errors(chain, problem, &points);
        Ok(Self { points, deviation, violations })
    }

    /// A warning in one sentence if the points are too far apart: the deviation of `followed` is within `allowed` \[m
    /// and rad\], but that of the straight lines in joint space between the points is not. `None` otherwise.
    pub fn too_coarse(&self, followed: &Followed, allowed: &Tolerance) -> Option<String> {
        let [first, second, ..] = self.points.as_slice() else { return None };
        if ratio(&followed.deviation, allowed) > 1.0 || ratio(&self.deviation, allowed) <= 1.0 {
            return None;
        }
        let Residual { position, orientation } = self.deviation;
        Some(format!(
            "its points are {} s apart, and where the joints move evenly from each to the next, the tip leaves the path by up to \
             {position:.2e} m and {orientation:.2e} rad, of which {:.2e} m and {:.2e} rad are allowed: choose a shorter period",
            number(second.time - first.time),
            allowed.position,
            allowed.orientation
        ))
    }
}

/// Adds the points after one rest until the next: a whole number of periods, for which the motion is slowed a little.
fn add_part(points: &mut Vec<TrajectoryPoint>, problem: &SpeedProblem) -> Result<(), TimingError> {
    let profile = SpeedProfile::new(problem);
    let SpeedProblem { chain, timing, curve, part, .. } = problem;
    let periods = (profile.duration() / timing.period).ceil().max(1.0);
    #[expect(clippy::cast_precision_loss, reason = "no more than the points allowed")]
    let before = (points.len() - 1) as f64;
    check_points(before + periods + 1.0)?;
    let pace = profile.duration() / (periods * timing.period);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number, bounded above")]
    for period in 1..=periods as u32 {
        let period = f64::from(period);
        let progress = if period < periods {
            profile.at(period * timing.period * pace)
        } else {
            PathProgress { length: part.end(), speed: 0.0, acceleration: 0.0 }
        };
        let [positions, first, second, _] =
            curve.derivatives(part, part.basis.interval(progress.length), progress.length);
        let (speed, acceleration) = (progress.speed * pace, progress.acceleration * pace * pace);
        // Only rounding can exceed the limits.
        let inside = positions.iter().zip(chain.variables()).map(|(at, variable)| variable.domain.clamp(*at));
        let changes = first.iter().zip(&second);
        points.push(TrajectoryPoint {
            time: (before + period) * timing.period,
            length: progress.length,
            positions: inside.collect(),
            velocities: first.iter().map(|rate| rate * speed).collect(),
            accelerations: changes.map(|(rate, change)| rate * acceleration + change * speed * speed).collect(),
        });
    }
    Ok(())
}

/// The greatest errors at the points and between them.
fn errors(chain: &Chain, problem: &PathProblem, points: &[TrajectoryPoint]) -> PathErrors {
    let (mut deviation, mut greatest) = (PathDeviation::new(chain, problem), PathErrors::default());
    for point in points {
        greatest.include(&deviation.at(point.on_path()));
    }
    for pair in points.windows(2) {
        greatest.include(&deviation.between(pair[0].on_path(), pair[1].on_path()));
    }
    greatest
}
