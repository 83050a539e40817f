//! Motions that leave the targets where they are, towards what is preferred.
//!
//! Gradient projection (Liégeois 1977, "Automatic supervisory control of the configuration and behavior of multibody mechanisms"), in
//! coordinates in which the preference bends alike in every direction. A projected step leaves the targets only to second order,
//! so each one is followed by Newton steps back. The four lanes try four lengths of a step at once.

use std::f64::consts::TAU;

use super::{Jacobian, JacobianScratch};
use crate::robot::Domain;
use crate::solver::lanes::{LANES, Lanes};
use crate::solver::problem::{Preference, Target};

/// Steps at most. Each is a search along one direction.
const STEPS: usize = 40;
/// Newton steps back to the targets at most, after each.
const CORRECTIONS: usize = 6;
/// A step with no entry above this \[rad, or m over the length scale\] ends the descent.
const LEAST_STEP: f64 = 1e-5;
/// The longest entry of a step.
const GREATEST_STEP: f64 = 0.5;
/// What the lanes take of a step.
const LENGTHS: [f64; LANES] = [1.0, 0.5, 0.2, 0.05];
/// Half of the difference of positions by which the slope of the manipulability is found.
const DIFFERENCE: f64 = 1e-4;
/// Share of its range by which a variable is counted as standing at its bound.
const AT_BOUND: f64 = 1e-12;

impl Jacobian {
    /// Moves `scratch.best`, which meets the goals, towards the preference as far as the goals and the bounds allow.
    pub(super) fn settle(&self, targets: &[Target], preference: &Preference, scratch: &mut JacobianScratch) {
        let counted = counted(targets);
        if preference.is_none() {
            return;
        }
        scratch.batch.write_all(&scratch.best);
        self.measure(scratch);
        let mut cost = self.cost(preference, counted, scratch, 0);
        for _ in 0..STEPS {
            if !self.find_direction(preference, counted, scratch) {
                return;
            }
            self.try_lengths(scratch);
            let mut better = None;
            let met = scratch.batch.met;
            for lane in (0..LANES).filter(|lane| met >> lane & 1 == 1) {
                let found = self.cost(preference, counted, scratch, lane);
                // A gain that rounding could make is none.
                if found < cost - 1e-12 * cost.abs() {
                    (cost, better) = (found, Some(lane));
                }
            }
            let Some(lane) = better else { return };
            scratch.batch.read(lane, &mut scratch.best);
        }
    }

    /// Writes the projected step from `scratch.best` into `scratch.direction`; tells whether it is worth a try.
    fn find_direction(&self, preference: &Preference, counted: usize, scratch: &mut JacobianScratch) -> bool {
        self.find_slope(preference, counted, scratch);
        scratch.batch.write_all(&scratch.best);
        self.measure(scratch);
        self.linearise(scratch);
        scratch.stopped.fill(false);
        // Each pass stops one variable at least.
        for _ in 0..=self.links.variables {
            scratch.project();
            if !scratch.stop_at_bounds_along_direction() {
                break;
            }
        }
        let JacobianScratch { direction, units, .. } = scratch;
        let longest = direction.iter().zip(units.iter()).map(|(step, unit)| (step / unit).abs()).fold(0.0, f64::max);
        if longest > GREATEST_STEP {
            for step in direction {
                *step *= GREATEST_STEP / longest;
            }
        }
        longest > LEAST_STEP
    }

    /// Puts the four lengths of the step into the lanes and leads them back to the goals.
    fn try_lengths(&self, scratch: &mut JacobianScratch) {
        scratch.batch.write_all(&scratch.best);
        for (step, direction) in scratch.step.step.iter_mut().zip(&scratch.direction) {
            *step = Lanes(LENGTHS.map(|length| length * direction));
        }
        self.advance(scratch, &Lanes::splat(1.0));
        for correction in 0..=CORRECTIONS {
            self.measure(scratch);
            if correction == CORRECTIONS || scratch.batch.met & 0b1111 == 0b1111 {
                return;
            }
            // Lanes that have arrived stay: the longer a lane goes on, the more it undoes.
            let moving = Lanes([0, 1, 2, 3].map(|lane| if scratch.batch.met >> lane & 1 == 1 { 0.0 } else { 1.0 }));
            let damping = scratch.batch.squared_error;
            self.damped_step(scratch, &damping, &moving);
        }
    }

    /// The preference's cost at the posture of a lane that has been measured.
    fn cost(&self, preference: &Preference, counted: usize, scratch: &mut JacobianScratch, lane: usize) -> f64 {
        let mut cost = 0.0;
        for i in 0..self.links.variables {
            let position = scratch.batch.positions[i].0[lane];
            let (from_posture, from_middle) = self.distances(preference, scratch, i, position);
            cost += 0.5 * preference.posture_weight * (from_posture / self.unit(i)).powi(2);
            cost += 0.5 * preference.limits_weight * (from_middle / self.half_range(i)).powi(2);
        }
        if preference.manipulability_weight > 0.0 {
            self.linearise(scratch);
            scratch.take_in(lane);
            cost -= preference.manipulability_weight * scratch.linear.log_manipulability(counted);
        }
        cost
    }

