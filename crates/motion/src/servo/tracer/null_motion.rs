//! The motion within the null space: little, and away from joint limits.

use super::Tracer;
use crate::servo::constants::{FIRMNESS, FIRST_STEP, KEPT, MAX_PULL, PULLED, ROOM, SETTLING, STRICT};
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
        if long > MAX_PULL {
            self.change.iter_mut().for_each(|entry| *entry *= MAX_PULL / long);
        }
    }

    /// Changes the motion within the null space as little as needed, so that no joint comes nearer to its limit than it may on the way.
    pub(super) fn keep_from_limits(&mut self, step: f64) {
        let Some(outside) = self.first_beyond() else { return };
        self.pressed = Some(outside);
        let share = dot(&self.slope, &self.along);
        let before = if step > 0.0 { 1.0 / step.max(FIRST_STEP) } else { 0.0 };
        add_times(&mut self.drift, -before, &self.slope);
        add_times(&mut self.slope, -share, &self.along);
        self.wanted.copy_from_slice(&self.slope);
        // Joints that stand at their limits cannot always all come away from them.
        for kept in [KEPT, 0.01 * KEPT] {
            self.slope.copy_from_slice(&self.wanted);
            if self.turn_within_bounds(share, kept) {
                break;
            }
        }
        add_times(&mut self.drift, before, &self.slope);
    }

    /// The first joint that comes nearer to its limit on the slope than it may.
    fn first_beyond(&self) -> Option<usize> {
        let is_beyond = |variable: &usize| {
            let [least, most] = self.slopes(*variable, KEPT);
            !(least..=most).contains(&self.slope[*variable])
        };
        (0..self.domains.len()).find(is_beyond)
    }

    /// The least and the greatest slope that a joint may have, which stays so far away from its limits.
    fn slopes(&self, variable: usize, kept: f64) -> [f64; 2] {
        match self.domains[variable] {
            Domain::Interval { lower, upper } => {
                [-near_limit(self.place[variable] - lower - kept), near_limit(upper - kept - self.place[variable])]
            }
            Domain::Circle => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Turns the slope, which is given without its share along the line, to the nearest one within bounds, and adds that share. Gives whether
    /// it is within them.
    fn turn_within_bounds(&mut self, share: f64, kept: f64) -> bool {
        self.write_bounds(share, kept);
        let Self { slope, along, domains, rows, lower, upper, .. } = self;
        let size = domains.len();
        self.quadratic.begin_function(std::iter::repeat(1.0));
        self.quadratic.vector.copy_from_slice(&slope[..size]);
        for row in rows.basis().chain([&along[..]]) {
            self.quadratic.add_square(&row[..size], 0.0, STRICT);
        }
        let inequalities = Inequalities { rows: &[], least: &[], lower, upper };
        if self.quadratic.minimise(&inequalities) {
            slope[..size].copy_from_slice(&self.quadratic.minimum);
            rows.project(slope);
            let rounding = dot(slope, along);
            add_times(slope, -rounding, along);
        }
        let rounding = 0.5 * share * near_limit(kept);
        let is_within = |i: usize| (lower[i] - rounding..=upper[i] + rounding).contains(&slope[i]);
        let are_within = (0..size).all(is_within);
        add_times(slope, share, along);
        are_within
    }

    /// Writes between what the slopes may be, without the share along the line.
    fn write_bounds(&mut self, share: f64, kept: f64) {
        for variable in 0..self.domains.len() {
            let along = share * self.along[variable];
            let has = self.slope[variable] + along;
            let [mut least, mut most] = self.slopes(variable, kept);
            if has > most {
                most = self.yielding(variable, has, most, share);
            } else if has < least {
                least = -self.yielding(variable, -has, -least, share);
            }
            (self.lower[variable], self.upper[variable]) = (least - along, most - along);
        }
    }

    /// The greatest slope towards a limit for a joint that has a greater one than it may: more than that, where the motion within the null
    /// space can do little about it. A joint at its limit comes back, in proportion to the share along the line.
    fn yielding(&mut self, variable: usize, has: f64, most: f64, share: f64) -> f64 {
        if most <= 0.0 {
            return share * most;
        }
        self.change.fill(0.0);
        self.change[variable] = 1.0;
        self.rows.project(&mut self.change);
        let free = self.change[variable] - self.along[variable] * self.along[variable];
        most + (has - most) / (1.0 + FIRMNESS * (free / most).powi(2))
    }
}

/// How much of the motion may lead a joint to a limit that is so far away \[rad or m\]: less and less. Beyond it, it has to come back.
pub fn near_limit(room: f64) -> f64 {
    if room < ROOM { room / ROOM } else { f64::INFINITY }
}
