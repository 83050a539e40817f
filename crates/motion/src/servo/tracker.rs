//! Leads the joints to the velocities that they are to have.
//!
//! - Usually these change slowly, and jerks that reach them the time ahead follow them without a lag.
//! - Velocities that are far away need a plan for the end of the acceleration. All of them then change in proportion.
//! - What such a plan, and the bounds of the jerks, would change of the tips' velocities across their way is made good by all joints
//!   together: the least squares of what the tips miss, and less of what the joints miss of the plan.

use super::braking_speed::approach;
use super::jerk_bounds::{Limits, State};
use super::ramp::Rates;
use crate::generator::State as Joints;
use urdf_ik_mathematics::dual_active_set::{DualActiveSet, Inequalities};
use urdf_ik_mathematics::vectors::{add_times, dot, length};

/// Near the end velocities approach in proportion to what is left, with this time constant in periods.
const PERIODS_AT_THE_END: f64 = 4.0;
/// The share of the limits that a plan uses.
const SHARE: f64 = 0.9;
/// Velocities are far away from this on, over the change that the jerk can make in the time ahead.
const FAR: f64 = 2.0;
/// So far away the joints do not follow any more.
const BEHIND: f64 = 40.0;
/// A slower way is none \[rad/s\].
const LEAST_SPEED: f64 = 1e-4;
/// The way is that of the wanted velocities, where the square of their speed is more than this share of that of the actual ones.
const WAY: f64 = 0.01;
/// How much the jerks of the joints count over those of the tips.
const DAMPING: f64 = 0.03;

/// Chooses the jerks of a step.
#[derive(Debug, Clone)]
pub struct Tracker {
    /// The velocities that were wanted last, and how fast these change.
    last: Vec<f64>,
    rates: Vec<f64>,
    difference: Vec<f64>,
    /// The jerks that reach the wanted velocities the time ahead.
    follow: Vec<f64>,
    bounds: Vec<[f64; 2]>,
    quadratic: DualActiveSet,
    /// The bounds of the quadratic problem.
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Whether the joints are far from the velocities that were wanted last.
    pub is_behind: bool,
    /// The jerks of this step.
    pub jerks: Vec<f64>,
}

impl Tracker {
    pub fn new(variables: usize) -> Self {
        let list = vec![0.0; variables];
        let mut quadratic = DualActiveSet::default();
        quadratic.make_room(variables);
        Self {
            is_behind: false,
            quadratic,
            lower: list.clone(),
            upper: list.clone(),
            last: list.clone(),
            rates: list.clone(),
            follow: list.clone(),
            difference: list.clone(),
            bounds: vec![[0.0; 2]; variables],
            jerks: list,
        }
    }

    /// Chooses jerks for a step of `period` seconds, inside the bounds of each joint, that lead to the `wanted` velocities, which are for
    /// `time` later. The Jacobian's `rows` make twists of the tips of them; none where the joints are commanded.
    pub fn choose(
        &mut self,
        now: &Joints,
        (wanted, rows): (&[f64], &[f64]),
        limits: &[Limits],
        (period, time): (f64, f64),
    ) {
        let mut farthest = 0.0_f64;
        for (i, limits) in limits.iter().enumerate() {
            let state = State::of(now, i);
            let State { velocity, acceleration, .. } = state;
            self.bounds[i] = limits.jerks(state, period);
            self.follow[i] = 2.0 * (wanted[i] - velocity - time * acceleration) / (time * time);
            let most = SHARE * limits.acceleration;
            self.rates[i] = ((wanted[i] - self.last[i]) / period).clamp(-most, most);
            // What is left while the acceleration becomes that of the wanted velocities counts, too.
            let turn = 0.5 * (acceleration - self.rates[i]).powi(2) / limits.jerk;
            let left = (wanted[i] - velocity).abs() + turn;
            farthest = farthest.max(left / (limits.jerk * time * time));
        }
        self.last.copy_from_slice(wanted);
        self.jerks.copy_from_slice(&self.follow);
        self.is_behind = farthest > BEHIND;
        if farthest > FAR {
            self.plan(now, wanted, limits, (period, time));
        }
        self.bring_inside(wanted, &now.velocities, rows, time);
        for (jerk, [least, greatest]) in self.jerks.iter_mut().zip(&self.bounds) {
            *jerk = jerk.max(*least).min(*greatest);
        }
    }

    /// Brings the jerks inside their bounds, so that the tips keep to their way: across it they reach the wanted velocity the time ahead, along
    /// it the plan is kept, but they do not run back.
    fn bring_inside(&mut self, wanted: &[f64], velocities: &[f64], rows: &[f64], time: f64) {
        let variables = wanted.len();
        let is_inside = |(jerk, [least, greatest]): (&f64, &[f64; 2])| least <= jerk && jerk <= greatest;
        if self.follow == self.jerks && self.jerks.iter().zip(&self.bounds).all(is_inside) {
            return;
        }
        let Self { quadratic, lower, upper, jerks, follow, bounds, .. } = self;
        // In units that make the greatest jerk 1.
        let unit = bounds.iter().flatten().fold(f64::MIN_POSITIVE, |most, bound| most.max(bound.abs()));
        let rows = rows.chunks_exact(variables);
        let squared = |velocities: &[f64]| rows.clone().map(|row| dot(row, velocities).powi(2)).sum::<f64>();
        let way = if squared(wanted) > WAY * squared(velocities) { wanted } else { velocities };
        let missed = |row: &[f64]| (dot(row, follow) - dot(row, jerks)) / unit;
        let along: f64 = rows.clone().map(|row| dot(row, way) * missed(row)).sum();
        let least = squared(way).max(LEAST_SPEED * LEAST_SPEED);
        // Of the speed of the way, what is wanted, and what the plan reaches. It must not lead the tips back.
        let goal = rows.clone().map(|row| dot(row, way) * dot(row, wanted)).sum::<f64>() / least;
        let planned = goal - 0.5 * time * time * unit * along / least;
        let share = if planned < 0.0 { goal / (goal - planned) } else { 1.0 } * along / least;
        quadratic.begin_function(std::iter::repeat(DAMPING));
        for row in rows {
            quadratic.add_square(row, missed(row) - share * dot(row, way), 1.0);
        }
        for (i, [least, greatest]) in bounds.iter().enumerate() {
            (lower[i], upper[i]) = ((least - jerks[i]) / unit, (greatest - jerks[i]) / unit);
        }
        if quadratic.minimise(&Inequalities { rows: &[], least: &[], lower, upper }) {
            add_times(jerks, unit, &quadratic.minimum);
        }
    }

    /// Writes jerks that lead to the wanted velocities in proportion, as fast as the limits allow.
    fn plan(&mut self, now: &Joints, wanted: &[f64], limits: &[Limits], (period, time): (f64, f64)) {
        for (i, difference) in self.difference.iter_mut().enumerate() {
            *difference = wanted[i] - time * self.rates[i] - now.velocities[i];
        }
        let size = length(&self.difference);
        let most = Rates::of_shares(limits, self.difference.iter().copied()).over(1.0 / (SHARE * size));
        let end = PERIODS_AT_THE_END * period;
        let rate = approach(size, most.jerk, end).min(most.acceleration);
        for i in 0..wanted.len() {
            let along = if size > 0.0 { rate * self.difference[i] / size } else { 0.0 };
            self.jerks[i] = (self.rates[i] + along - now.accelerations[i]) / period;
        }
        let scale = (SHARE * Rates::of_shares(limits, self.jerks.iter().copied()).jerk).min(1.0);
        self.jerks.iter_mut().for_each(|jerk| *jerk *= scale);
    }
}
