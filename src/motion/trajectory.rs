//! A followed path, evenly in time.

use thiserror::Error;

use super::curve::Curve;
use super::follow::{Followed, larger};
use super::limits::MotionLimits;
use super::path::Path;
use super::profile::Profile;
use super::rates::TipRates;
use crate::robot::{Chain, ChainPoses};
use crate::solver::{Residual, Target};

/// Points that a trajectory may have.
const MOST_POINTS: f64 = 1e6;

/// How fast a path is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Speed along the path at most \[m/s\]. Slower where a joint's limits ask for it.
    pub speed: f64,
    /// Acceleration along the path at most \[m/s²\].
    pub acceleration: f64,
    /// Time from point to point \[s\].
    pub period: f64,
}

impl Default for Timing {
    /// 0.1 m/s, 0.5 m/s², a hundred points a second.
    fn default() -> Self {
        Self { speed: 0.1, acceleration: 0.5, period: 0.01 }
    }
}

/// Why a followed path makes no trajectory.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TimingError {
    /// A value that is not a finite number above 0.
    #[error("the {what} is {value}; it must be a finite number above 0")]
    Value {
        /// Which one.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// It would take too many points.
    #[error(
        "the trajectory would have {points:.0} points; it may have {MOST_POINTS:.0}: ask for more speed or a longer period"
    )]
    TooLong {
        /// How many it would have.
        points: f64,
    },
}

/// The arm at one time.
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

/// Joint positions evenly in time, from rest to rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// The arm from time 0 on, one period after the other; empty where nothing of the path is achieved.
    pub points: Vec<TrajectoryPoint>,
    /// Largest distance of the tip from the path's pose at the same length, at the points and half-way between them where joints go
    /// evenly from one to the next, over the axes that count. More than what was asked of [`follow`](super::follow()) where points lie far
    /// apart.
    pub deviation: Residual,
}

impl Trajectory {
    /// What `followed` achieved of `path`, at a constant speed with a ramp up and down, and at rest at its corners. No velocity is
    /// above its limit, nor any acceleration that has one. Between two rests the speed is the greatest that all of that stretch
    /// allows: one hard place slows the stretch, so that steps stay even.
    ///
    /// `target` is that of [`follow`](super::follow()), for the axes that count.
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
        for (start, end) in followed.stretches() {
            add_stretch(&mut points, chain, &Curve::new(&followed.knots[start..=end], &mut rates), limits, timing)?;
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

/// The greatest speed and acceleration along the path that limits and `timing` allow all along the curve.
///
/// A variable with rate p' and bend p'' has the velocity p' v and the acceleration p' a + p'' v²: half of what it may is kept for
/// the first term at least.
fn allowed(curve: &Curve, limits: &MotionLimits, timing: &Timing) -> (f64, f64) {
    let greatest: Vec<(f64, f64)> = (0..limits.velocities.len()).map(|variable| curve.greatest(variable)).collect();
    let all = || greatest.iter().zip(limits.velocities.iter().zip(&limits.accelerations));
    // Of no rate or bend, any speed is allowed: a quotient by 0 is infinite, and `min` passes over it.
    let speed = all().fold(timing.speed, |speed, ((rate, bend), (velocity, acceleration))| {
        speed.min(velocity / rate).min((0.5 * acceleration / bend).sqrt())
    });
    let acceleration = all().fold(timing.acceleration, |most, ((rate, bend), (_, acceleration))| {
        most.min((acceleration - bend * speed * speed) / rate)
    });
    (speed, acceleration)
}

/// The points from one rest, which is there, to the next: a whole number of periods.
fn add_stretch(
    points: &mut Vec<TrajectoryPoint>,
    chain: &Chain,
    curve: &Curve,
    limits: &MotionLimits,
    timing: &Timing,
) -> Result<(), TimingError> {
    let (start, length) = curve.extent();
    let (speed, acceleration) = allowed(curve, limits, timing);
    let profile = Profile::new(length, speed, acceleration);
    let periods = (profile.duration() / timing.period).ceil().max(1.0);
    #[expect(clippy::cast_precision_loss, reason = "no more than the points allowed")]
    let before = (points.len() - 1) as f64;
    if periods.is_nan() || before + periods >= MOST_POINTS {
        return Err(TimingError::TooLong { points: before + periods + 1.0 });
    }
    let profile = profile.stretched(periods * timing.period);
    let variables = chain.variables();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number, bounded above")]
    for period in 1..=periods as u32 {
        // The last of them is at rest to the bit.
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
            // Between knots at a limit, the curve may pass it by next to nothing.
            point.positions.push(variable.domain.clamp(sample.position));
            point.velocities.push(sample.rate * progress.speed);
            let bend = sample.bend * progress.speed * progress.speed;
            point.accelerations.push(sample.rate * progress.acceleration + bend);
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
