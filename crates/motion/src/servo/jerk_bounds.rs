//! Which jerks keep a joint within its limits, now and for ever.
//!
//! A joint may go on as long as it can still come to rest in time: below its velocity limit when its acceleration has ended, and before
//! its position limit when it has braked. A step is bounded so that this holds after it; so there is always a next step.

use crate::MotionLimits;
use crate::braking_speed::braking_speed;
use crate::contact_rows::BrakingLimits;
use crate::generator::JointState as Joints;
use urdf_ik_robot::{Chain, Domain, Variable};

/// The share of the limits of acceleration and jerk that braking counts on. The rest makes up for jerks that are constant over a step.
const SHARE: f64 = 0.9;
/// Bisections of the jerk: the last changes it by a billionth of its limit.
const BISECTIONS: usize = 30;
/// Rounding of positions \[rad or m\] and of the other quantities, relative to their limits.
const ROUNDING: f64 = 1e-12;

/// Limits of one joint.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub domain: Domain,
    pub velocity: f64,
    pub acceleration: f64,
    pub jerk: f64,
}

/// State of one joint, or of what goes along a curve.
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
    /// What all joints can brake with.
    pub fn least_braking(limits: &[Self]) -> BrakingLimits {
        let least = |limit: fn(&Self) -> f64| limits.iter().map(limit).fold(f64::INFINITY, f64::min);
        BrakingLimits { acceleration: least(|limits| limits.acceleration), jerk: least(|limits| limits.jerk) }
    }

    /// The limits of each variable of a chain.
    pub fn of_chain(chain: &Chain, limits: &MotionLimits) -> Vec<Self> {
        let of = |(i, variable): (usize, &Variable)| Self {
            domain: variable.domain,
            velocity: limits.velocities[i],
            acceleration: limits.accelerations[i],
            jerk: limits.jerks[i],
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
        self.room(position).map(|room| braking_speed(room, self.acceleration, self.jerk))
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
        if is_safe(self.jerk) {
            return self.jerk;
        }
        let (mut safe, mut unsafe_) = (-self.jerk, self.jerk);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (safe + unsafe_);
            if is_safe(middle) {
                safe = middle;
            } else {
                unsafe_ = middle;
            }
        }
        safe
    }

    /// Whether the velocity keeps its limit within a step at whose end the acceleration has turned.
    fn peaks_safely(&self, state: State, jerk: f64, period: f64) -> bool {
        let turns = state.acceleration > 0.0 && state.acceleration + jerk * period < 0.0;
        !turns || state.velocity + 0.5 * state.acceleration.powi(2) / -jerk <= self.velocity * (1.0 + ROUNDING)
    }

    /// Whether a joint can stay below its upper limits from that state on.
    fn is_safe(&self, state: State, upper: f64) -> bool {
        let jerk = SHARE * self.jerk;
        let peak = state.velocity + 0.5 * state.acceleration.max(0.0).powi(2) / jerk;
        state.acceleration <= self.acceleration * (1.0 + ROUNDING)
            && peak <= self.velocity * (1.0 + ROUNDING)
            && self.farthest(state, jerk) <= upper + ROUNDING
    }

    /// The farthest position of a joint that comes to rest as fast as it can.
    fn farthest(&self, state: State, jerk: f64) -> f64 {
        let State { position, velocity, acceleration } = state;
        if velocity + 0.5 * acceleration * acceleration.abs() / jerk <= 0.0 {
            return turning_point(state, jerk);
        }
        // The deceleration grows to its peak, stays, and ends.
        let peak = (0.5 * acceleration * acceleration + jerk * velocity).max(0.0).sqrt();
        let peak = peak.min(SHARE * self.acceleration).max(-acceleration);
        let growing = state.after((acceleration + peak) / jerk, -jerk);
        let ending = 0.5 * peak * peak / jerk;
        let staying = if peak > 0.0 { ((growing.velocity - ending) / peak).max(0.0) } else { 0.0 };
        let stayed = growing.after(staying, 0.0);
        let end = stayed.after(peak / jerk, jerk);
        end.position.max(position)
    }
}

/// The farthest position of a joint that already brakes more than it needs to come to rest, or moves away.
fn turning_point(state: State, jerk: f64) -> f64 {
    let State { position, velocity, acceleration } = state;
    if velocity <= 0.0 {
        return position;
    }
    // The deceleration ends; before it has, the joint turns back.
    let root = (acceleration * acceleration - 2.0 * jerk * velocity).max(0.0).sqrt();
    state.after((-acceleration - root) / jerk, jerk).position
}

#[cfg(test)]
mod tests;
