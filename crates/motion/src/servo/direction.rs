//! The direction problem: the joint velocities y, and the speed z of the tips along their line, at one configuration.
//!
//! ```text
//! min Σᵣ dᵣ (Jᵣ y - gᵣ z - cᵣ)² + (z - m)² + λ² |y - y_comfort|²
//! 0 ≤ z ≤ m, bounds of y, rows J y ≥ b
//! ```
//!
//! Priorities are in the weights d: exact rows count more than the speed, and the speed more than comfort. For the
//! motion nearest to the command z is m, and commanded rows have the weight 1.

use super::constants::{DAMPING, LARGE, LIMIT_MARGIN, LINE_DAMPING, SLACK_RETURN, SOFT, TINY};
use super::goal::{Goal, RowKind};
use super::jerk_bounds::Limits;
use super::place::{Place, combine};
use crate::braking_speed::braking_speed;
use crate::contact_rows::Contact;
use crate::rates::Rates;
use urdf_ik_mathematics::dual_active_set::{DualActiveSet, Inequalities};
use urdf_ik_mathematics::vectors::{add_times, dot, length, normalise};

/// Solves the direction problem: finds joint velocities and the speed along the line.
#[derive(Debug, Clone, Default)]
pub struct Direction {
    quadratic: DualActiveSet,
    row: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    rows: Vec<f64>,
    least: Vec<f64>,
    /// The joint velocities found: n entries \[rad/s or m/s\].
    pub velocities: Vec<f64>,
    /// The speed found along the line \[rad/s\]; translations are divided by the length that counts as one radian.
    pub speed: f64,
}

impl Direction {
    /// Begins with zero velocities for this number of `variables`.
    pub fn begin(&mut self, variables: usize) {
        self.quadratic.make_room(variables + 1);
        for list in [&mut self.row, &mut self.lower, &mut self.upper] {
            list.resize(variables + 1, 0.0);
        }
        self.velocities.resize(variables, 0.0);
        self.velocities.fill(0.0);
    }

    /// Finds `velocities` and `speed` at `place`, whose configuration is `positions` \[rad or m\], n entries. The
    /// problem is solved twice, and the second solve is damped towards the result of the first, so that the damping
    /// only matters near singularities (iterated Tikhonov). At a singularity, the joints also leave symmetric
    /// configurations, from which no motion along the line leads on.
    pub fn solve(&mut self, place: &Place, positions: &[f64], goal: &Goal) {
        self.begin(positions.len());
        self.write_bounds(positions, goal);
        self.write_comfort(positions, goal);
        self.solve_twice(place, Some(positions), goal);
    }

    /// Finds the motion nearest to the command that the standing goals permit, without joint limits and contacts.
    pub fn solve_permitted(&mut self, place: &Place, goal: &Goal) {
        self.begin(goal.limits.len());
        self.lower.fill(f64::NEG_INFINITY);
        self.upper.fill(f64::INFINITY);
        self.solve_twice(place, None, goal);
    }

    /// Solves the problem twice, with the joint velocities damped towards those found before; those of the first solve
    /// get a part that leaves symmetric configurations.
    fn solve_twice(&mut self, place: &Place, positions: Option<&[f64]>, goal: &Goal) {
        for idle in [1.0, 0.0] {
            self.rows.clear();
            self.least.clear();
            let damping = self.write_tip_rows(place, goal);
            if goal.is_nearest() {
                self.write_contacts(place, positions, goal);
            }
            let Self { quadratic, rows, least, lower, upper, velocities, .. } = self;
            let n = velocities.len();
            add_times(&mut quadratic.vector[..n], damping * damping, velocities);
            let most = goal.line.speed;
            (lower[n], upper[n]) = (if goal.is_nearest() { most } else { 0.0 }, most);
            if !quadratic.minimise(&Inequalities { rows, least, lower, upper }) {
                velocities.fill(0.0);
                self.speed = 0.0;
                return;
            }
            velocities.copy_from_slice(&quadratic.minimum[..n]);
            self.speed = dot(&place.along, velocities).max(0.0);
            add_times(velocities, idle * self.speed, &goal.idle);
        }
    }

    /// Moves `positions` of the n variables \[rad or m\], in place, back to the line by a Newton step of least motion.
    /// The speed along the line is ignored.
    pub fn return_to_line(&mut self, place: &Place, goal: &Goal, positions: &mut [f64]) {
        let n = positions.len();
        self.quadratic.begin_function(std::iter::repeat(1.0));
        self.row[n] = 0.0;
        for row in 0..goal.kinds.len() {
            if goal.kinds[row].is_exact() {
                place.write_beside(row, &mut self.row[..n]);
                self.quadratic.add_square(&self.row, -place.error[row], goal.weight(row));
            }
        }
        (self.lower[n], self.upper[n]) = (0.0, 0.0);
        for (i, limits) in goal.limits.iter().enumerate() {
            let [below, above] = limits.room(positions[i]);
            (self.lower[i], self.upper[i]) = (-below, above);
        }
        let Self { lower, upper, .. } = self;
        if self.quadratic.minimise(&Inequalities { rows: &[], least: &[], lower, upper }) {
            add_times(positions, 1.0, &self.quadratic.minimum);
        }
    }

