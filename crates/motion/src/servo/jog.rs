//! Joints that are commanded themselves: velocities on a ramp, inside their limits.

use super::jerk_bounds::{Limits, State};
use super::ramp::{Ramp, Rates};
use crate::generator::JointState as Joints;

/// Leads joints to velocities.
#[derive(Debug, Clone)]
pub struct Jog {
    ramp: Ramp,
    goal: Vec<f64>,
    /// The joint that its limit of positions holds back.
    pub limit: Option<usize>,
}

/// Slower than this the joints are put to rest \[rad/s or m/s\].
const AT_REST: f64 = 1e-9;

/// Whether each joint may go on from there by itself: it can come to rest within its limits.
pub fn may_begin(now: &Joints, limits: &[Limits]) -> bool {
    limits.iter().enumerate().all(|(i, limits)| limits.can_rest(State::of(now, i)))
}

impl Jog {
    pub fn new(variables: usize) -> Self {
        Self { ramp: Ramp::new(variables), goal: vec![0.0; variables], limit: None }
    }

    /// Writes the next state on the way to rest.
    pub fn stop(&mut self, now: &Joints, limits: &[Limits], period: f64, next: &mut Joints) {
        self.goal.fill(0.0);
        self.advance(now, limits, period, next);
    }

    /// Writes the next state on the way to `velocities`.
    pub fn follow(&mut self, velocities: &[f64], now: &Joints, limits: &[Limits], period: f64, next: &mut Joints) {
        for (i, limits) in limits.iter().enumerate() {
            let [down, up] = limits.braking_speeds(now.positions[i]);
            let wanted = velocities[i].clamp(-limits.velocity, limits.velocity);
            self.goal[i] = wanted.max(-down).min(up);
            if self.goal[i] != wanted && self.limit.is_none() {
                self.limit = Some(i);
            }
        }
        self.advance(now, limits, period, next);
    }

    fn advance(&mut self, now: &Joints, limits: &[Limits], period: f64, next: &mut Joints) {
        self.ramp.velocity.copy_from_slice(&now.velocities);
        self.ramp.acceleration.copy_from_slice(&now.accelerations);
        self.ramp.advance(&self.goal, period, |direction| Rates::of_shares(limits, direction.iter().copied()));
        let mut moves = false;
        for (i, limits) in limits.iter().enumerate() {
            let state = State::of(now, i);
            let [least, greatest] = limits.jerks(state, period);
            let wanted = (self.ramp.acceleration[i] - state.acceleration) / period;
            let after = state.after(period, wanted.max(least).min(greatest));
            // Only rounding can bring it outside.
            next.positions[i] = limits.domain.clamp(after.position);
            (next.velocities[i], next.accelerations[i]) = (after.velocity, after.acceleration);
            moves |= after.velocity.abs() > AT_REST || self.goal[i].abs() > AT_REST;
        }
        if !moves {
            next.velocities.fill(0.0);
            next.accelerations.fill(0.0);
        }
    }
}
