//! Which jerks keep a joint within its limits, now and for ever.
//!
//! A joint may go on as long as it can still come to rest in time: below its velocity limit when its acceleration has ended, and before
//! its position limit when it has braked. A step is bounded so that this holds after it; so there is always a next step.

use super::constants::TINY;
use crate::MotionLimits;
use crate::braking_speed::braking_speed;
use crate::generator::JointState as Joints;
use crate::rates::Rates;
use urdf_ik_robot::{Chain, Domain, Variable};

/// The share of the limits of acceleration and jerk that braking counts on. The rest makes up for jerks that are constant over a step.
const SHARE: f64 = 0.9;

/// Limits of one joint.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub domain: Domain,
    pub velocity: f64,
    pub rates: Rates,
}

/// State of one joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

impl State {
    /// That of one of many joints.
    pub fn of(joints: &Joints, index: usize) -> Self {
        Self {
            position: joints.positions[index],
            velocity: joints.velocities[index],
            acceleration: joints.accelerations[index],
        }
    }

    /// The state after a time with constant jerk.
    pub fn after(self, time: f64, jerk: f64) -> Self {
        let Self { position, velocity, acceleration } = self;
        Self {
            position: position + time * (velocity + time * (0.5 * acceleration + time * jerk / 6.0)),
            velocity: velocity + time * (acceleration + time * 0.5 * jerk),
            acceleration: acceleration + time * jerk,
        }
    }

    fn mirrored(self) -> Self {
        Self { position: -self.position, velocity: -self.velocity, acceleration: -self.acceleration }
    }
}

impl Limits {
    /// The rates of a motion along `direction` in joint space that every joint can make.
    pub fn along<'a>(limits: &[Self], direction: impl IntoIterator<Item = &'a f64>) -> Rates {
        let mut rates = Rates { acceleration: f64::INFINITY, jerk: f64::INFINITY };
        for (limits, part) in limits.iter().zip(direction) {
            rates.acceleration = rates.acceleration.min(limits.rates.acceleration / part.abs());
            rates.jerk = rates.jerk.min(limits.rates.jerk / part.abs());
        }
        rates
    }

    /// The rates that each joint can make.
    pub fn least(limits: &[Self]) -> Rates {
        Self::along(limits, std::iter::repeat(&1.0))
    }

    /// The limits of each variable of a chain.
    pub fn of_chain(chain: &Chain, limits: &MotionLimits) -> Vec<Self> {
        let of = |(i, variable): (usize, &Variable)| Self {
            domain: variable.domain,
            velocity: limits.velocities[i],
            rates: Rates { acceleration: limits.accelerations[i], jerk: limits.jerks[i] },
        };
        chain.variables().iter().enumerate().map(of).collect()
    }

    /// The least and the greatest jerk for a step of `period` seconds from `state`. Where no jerk keeps all limits, both are the one that
    /// breaks them least.
    pub fn jerks(&self, state: State, period: f64) -> [f64; 2] {
        let (lower, upper) = self.ends();
        let greatest = self.greatest_jerk(state, upper, period);
        let least = -self.greatest_jerk(state.mirrored(), -lower, period);
        if least <= greatest { [least, greatest] } else { [0.5 * (least + greatest); 2] }
    }

    /// Room below and above a position.
    pub fn room(&self, position: f64) -> [f64; 2] {
        let (lower, upper) = self.ends();
        [position - lower, upper - position]
    }

    /// How fast the joint may be downwards and upwards, so that it comes to rest before its limits.
    pub fn braking_speeds(&self, position: f64) -> [f64; 2] {
        self.room(position).map(|room| braking_speed(room, self.rates))
    }

    fn ends(&self) -> (f64, f64) {
        match self.domain {
            Domain::Interval { lower, upper } => (lower, upper),
            Domain::Circle => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// The greatest jerk after which the joint can stay below its upper limits.
    fn greatest_jerk(&self, state: State, upper: f64, period: f64) -> f64 {
        let is_safe =
            |jerk: f64| self.is_safe(state.after(period, jerk), upper) && self.peaks_safely(state, jerk, period);
        greatest(-self.rates.jerk, self.rates.jerk, is_safe)
    }

    /// Whether the velocity keeps its limit within a step at whose end the acceleration has turned.
    fn peaks_safely(&self, state: State, jerk: f64, period: f64) -> bool {
        let turns = state.acceleration > 0.0 && state.acceleration + jerk * period < 0.0;
        !turns || state.velocity + 0.5 * state.acceleration.powi(2) / -jerk <= self.velocity * (1.0 + TINY)
    }

    /// Whether a joint can stay below its upper limits from that state on.
    fn is_safe(&self, State { position, velocity, acceleration }: State, upper: f64) -> bool {
        let braking = self.rates.times(SHARE);
        let peak = velocity + 0.5 * acceleration.max(0.0).powi(2) / braking.jerk;
        acceleration <= self.rates.acceleration * (1.0 + TINY)
            && peak <= self.velocity * (1.0 + TINY)
            && position + braking.stop(velocity, acceleration).0 <= upper + TINY
    }
}

/// The greatest value between `low` and `high` that is allowed, if less is always allowed; `low` where none is.
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