    /// How far a variable at `position` is from the preferred posture and from the middle of its range: on a circle the short way round,
    /// and where a search will fold it into its limits, from there.
    fn distances(&self, preference: &Preference, scratch: &JacobianScratch, i: usize, position: f64) -> (f64, f64) {
        let folds = self.turns[i] && scratch.lower[i] == f64::NEG_INFINITY;
        let position = if folds { self.folded(i, position, scratch) } else { position + scratch.whole_turns[i] };
        let from_posture = preference.posture.map_or(0.0, |posture| position - posture[i]);
        let (from_posture, from_middle) = match self.chain.variables()[i].domain {
            Domain::Interval { lower, upper } => (from_posture, position - 0.5 * (lower + upper)),
            Domain::Circle => (from_posture - (from_posture / TAU).round() * TAU, 0.0),
        };
        (from_posture, from_middle)
    }

    /// Writes the negative slope of the cost at `scratch.best`, over its second derivative, into `scratch.direction`, and the
    /// scale of each variable into `scratch.units`.
    fn find_slope(&self, preference: &Preference, counted: usize, scratch: &mut JacobianScratch) {
        scratch.direction.fill(0.0);
        if preference.manipulability_weight > 0.0 {
            self.add_manipulability_slope(preference.manipulability_weight, counted, scratch);
        }
        for i in 0..self.links.variables {
            let (from_posture, from_middle) = self.distances(preference, scratch, i, scratch.best[i]);
            let (unit, half) = (self.unit(i), self.half_range(i));
            let posture_weight = preference.posture.map_or(0.0, |_| preference.posture_weight / (unit * unit));
            let limits_weight = preference.limits_weight / (half * half);
            scratch.direction[i] -= posture_weight * from_posture + limits_weight * from_middle;
            // The second derivative of the manipulability's logarithm is about one, in radians.
            let bend = posture_weight + limits_weight + preference.manipulability_weight / (unit * unit);
            scratch.units[i] = if bend > 0.0 { 1.0 / bend.sqrt() } else { unit };
            scratch.direction[i] *= scratch.units[i] * scratch.units[i];
        }
    }

    /// Adds the slope of the manipulability's logarithm by central differences, two variables at a time.
    fn add_manipulability_slope(&self, weight: f64, counted: usize, scratch: &mut JacobianScratch) {
        let variables = self.links.variables;
        for first in (0..variables).step_by(2) {
            scratch.batch.write_all(&scratch.best);
            for lane in 0..LANES {
                let variable = (first + lane / 2).min(variables - 1);
                let sign = if lane % 2 == 0 { 1.0 } else { -1.0 };
                scratch.batch.positions[variable].0[lane] += sign * DIFFERENCE * self.unit(variable);
            }
            self.measure(scratch);
            self.linearise(scratch);
            for (half, variable) in (first..variables.min(first + 2)).enumerate() {
                let mut value = |lane: usize| {
                    scratch.take_in(lane);
                    scratch.linear.log_manipulability(counted)
                };
                let slope = (value(2 * half) - value(2 * half + 1)) / (2.0 * DIFFERENCE * self.unit(variable));
                scratch.direction[variable] += weight * slope;
            }
        }
    }

    /// The step of a variable that counts as one radian \[rad or m\].
    pub(super) fn unit(&self, variable: usize) -> f64 {
        if self.chain.variables()[variable].prismatic { self.length_scale } else { 1.0 }
    }

    /// Half of the range of a variable; infinite where it has no limits or no room.
    fn half_range(&self, variable: usize) -> f64 {
        match self.chain.variables()[variable].domain {
            Domain::Interval { lower, upper } if upper > lower => 0.5 * (upper - lower),
            _ => f64::INFINITY,
        }
    }
}

impl JacobianScratch {
    /// Projects `direction` to the null space of the goals, in units of each variable's scale, with the variables that are stopped
    /// left out.
    fn project(&mut self) {
        let Self { batch, linear, goals, direction, stopped, units, trial, .. } = self;
        let variables = units.len();
        let entry = |row: usize, i: usize| {
            if stopped[i] { 0.0 } else { batch.columns[row / 6 * variables + i][row % 6].0[0] * units[i] }
        };
        linear.fill(6 * goals.len(), entry, |_| 0.0);
        for i in 0..variables {
            trial[i] = if stopped[i] { 0.0 } else { direction[i] / units[i] };
        }
        linear.project_to_null_space(trial);
        for i in 0..variables {
            direction[i] = trial[i] * units[i];
        }
    }

    /// Stops the variables that stand at a bound and would go beyond; tells whether there were any.
    fn stop_at_bounds_along_direction(&mut self) -> bool {
        let mut any = false;
        for i in 0..self.direction.len() {
            let room = AT_BOUND * (1.0 + self.best[i].abs());
            let below = self.best[i] - self.lower[i] <= room && self.direction[i] < 0.0;
            let above = self.upper[i] - self.best[i] <= room && self.direction[i] > 0.0;
            if (below || above) && !self.stopped[i] {
                self.stopped[i] = true;
                any = true;
            }
        }
        any
    }
}

/// Rows that count.
pub(super) fn counted(targets: &[Target]) -> usize {
    targets.iter().map(|target| target.free_axes.iter().filter(|free| !**free).count()).sum()
}
