//! How one velocity becomes another: on a straight line, within limits of acceleration and jerk.

use super::braking_speed::{APPROACH_PERIODS, approach};
use super::jerk_bounds::Limits;
use urdf_ik_mathematics::vectors::{length, normalise};

/// The share of the joints' limits that a ramp uses. The rest is for the curvature of the motion.
const SHARE: f64 = 0.85;
/// Velocities below this \[rad/s or m/s\] are nothing.
const NOTHING: f64 = 1e-9;

/// A velocity of many entries that follows what is commanded.
#[derive(Debug, Clone)]
pub struct Ramp {
    pub velocity: Vec<f64>,
    /// Its derivative.
    pub acceleration: Vec<f64>,
    /// From the velocity to the goal, and from the acceleration to the wanted one.
    difference: Vec<f64>,
}

/// Greatest rates in a direction: how fast the velocity may change, and how fast that may change.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    pub acceleration: f64,
    pub jerk: f64,
}

impl Rates {
    /// What the limits of the joints allow where each of them has that share of the rate.
    pub fn of_shares(limits: &[Limits], shares: impl Iterator<Item = f64>) -> Self {
        let mut rates = Self { acceleration: f64::MAX, jerk: f64::MAX };
        for (limits, share) in limits.iter().zip(shares) {
            rates.acceleration = rates.acceleration.min(limits.acceleration / share.abs());
            rates.jerk = rates.jerk.min(limits.jerk / share.abs());
        }
        rates
    }

    /// The rates of a motion that is so many times faster than the line.
    pub fn at_pace(self, pace: f64) -> Self {
        Self { acceleration: self.acceleration * pace.powi(2), jerk: self.jerk * pace.powi(3) }
    }

    /// A share of them.
    pub fn times(self, share: f64) -> Self {
        Self { acceleration: self.acceleration * share, jerk: self.jerk * share }
    }
}

impl Ramp {
    pub fn new(size: usize) -> Self {
        Self { velocity: vec![0.0; size], acceleration: vec![0.0; size], difference: vec![0.0; size] }
    }

    /// Begins with a velocity that stays.
    pub fn begin_at(&mut self, goal: &[f64]) {
        self.velocity.copy_from_slice(goal);
        self.acceleration.fill(0.0);
    }

    /// Whether it is at the goal, and stays there.
    pub fn is_at(&self, goal: &[f64]) -> bool {
        self.velocity == goal && self.acceleration.iter().all(|entry| *entry == 0.0)
    }

    /// Goes on for `period` seconds towards `goal`. `rates` tells what the joints allow for a unit vector.
    pub fn advance(&mut self, goal: &[f64], period: f64, mut rates: impl FnMut(&[f64]) -> Rates) {
        let Self { velocity, acceleration, difference } = self;
        // To where the velocity would be after the period, so that the last steps end without a swing.
        for i in 0..goal.len() {
            difference[i] = goal[i] - velocity[i] - 0.5 * period * acceleration[i];
        }
        let left = normalise(difference);
        if left <= NOTHING && length(acceleration) * period <= NOTHING {
            velocity.copy_from_slice(goal);
            acceleration.fill(0.0);
            return;
        }
        let allowed = rates(difference);
        let (most, jerk) = (SHARE * allowed.acceleration, SHARE * allowed.jerk);
        let end = APPROACH_PERIODS * period;
        let wanted = approach(left, jerk, end).min(most);
        for (difference, acceleration) in difference.iter_mut().zip(&*acceleration) {
            *difference = *difference * wanted - acceleration;
        }
        let change = normalise(difference);
        let step = change.min(SHARE * rates(difference).jerk * period);
        for i in 0..goal.len() {
            let next = acceleration[i] + step * difference[i];
            velocity[i] += 0.5 * period * (acceleration[i] + next);
            acceleration[i] = next;
        }
    }
}