    /// Index of the first variable whose position limit bounds the velocities found.
    pub fn limit(&self, goal: &Goal) -> Option<usize> {
        let is_slow = |i: usize| self.velocities[i].abs() < (1.0 - TINY) * goal.limits[i].velocity;
        (0..self.velocities.len()).find(|&i| is_slow(i) && self.quadratic.is_bounded(i))
    }

    /// Multiplies the velocities and the speed by `factor` \[-\].
    pub fn scale(&mut self, factor: f64) {
        self.velocities.iter_mut().for_each(|velocity| *velocity *= factor);
        self.speed *= factor;
    }

    /// Writes the bounds of the joints: their velocity limits, and less before their position limits, so that other
    /// joints take over. The bounds are in proportion to the commanded speed: with their own, joints alternated between
    /// two speeds.
    fn write_bounds(&mut self, positions: &[f64], goal: &Goal) {
        // Where the tips wait at the end of their line, joints stay fast until they have to brake.
        let waits = goal.options.max_deviation_angle == 0.0;
        let rate = if goal.is_soft() { SLACK_RETURN.max(goal.line.speed / SOFT) } else { f64::MAX };
        for (i, limits) in goal.limits.iter().enumerate() {
            let most = |room: f64| {
                let room = (room - LIMIT_MARGIN).max(0.0);
                let braking = if waits { braking_speed(room, limits.rates) } else { 0.0 };
                limits.velocity.min((rate * room).max(braking))
            };
            let [below, above] = limits.room(positions[i]).map(most);
            (self.lower[i], self.upper[i]) = (-below, above);
        }
    }

    /// Adds the rows of the tips. Returns the damping that belongs to them.
    fn write_tip_rows(&mut self, place: &Place, goal: &Goal) -> f64 {
        let n = self.velocities.len();
        let has_slack = !goal.is_nearest() && goal.kinds.contains(&RowKind::Slack);
        let damping = match () {
            () if goal.is_nearest() => DAMPING,
            () if has_slack => 0.5 * DAMPING,
            () => LINE_DAMPING,
        };
        self.quadratic.begin_function((0..=n).map(|i| if i < n { damping * damping } else { 1.0 }));
        self.quadratic.vector[n] = goal.line.speed;
        for (row, kind) in goal.kinds.iter().enumerate() {
            if *kind == RowKind::Free {
                continue;
            }
            self.row[..n].copy_from_slice(place.row(row));
            self.row[n] = -place.direction[row];
            self.quadratic.add_square(&self.row, place.wanted[row], goal.weight(row));
        }
        for first in (0..goal.tip_kinds().len()).step_by(3) {
            if has_slack && goal.kinds[first] == RowKind::Slack {
                self.bound_slack(place, first, goal.slack(first));
            }
        }
        damping
    }

    /// Bounds the velocity with which uncommanded axes deviate further.
    fn bound_slack(&mut self, place: &Place, first: usize, most: f64) {
        let n = self.velocities.len();
        let error = &place.error[first..first + 3];
        combine(&place.rows[first * n..], error, &mut self.row[..n]);
        self.row[n] = 0.0;
        let factor = normalise(&mut self.row);
        if factor > 0.0 {
            let deviation = length(error);
            self.rows.extend(self.row.iter().map(|entry| -entry));
            self.least.push(-SLACK_RETURN * (most - deviation).max(0.0) * deviation / factor);
        }
    }

    /// Writes the velocities with which redundant joints leave limits, as the first ones to damp towards.
    fn write_comfort(&mut self, positions: &[f64], goal: &Goal) {
        let rows = goal.tip_kinds().iter().filter(|kind| **kind != RowKind::Free).count();
        if positions.len() <= rows {
            return;
        }
        for (i, limits) in goal.limits.iter().enumerate() {
            let [below, above] = limits.room(positions[i]).map(|room| (1.0 - room / LARGE).clamp(0.0, 1.0).powi(2));
            self.velocities[i] = goal.line.speed * (below - above);
        }
    }

    /// Bounds the velocities towards bounds of standing goals, and towards contacts by the distances at `positions` to
    /// first order.
    fn write_contacts(&mut self, place: &Place, positions: Option<&[f64]>, goal: &Goal) {
        for (row, (gradient, _)) in goal.contacts.rows().enumerate() {
            if let (Some(positions), Some(Contact::Pair(_))) = (positions, goal.contacts.contact(row)) {
                self.push_bound(gradient, goal.contact_room(row, positions), Limits::least(&goal.limits));
            }
        }
        for (row, (gradient, room)) in place.bounds.rows().enumerate() {
            self.push_bound(gradient, room - goal.reserve(place.bounds.contact(row)), goal.bound_rates());
        }
    }

    /// Bounds the velocity against a gradient, along which the joints may move so far.
    fn push_bound(&mut self, gradient: &[f64], room: f64, braking: Rates) {
        self.rows.extend_from_slice(gradient);
        self.rows.push(0.0);
        let towards = if room < 0.0 { 2.0 * SLACK_RETURN * room } else { braking_speed(room, braking) };
        self.least.push(-towards);
    }
}
