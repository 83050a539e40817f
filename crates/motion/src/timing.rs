//! Speed and acceleration along a path, and the input that is refused.

use thiserror::Error;

use super::joint_curve::{CurvePart, JointCurve};
use super::path_problem::{PathProblem, first_not_positive};
use urdf_ik_robot::Chain;
use urdf_ik_text::names::number;
use urdf_ik_text::setters;

/// Maximum number of points of a trajectory.
const MAX_POINTS: f64 = 1e6;

/// Speed and acceleration along a path, and the sampling period of its trajectory. Validated by
/// [`Trajectory::new`](crate::Trajectory::new).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Timing {
    /// Maximum speed along the path \[m/s\]. It is lower where the limits of a joint require it.
    pub speed: f64,
    /// Maximum acceleration along the path \[m/s²\].
    pub acceleration: f64,
    /// Time between trajectory points \[s\].
    pub period: f64,
}

impl Default for Timing {
    /// 0.1 m/s, 0.5 m/s², 100 points per second.
    fn default() -> Self {
        Self { speed: 0.1, acceleration: 0.5, period: 0.01 }
    }
}

/// Why no trajectory can be computed for a followed path.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TimingError {
    /// A value is not a finite number above 0.
    #[error("the {what} is {}; it must be a finite number above 0", number(*value))]
    Value {
        /// Name of the value.
        what: &'static str,
        /// The invalid value \[m/s, m/s² or s\].
        value: f64,
    },
    /// It would have too many points.
    #[error(
        "the trajectory would have {} points; the most is {MAX_POINTS:.0}: use a higher speed or a longer period, or look \
         for a joint with a very low limit",
        number(points.round())
    )]
    TooLong {
        /// Number of points.
        points: f64,
    },
}

impl Timing {
    setters! {
        with_speed(speed: f64);
        with_acceleration(acceleration: f64);
        with_period(period: f64);
    }

    pub(super) fn check(&self) -> Result<(), TimingError> {
        let values = [("speed", self.speed), ("acceleration", self.acceleration), ("period", self.period)];
        first_not_positive(values).map_or(Ok(()), |(what, value)| Err(TimingError::Value { what, value }))
    }
}

/// Refuses more points than a trajectory can have.
pub(super) fn check_points(points: f64) -> Result<(), TimingError> {
    if points <= MAX_POINTS { Ok(()) } else { Err(TimingError::TooLong { points }) }
}

/// A smooth part of a path and the limits of its speed.
pub(super) struct SpeedProblem<'a> {
    pub(super) chain: &'a Chain,
    pub(super) path: &'a PathProblem<'a>,
    pub(super) timing: &'a Timing,
    pub(super) curve: &'a JointCurve,
    pub(super) part: &'a CurvePart,
}
