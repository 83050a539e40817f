//! A trajectory along a followed path: points evenly in time.

use super::path_problem::{Followed, PathProblem, larger, ratio};
use super::speed_profile::{Progress, SpeedProfile};
use super::timing::{SpeedProblem, Timing, TimingError, check_points};
use super::tip::{OnPath, TipDistance};
use urdf_ik_robot::Chain;
use urdf_ik_solver::{Residual, Tolerance};
use urdf_ik_text::names::number;

/// The configuration at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct TrajectoryPoint {
    /// Time from the start \[s\].
    pub time: f64,
    /// Length of the path before it \[m\].
    pub length: f64,
    /// Positions of the chain's variables \[rad or m\], inside their limits.
    pub positions: Vec<f64>,
    /// Their velocities \[rad/s or m/s\].
    pub velocities: Vec<f64>,
    /// Their accelerations \[rad/s² or m/s²\].
    pub accelerations: Vec<f64>,
}

/// Joint positions at even times, from rest to rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// One point each period, from time 0 on. Empty where nothing of the path can be followed.
    pub points: Vec<TrajectoryPoint>,
    /// Greatest distance of the tip from the pose of the path at the same length, over the axes that are not free. It is measured at the
    /// points, and at seven places between each two, where the joints move evenly. It is more than [`follow`](super::follow()) allowed where
    /// points are [too far apart](Self::too_coarse).
    pub deviation: Residual,
}

impl TrajectoryPoint {
    fn place(&self) -> OnPath<'_> {
        OnPath { length: self.length, positions: &self.positions }
    }

    /// Position, velocity and acceleration of a variable at a time between this point and the next.
    pub(super) fn towards(&self, next: &Self, variable: usize, time: f64) -> [f64; 3] {
        let at = |point: &Self| [point.positions[variable], point.velocities[variable], point.accelerations[variable]];
        quintic(at(self), at(next), next.time - self.time, time - self.time)
    }
}

/// The polynomial of degree five (Hermite) through two states of position, velocity and acceleration, which are `step` apart, `since` after
/// the first.
fn quintic(from: [f64; 3], to: [f64; 3], step: f64, since: f64) -> [f64; 3] {
    let x = since / step;
    let scaled = |state: [f64; 3]| [state[0], state[1] * step, state[2] * step * step];
    let ([p, v, a], end) = (scaled(from), scaled(to));
    // What the parabola from the first state misses of the second.
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
    /// The fastest trajectory along a followed path that keeps the speed and the acceleration along the path, and the limits of each joint's
    /// velocity, acceleration and jerk. It is at rest at its ends and at corners.
    ///
    /// `problem` is that of [`follow`](super::follow()).
    ///
    /// # Errors
    /// [`TimingError`].
    pub fn new(
        chain: &Chain,
        problem: &PathProblem,
        followed: &Followed,
        timing: &Timing,
    ) -> Result<Self, TimingError> {
        timing.check()?;
        let Some(curve) = &followed.curve else {
            return Ok(Self { points: Vec::new(), deviation: Residual::default() });
        };
        let still = vec![0.0; curve.variables()];
        let mut points = vec![TrajectoryPoint {
            time: 0.0,
            length: 0.0,
            positions: curve.positions_at(0.0),
            velocities: still.clone(),
            accelerations: still,
        }];
        check_points(curve.length() / timing.speed / timing.period)?;
        for part in curve.parts() {
            add_part(&mut points, &SpeedProblem { chain, path: problem, timing, part })?;
        }
        let deviation = deviation(chain, problem, &points);
        Ok(Self { points, deviation })
    }

    /// A sentence where its points are too far apart: along `followed` the tip keeps to what was `allowed` there, but not where the joints move
    /// evenly from each point to the next. `None` where they are near enough.
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

/// Adds the points after one rest until the next: a whole number of periods, for which time passes a little more slowly.
fn add_part(points: &mut Vec<TrajectoryPoint>, problem: &SpeedProblem) -> Result<(), TimingError> {
    let profile = SpeedProfile::new(problem);
    let SpeedProblem { chain, timing, part, .. } = problem;
    let periods = (profile.duration() / timing.period).ceil().max(1.0);
    #[expect(clippy::cast_precision_loss, reason = "no more than the points allowed")]
    let before = (points.len() - 1) as f64;
    check_points(before + periods + 1.0)?;
    let pace = profile.duration() / (periods * timing.period);
    let mut joints = part.derivatives();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number, bounded above")]
    for period in 1..=periods as u32 {
        let period = f64::from(period);
        let progress = if period < periods {
            profile.at(period * timing.period * pace)
        } else {
            Progress { length: part.end(), speed: 0.0, acceleration: 0.0 }
        };
        part.at(part.basis.interval(progress.length), progress.length, &mut joints);
        let [positions, first, second, _] = &joints;
        let (speed, acceleration) = (progress.speed * pace, progress.acceleration * pace * pace);
        // The curve is inside the limits but for rounding.
        let inside = positions.iter().zip(chain.variables()).map(|(at, variable)| variable.domain.clamp(*at));
        points.push(TrajectoryPoint {
            time: (before + period) * timing.period,
            length: progress.length,
            positions: inside.collect(),
            velocities: first.iter().map(|rate| rate * speed).collect(),
            accelerations: first
                .iter()
                .zip(second)
                .map(|(rate, change)| rate * acceleration + change * speed * speed)
                .collect(),
        });
    }
    Ok(())
}

fn deviation(chain: &Chain, problem: &PathProblem, points: &[TrajectoryPoint]) -> Residual {
    let mut distance = TipDistance::new(chain, problem);
    let at_points = points.iter().fold(Residual::default(), |worst, point| larger(worst, distance.at(point.place())));
    points.windows(2).fold(at_points, |worst, pair| larger(worst, distance.between(pair[0].place(), pair[1].place())))
}
