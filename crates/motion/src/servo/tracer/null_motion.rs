//! The motion within the null space: little, and away from joint limits.

use super::Tracer;
use crate::servo::constants::{FIRST_STEP, KEPT, MOST_PULL, PULLED, ROOM, SETTLING, STRICT};
use urdf_ik_mathematics::dual_active_set::Inequalities;
use urdf_ik_mathematics::vectors::{add_times, dot, length, normalise};
use urdf_ik_robot::Domain;

impl Tracer {
    /// Turns the slope towards the one preferred: along the line, and away from limits.
    pub(super) fn turn_to_preference(&mut self, step: f64) {
        self.change.fill(0.0);
        self.write_preference();
        self.rows.project(&mut self.change);
        add_times(&mut self.change, 1.0, &self.along);
        normalise(&mut self.change);
        self.rows.project(&mut self.drift);
        let share = step / SETTLING;
        for i in 0..self.place.len() {
            let pull = share * (self.change[i] - self.slope[i]) / SETTLING;
            self.drift[i] = (self.drift[i] + pull) / (1.0 + 2.0 * share + share * share);
            self.slope[i] += step * self.drift[i];
        }
        self.keep_from_limits(step);
    }

    /// Writes the motion that leads away from joint limits.
    fn write_preference(&mut self) {
        for (variable, domain) in self.domains.iter().enumerate() {
            let Domain::Interval { lower, upper } = *domain else { continue };
            let pull = |room: f64| (PULLED / room.max(KEPT)).powi(2);
            let [below, above] = [self.place[variable] - lower, upper - self.place[variable]];
            self.change[variable] = pull(below) - pull(above);
        }
        let long = length(&self.change);
        if long > MOST_PULL {
            self.change.iter_mut().for_each(|entry| *entry *= MOST_PULL / long);
        }
    }

    /// Changes the motion within the null space as little as needed, so that no joint comes nearer to its limit than it may on the way.
    pub(super) fn keep_from_limits(&mut self, step: f64) {
        let Self { place, slope, along, drift, domains, rows, .. } = self;
        let bounds = |variable: usize| match domains[variable] {
            Domain::Interval { lower, upper } => {
                [-near_limit(place[variable] - lower - KEPT), near_limit(upper - KEPT - place[variable])]
            }
            Domain::Circle => [f64::NEG_INFINITY, f64::INFINITY],
        };
        let is_inside = |variable: usize| {
            let [least, most] = bounds(variable);
            (least..=most).contains(&slope[variable])
        };
        let Some(outside) = (0..domains.len()).find(|variable| !is_inside(*variable)) else { return };
        self.pressed = Some(outside);
        let size = domains.len();
        let share = dot(slope, along);
        let before = if step > 0.0 { 1.0 / step.max(FIRST_STEP) } else { 0.0 };
        add_times(drift, -before, slope);
        add_times(slope, -share, along);
        self.quadratic.begin_function(std::iter::repeat(1.0));
        self.quadratic.vector.copy_from_slice(&slope[..size]);
        for row in rows.basis().chain([&along[..]]) {
            self.quadratic.add_square(&row[..size], 0.0, STRICT);
        }
        for (variable, along) in along.iter().take(size).enumerate() {
            let [least, most] = bounds(variable);
            let has = share * along;
            (self.lower[variable], self.upper[variable]) = (least - has, most - has);
        }
        let inequalities = Inequalities { rows: &[], least: &[], lower: &self.lower, upper: &self.upper };
        if self.quadratic.minimise(&inequalities) {
            slope[..size].copy_from_slice(&self.quadratic.minimum);
            rows.project(slope);
            let rounding = dot(slope, along);
            add_times(slope, -rounding, along);
        }
        add_times(slope, share, along);
        add_times(drift, before, slope);
    }
}

/// How much of the motion may lead a joint to a limit that is so far away \[rad or m\]: less and less. Beyond it, it has to come back.
fn near_limit(room: f64) -> f64 {
    room / ROOM
}
