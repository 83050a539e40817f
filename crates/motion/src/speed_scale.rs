//! Speed scaling: the time of a motion passes more slowly than the clock, so the joints keep their path and all of
//! their limits.
//!
//! Every motion keeps its path, so a collision-free path remains one. A stop takes over the velocities at the current
//! pace and then runs with the clock.

use super::braking_speed::{APPROACH_PERIODS, approach};
use super::generator::Pace;
use super::joint_motion::JointMotion;
use super::limits::MotionLimits;

/// Ramps the speed scale of a motion towards a goal that may change at any time.
///
/// During a change, velocities and accelerations of the joints stay within their limits, with two exceptions: 5 % of
/// the velocity if a stop interrupts the change, and half the acceleration if that may reverse within a period.
/// Accelerations are continuous: jerks stay within six times their limits. At rest, the scale changes immediately.
#[derive(Debug, Clone, Copy)]
pub struct SpeedScale {
    pace: Pace,
    is_suspended: bool,
}

/// Bounds of the change of the scale, from the limits of the joints.
struct RateBounds {
    /// Bounds of its rate \[1/s\].
    least: f64,
    greatest: f64,
    /// Bound of the derivative of the rate \[1/s²\].
    change: f64,
}

impl Default for SpeedScale {
    fn default() -> Self {
        Self { pace: Pace::FULL, is_suspended: false }
    }
}

impl SpeedScale {
    /// The current pace.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Sets the full pace until [`SpeedScale::resume`], for a motion that must not be slowed down, such as a stop.
    /// Returns the previous pace if it was not full; the caller must then call [`JointMotion::use_pace`] with it.
    pub fn suspend(&mut self) -> Option<Pace> {
        self.is_suspended = true;
        Some(std::mem::replace(&mut self.pace, Pace::FULL)).filter(|pace| *pace != Pace::FULL)
    }

    /// Resumes scaling after [`SpeedScale::suspend`].
    pub fn resume(&mut self) {
        self.is_suspended = false;
    }

    /// Advances the scale towards `goal`, from 0 to 1, for `period` \[s\] of clock time, so that `motion` stays within
    /// `limits`. Returns the elapsed motion time \[s\].
    pub fn advance(&mut self, goal: f64, period: f64, motion: &JointMotion, limits: &MotionLimits) -> f64 {
        if self.is_suspended || period <= 0.0 {
            return period;
        }
        let before = self.pace.scale;
        self.pace = RateBounds::new(before, period, motion, limits).next(self.pace, goal, period);
        0.5 * (before + self.pace.scale) * period
    }
}

impl RateBounds {
    /// At `scale` s the velocities v and accelerations a of the motion become s v and s² a + s' v, and the jerks j
    /// become s³ j + 3 s s' a + s'' v. The last two terms may use half of the limit each.
    fn new(scale: f64, period: f64, motion: &JointMotion, limits: &MotionLimits) -> Self {
        let mut bounds = Self { least: f64::NEG_INFINITY, greatest: f64::INFINITY, change: f64::INFINITY };
        let rates = motion.velocities().iter().zip(motion.accelerations());
        for ((velocity, acceleration), (most, jerk)) in rates.zip(limits.accelerations.iter().zip(&limits.jerks)) {
            let (speed, along) = (velocity.abs(), acceleration * velocity.signum());
            // Change of the acceleration within the period. It must leave a margin even for long periods.
            let change = (jerk * scale * period).min(0.5 * most);
            let [least, greatest] = [(along - change).max(-most), (along + change).min(*most)];
            // Speed after the period, including the acceleration by the change of the scale.
            let speed_after = speed + 1.5 * most.min(along.abs() + change) * period;
            let turning = 0.5 * jerk / (3.0 * scale * acceleration.abs());
            bounds.least = bounds.least.max((-most - scale * scale * least) / speed_after).max(-turning);
            bounds.greatest = bounds.greatest.min((most - scale * scale * greatest) / speed_after).min(turning);
            bounds.change = bounds.change.min(0.5 * jerk / speed);
        }
        bounds
    }

    /// The pace after a period on the way to `goal`.
    fn next(&self, Pace { scale, rate }: Pace, goal: f64, period: f64) -> Pace {
        let (left, change) = (goal - scale, self.change * period);
        let at_once = left / period;
        let is_smooth = at_once.abs() <= change && (at_once - rate).abs() <= change;
        if is_smooth && (self.least..=self.greatest).contains(&at_once) {
            return Pace { scale: goal, rate: 0.0 };
        }
        let wanted = approach(left.abs(), self.change, APPROACH_PERIODS * period) * left.signum();
        let rate = wanted.clamp(rate - change, rate + change).max(self.least).min(self.greatest);
        // The change may take longer than planned where the joints accelerate meanwhile.
        let scale = (scale + period * rate).clamp(0.0, 1.0);
        Pace { scale, rate }
    }
}
