//! Leads the joints to the velocities that they are to have.
//!
//! - Usually these change slowly, and jerks that reach them the time ahead follow them without a lag.
//! - Where such a jerk is too great for a joint, the motion as a whole is changed along its way, so that the tips stay on theirs.
//! - Velocities that are far away need a plan for the end of the acceleration. All of them then change in proportion: so tips that both
//!   the old and the new ones lead along the same way stay on it.

use super::jerk_bounds::{Limits, State};

/// Near the end velocities approach in proportion to what is left, with this time constant in periods.
const PERIODS_AT_THE_END: f64 = 4.0;
/// The share of the limits that a plan uses.
const SHARE: f64 = 0.9;
/// Velocities are far away from this on, over the change that the jerk can make in the time ahead.
const FAR: f64 = 2.0;
/// A way with slower joints is none \[rad/s or m/s\].
const LEAST_SPEED: f64 = 1e-4;

/// Chooses the jerks of a step.
#[derive(Debug, Clone)]
pub struct Tracker {
    /// The velocities that were wanted last, and how fast these change.
    last: Vec<f64>,
    rates: Vec<f64>,
    difference: Vec<f64>,
    bounds: Vec<[f64; 2]>,
    /// The jerks of this step.
    pub jerks: Vec<f64>,
}

impl Tracker {
    pub fn new(variables: usize) -> Self {
        let list = vec![0.0; variables];
        Self {
            last: list.clone(),
            rates: list.clone(),
            difference: list.clone(),
            bounds: vec![[0.0; 2]; variables],
            jerks: list,
        }
    }

    /// Chooses jerks for a step of `period` seconds, inside the bounds of each joint, that lead to the `wanted` velocities, which are for
    /// `time` later.
    pub fn choose(
        &mut self,
        states: impl Fn(usize) -> State,
        wanted: &[f64],
        limits: &[Limits],
        (period, time): (f64, f64),
    ) {
        let mut farthest = 0.0_f64;
        for (i, limits) in limits.iter().enumerate() {
            let state = states(i);
            let State { velocity, acceleration, .. } = state;
            self.bounds[i] = limits.jerks(state, period);
            self.jerks[i] = 2.0 * (wanted[i] - velocity - time * acceleration) / (time * time);
            let most = SHARE * limits.acceleration;
            self.rates[i] = ((wanted[i] - self.last[i]) / period).clamp(-most, most);
            // What is left while the acceleration becomes that of the wanted velocities counts, too.
            let turn = 0.5 * (acceleration - self.rates[i]).powi(2) / limits.jerk;
            let left = (wanted[i] - velocity).abs() + turn;
            farthest = farthest.max(left / (limits.jerk * time * time));
        }
        self.last.copy_from_slice(wanted);
        if farthest > FAR || !self.change_along(wanted) {
            self.plan(states, wanted, limits, (period, time));
        }
        for (jerk, [least, greatest]) in self.jerks.iter_mut().zip(&self.bounds) {
            *jerk = jerk.max(*least).min(*greatest);
        }
    }

    /// Changes the jerks along the wanted velocities until all of them are inside their bounds. Gives whether that is possible.
    fn change_along(&mut self, wanted: &[f64]) -> bool {
        let is_inside = |(jerk, [least, greatest]): (&f64, &[f64; 2])| least <= jerk && jerk <= greatest;
        if self.jerks.iter().zip(&self.bounds).all(is_inside) {
            return true;
        }
        if wanted.iter().all(|wanted| wanted.abs() < LEAST_SPEED) {
            return false;
        }
        let mut along = [f64::NEG_INFINITY, f64::INFINITY];
        for ((jerk, [least, greatest]), wanted) in self.jerks.iter().zip(&self.bounds).zip(wanted) {
            let ends = [(least - jerk) / wanted, (greatest - jerk) / wanted];
            if *wanted != 0.0 {
                along = [along[0].max(ends[0].min(ends[1])), along[1].min(ends[0].max(ends[1]))];
            }
        }
        if along[0] > along[1] {
            return false;
        }
        let change = 0.0_f64.clamp(along[0], along[1]);
        self.jerks.iter_mut().zip(wanted).for_each(|(jerk, wanted)| *jerk += change * wanted);
        true
    }

    /// Writes jerks that lead to the wanted velocities in proportion, as fast as the limits allow.
    fn plan(&mut self, states: impl Fn(usize) -> State, wanted: &[f64], limits: &[Limits], (period, time): (f64, f64)) {
        for (i, difference) in self.difference.iter_mut().enumerate() {
            *difference = wanted[i] - time * self.rates[i] - states(i).velocity;
        }
        let size = self.difference.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        let least = |vector: &[f64], limit: fn(&Limits) -> f64| {
            let shares = limits.iter().zip(vector).map(|(limits, entry)| SHARE * limit(limits) / entry.abs());
            shares.fold(f64::INFINITY, f64::min)
        };
        let most = size * least(&self.difference, |limits| limits.acceleration);
        let jerk = size * least(&self.difference, |limits| limits.jerk);
        let end = PERIODS_AT_THE_END * period;
        // The root of size = rate² / (2 jerk) + end · rate.
        let approach = (2.0 * size / (end + (end * end + 2.0 * size / jerk).sqrt())).min(most);
        for i in 0..wanted.len() {
            let along = if size > 0.0 { approach * self.difference[i] / size } else { 0.0 };
            self.jerks[i] = (self.rates[i] + along - states(i).acceleration) / period;
        }
        let scale = least(&self.jerks, |limits| limits.jerk).min(1.0);
        self.jerks.iter_mut().for_each(|jerk| *jerk *= scale);
    }
}
