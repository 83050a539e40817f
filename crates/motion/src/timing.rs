//! How fast the tip moves along a path, and which input is refused.

use thiserror::Error;

use super::joint_curve::SmoothPart;
use super::path_problem::PathProblem;
use urdf_ik_robot::Chain;
use urdf_ik_text::names::number;

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
    #[error("the {what} is {}; it must be a finite number above 0", number(*value))]
    Value {
        /// Which one.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// It would have too many points.
    #[error(
        "the trajectory would have {} points; the most is {MAX_POINTS:.0}: use a higher speed or a longer period, or look \
         for a joint with a very low limit",
        number(points.round())
    )]
    TooLong {
        /// How many it would have.
        points: f64,
    },
}

impl Timing {
    pub(super) fn check(&self) -> Result<(), TimingError> {
        for (what, value) in [("speed", self.speed), ("acceleration", self.acceleration), ("period", self.period)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(TimingError::Value { what, value });
            }
        }
        Ok(())
    }
}

/// Refuses more points than a trajectory can have.
pub(super) fn check_points(points: f64) -> Result<(), TimingError> {
    if points <= MAX_POINTS { Ok(()) } else { Err(TimingError::TooLong { points }) }
}

/// A smooth part of a path whose speed is sought.
pub(super) struct SpeedProblem<'a> {
    pub(super) chain: &'a Chain,
    pub(super) path: &'a PathProblem<'a>,
    pub(super) timing: &'a Timing,
    pub(super) part: SmoothPart<'a>,
}
