//! A trajectory along a followed path: points evenly in time.

use thiserror::Error;

use super::curve::Curve;
use super::followed::{Followed, larger};
use super::limits::MotionLimits;
use super::path::Path;
use super::speed_profile::SpeedProfile;
use super::tip_rates::TipRates;
use crate::robot::{Chain, ChainPoses};
use crate::solver::{Residual, Target};

/// Greatest number of points of a trajectory.
const MAX_POINTS: f64 = 1e6;

/// How fast the tip moves along a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Greatest speed along the path \[m/s\]. It is lower where the limits of a joint need that.
    pub speed: f64,
    /// Greatest acceleration along the path \[m/s²\].
    pub acceleration: f64,
    /// Time from point to point \[s\].
    pub period: f64,
}

impl Default for Timing {
    /// 0.1 m/s, 0.5 m/s², 100 points per second.
    fn default() -> Self {
        Self { speed: 0.1, acceleration: 0.5, period: 0.01 }
    }
}

/// Why there is no trajectory along a followed path.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TimingError {
    /// A value is not a finite number above 0.
    #[error("the {what} is {value}; it must be a finite number above 0")]
    Value {
        /// Which one.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// It would have too many points.
    #[error(
        "the trajectory would have {points:.0} points; the most is {MAX_POINTS:.0}: use a higher speed or a longer period"
    )]
    TooLong {
        /// How many it would have.
        points: f64,
    },
}

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
    /// points, and in the middle between them where the joints move evenly. It is more than [`follow`](super::follow()) allowed where points
    /// are far apart.
    pub deviation: Residual,
}

impl Trajectory {
    /// The trajectory along the part of `path` that `followed` covers: at a constant speed, with ramps, and at rest at corners. Velocities
    /// and accelerations are within their limits. Between two rests the speed is the greatest one that all points of that part allow, so
    /// that steps are even.
    ///
    /// `target` is that of [`follow`](super::follow()): it gives the tip and the free axes.
    ///
    /// # Errors
    /// [`TimingError`].
    pub fn new(
        chain: &Chain,
        target: &Target,
        path: &Path,
        followed: &Followed,
        limits: &MotionLimits,
        timing: &Timing,
    ) -> Result<Self, TimingError> {
        timing.check()?;
        let Some(first) = followed.knots.first() else {
            return Ok(Self { points: Vec::new(), deviation: Residual::default() });
        };
        let still = vec![0.0; first.positions.len()];
        let mut points = vec![TrajectoryPoint {
            time: 0.0,
            length: first.length,
            positions: first.positions.clone(),
            velocities: still.clone(),
            accelerations: still,
        }];
        let mut rates = TipRates::new(chain, target, path);
        for (start, end) in followed.smooth_parts() {
            add_smooth_part(&mut points, chain, &Curve::new(&followed.knots[start..=end], &mut rates), limits, timing)?;
        }
        let deviation = deviation(chain, target, path, &points);
        Ok(Self { points, deviation })
    }
}

impl Timing {
    fn check(&self) -> Result<(), TimingError> {
        for (what, value) in [("speed", self.speed), ("acceleration", self.acceleration), ("period", self.period)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(TimingError::Value { what, value });
            }
        }
        Ok(())
    }
}

/// The greatest speed and acceleration along the path that `limits` and `timing` allow on the whole curve.
///
/// A variable with the derivatives p' and p'' has the velocity p' v and the acceleration p' a + p'' v². At least half of its acceleration
/// limit is kept for the first term.
fn allowed(curve: &Curve, limits: &MotionLimits, timing: &Timing) -> (f64, f64) {
    let greatest: Vec<(f64, f64)> = (0..limits.velocities.len()).map(|variable| curve.greatest(variable)).collect();
    let all = || greatest.iter().zip(limits.velocities.iter().zip(&limits.accelerations));
    // Where a derivative is 0 any speed is allowed: the quotient is infinite, and `min` ignores it.
    let speed = all().fold(timing.speed, |speed, ((rate, curvature), (velocity, acceleration))| {
        speed.min(velocity / rate).min((0.5 * acceleration / curvature).sqrt())
    });
    let acceleration = all().fold(timing.acceleration, |most, ((rate, curvature), (_, acceleration))| {
        most.min((acceleration - curvature * speed * speed) / rate)
    });
    (speed, acceleration)
}

/// Adds the points after one rest until the next: a whole number of periods.
fn add_smooth_part(
    points: &mut Vec<TrajectoryPoint>,
    chain: &Chain,
    curve: &Curve,
    limits: &MotionLimits,
    timing: &Timing,
) -> Result<(), TimingError> {
    let (start, length) = curve.extent();
    let (speed, acceleration) = allowed(curve, limits, timing);
    let profile = SpeedProfile::new(length, speed, acceleration);
    let periods = (profile.duration() / timing.period).ceil().max(1.0);
    #[expect(clippy::cast_precision_loss, reason = "no more than the points allowed")]
    let before = (points.len() - 1) as f64;
    if periods.is_nan() || before + periods >= MAX_POINTS {
        return Err(TimingError::TooLong { points: before + periods + 1.0 });
    }
    let profile = profile.stretched(periods * timing.period);
    let variables = chain.variables();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number, bounded above")]
    for period in 1..=periods as u32 {
        // The last point is exactly at rest.
        let period = f64::from(period);
        let time = if period == periods { profile.duration() } else { period * timing.period };
        let progress = profile.at(time);
        let mut point = TrajectoryPoint {
            time: (before + period) * timing.period,
            length: start + progress.length,
            positions: Vec::with_capacity(variables.len()),
            velocities: Vec::with_capacity(variables.len()),
            accelerations: Vec::with_capacity(variables.len()),
        };
        for (index, variable) in variables.iter().enumerate() {
            let sample = curve.at(point.length, index);
            // Between knots at a limit, the curve may be outside the limit by rounding errors.
            point.positions.push(variable.domain.clamp(sample.position));
            point.velocities.push(sample.rate * progress.speed);
            let curvature = sample.curvature * progress.speed * progress.speed;
            point.accelerations.push(sample.rate * progress.acceleration + curvature);
        }
        points.push(point);
    }
    Ok(())
}

fn deviation(chain: &Chain, target: &Target, path: &Path, points: &[TrajectoryPoint]) -> Residual {
    let mut poses = ChainPoses::new(chain);
    let mut residual = |length: f64, positions: &[f64]| {
        chain.forward_kinematics(positions, &mut poses);
        Target { pose: path.pose_at(length), ..*target }.residual(&poses.tips()[target.tip])
    };
    let at_points = points.iter().map(|point| (point.length, point.positions.clone()));
    let between = points.windows(2).map(|pair| {
        let middle = pair[0].positions.iter().zip(&pair[1].positions).map(|(a, b)| 0.5 * (a + b)).collect();
        (0.5 * (pair[0].length + pair[1].length), middle)
    });
    let all = at_points.chain(between);
    all.fold(Residual::default(), |worst, (length, positions)| larger(worst, residual(length, &positions)))
}
