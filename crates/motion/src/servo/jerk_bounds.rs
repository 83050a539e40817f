//! Which jerks keep a joint within its limits, now and for ever.
//!
//! A joint may go on as long as it can still come to rest in time: below its velocity limit when its acceleration has
//! ended, and before its position limit when it has braked. A step is bounded so that this holds after it; so there is
//! always a next step.

use std::borrow::Borrow;

use super::constants::{PLANNED, TINY};
use crate::MotionLimits;
use crate::rates::{Rates, after};
use urdf_ik_robot::{Chain, Domain, Variable};

/// Limits of one joint. Its states are arrays of position \[rad or m\], velocity \[rad/s or m/s\] and acceleration
/// \[rad/s² or m/s²\].
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Position limits \[rad or m\].
    pub domain: Domain,
    /// Maximum velocity \[rad/s or m/s\].
    pub velocity: f64,
    /// Maximum acceleration and jerk.
    pub rates: Rates,
}

impl Limits {
    /// Maximum acceleration and jerk of a motion along the unit vector `direction` in joint space (n entries), such
    /// that every joint keeps its limits.
    pub fn along(limits: &[Self], direction: impl IntoIterator<Item = impl Borrow<f64>>) -> Rates {
        let mut rates = Rates::UNLIMITED;
        for (limits, part) in limits.iter().zip(direction) {
            let part = part.borrow().abs();
            rates.acceleration = rates.acceleration.min(limits.rates.acceleration / part);
            rates.jerk = rates.jerk.min(limits.rates.jerk / part);
        }
        rates
    }

    /// Maximum acceleration and jerk that every joint can reach: the least of all joints.
    pub fn least(limits: &[Self]) -> Rates {
        Self::along(limits, std::iter::repeat(1.0))
    }

    /// The limits of each of the chain's n variables.
    pub fn of_chain(chain: &Chain, limits: &MotionLimits) -> Vec<Self> {
        let of = |(i, variable): (usize, &Variable)| Self {
            domain: variable.domain,
            velocity: limits.velocities[i],
            rates: Rates { acceleration: limits.accelerations[i], jerk: limits.jerks[i] },
        };
        chain.variables().iter().enumerate().map(of).collect()
    }

    /// The least, then the greatest jerk \[rad/s³ or m/s³\] for a step of `period` \[s\] from `state`. Where no jerk
    /// keeps all limits, both are the one that breaks them least.
    pub fn jerks(&self, state: [f64; 3], period: f64) -> [f64; 2] {
        let [lower, upper] = self.domain.ends();
        let greatest = self.greatest_jerk(state, upper, period);
        let least = -self.greatest_jerk(state.map(|value| -value), -lower, period);
        if least <= greatest { [least, greatest] } else { [0.5 * (least + greatest); 2] }
    }

    /// Distance from `position` \[rad or m\] to the lower, then to the upper limit \[rad or m\].
    pub fn room(&self, position: f64) -> [f64; 2] {
        let [lower, upper] = self.domain.ends();
        [position - lower, upper - position]
    }

    /// The state after a step of `period` \[s\] from `state` with constant `jerk` \[rad/s³ or m/s³\]. The position is
    /// clamped to the limits, which only rounding should exceed.
    pub fn after(&self, state: [f64; 3], period: f64, jerk: f64) -> [f64; 3] {
        let [position, velocity, acceleration] = after(state, period, jerk);
        [self.domain.clamp(position), velocity, acceleration]
    }

    /// The greatest jerk after which the joint can stay below its upper limits.
    fn greatest_jerk(&self, state: [f64; 3], upper: f64, period: f64) -> f64 {
        greatest(-self.rates.jerk, self.rates.jerk, |jerk| self.is_safe(after(state, period, jerk), upper, period))
    }

    /// Whether a joint can stay below its upper limits from that state on. The jerk is constant over a step, so the
    /// last part of an acceleration takes a whole step to end: the velocity stays at its limit without an oscillation.
    fn is_safe(&self, [position, velocity, acceleration]: [f64; 3], upper: f64, period: f64) -> bool {
        let braking = self.rates.times(PLANNED);
        let rise = acceleration.max(0.0);
        let jerk = self.rates.jerk;
        let last = rise % (jerk * period);
        let peak = velocity + 0.5 * ((rise.powi(2) - last.powi(2)) / jerk + last * period);
        acceleration <= self.rates.acceleration * (1.0 + TINY)
            && peak <= self.velocity * (1.0 + TINY)
            && position + braking.stop(velocity, acceleration).0 <= upper + TINY
    }
}

/// The greatest value from `low` to `high` that is allowed, found by bisection: all values below an allowed one must be
/// allowed. `low` if none is.
pub fn greatest(mut low: f64, mut high: f64, is_allowed: impl Fn(f64) -> bool) -> f64 {
    if is_allowed(high) {
        return high;
    }
    let tolerance = TINY * (high - low);
    let mut middle = 0.5 * (low + high);
    // In a narrow interval the middle is soon an end by rounding.
    while high - low > tolerance && low < middle && middle < high {
        *(if is_allowed(middle) { &mut low } else { &mut high }) = middle;
        middle = 0.5 * (low + high);
    }
    low
}

#[cfg(test)]
mod tests;
