//! How curves begin: where joints move, from rest, at singular configurations, and with joints that move while the tips stand.

use std::f64::consts::TAU;

use super::{Tracer, first_outside};
use crate::generator::State as Joints;
use crate::servo::constants::{FIRST_STEP, LEADING, MAX_NULL, MAX_STANDING};
use crate::servo::curve::{Bend, Curve, End};
use crate::servo::jerk_bounds::State;
use crate::servo::line::Line;
use urdf_ik_mathematics::vectors::{add_times, dot, normalise};

/// The directions between two of the null space that are tried.
const DIRECTIONS: u32 = 16;

impl Tracer {
    /// Begins a curve where the joints move, with their motion. Gives the state along it.
    pub fn begin_moving(&mut self, curve: &mut Curve, now: &Joints) -> State {
        let variables = self.domains.len();
        self.place[..variables].copy_from_slice(&now.positions);
        self.slope[..variables].copy_from_slice(&now.velocities);
        (self.place[variables], self.slope[variables]) = (0.0, 1.0);
        let speed = normalise(&mut self.slope);
        let acceleration = dot(&self.slope[..variables], &now.accelerations);
        for i in 0..=variables {
            let has = now.accelerations.get(i).copied().unwrap_or(0.0);
            self.change[i] = (has - self.slope[i] * acceleration) / (speed * speed);
        }
        curve.begin(&self.place, &self.slope, Bend::Is(&self.change), FIRST_STEP);
        curve.drift.copy_from_slice(&self.change);
        State { position: 0.0, velocity: speed, acceleration }
    }

    /// Begins a curve from rest. Gives whether the line leads away from there.
    pub fn begin_at_rest(&mut self, curve: &mut Curve, line: &Line, positions: &[f64]) -> bool {
        let variables = self.domains.len();
        self.start[..variables].copy_from_slice(positions);
        self.start[variables] = 0.0;
        self.place.copy_from_slice(&self.start);
        self.take_equations(line, false);
        // Where the line's time hardly grows at first, it matters how that changes: a slope along which it grows may soon lead nowhere.
        let goes_on = self.write_along() < LEADING && self.choose_slope_by_bend(line) || self.choose_slope_from_rest();
        if goes_on {
            if self.rows.rank() < variables {
                // As at the nodes that follow: limits turn a slope of length 1.
                self.keep_from_limits(0.0);
                normalise(&mut self.slope);
            }
            self.write_bend(line);
            curve.begin(&self.start, &self.slope, Bend::Along(&self.change, &self.rows), FIRST_STEP);
        }
        goes_on
    }

    /// Writes a curve of joints that move while the tips stand, to a configuration from which the line goes on, where it goes on from none
    /// nearer. Gives whether there is one.
    pub fn write_standing(&mut self, curve: &mut Curve, line: &Line, positions: &[f64]) -> bool {
        let variables = self.domains.len();
        self.start[..variables].copy_from_slice(positions);
        self.start[variables] = 0.0;
        let mut best: Option<(usize, usize)> = None;
        for side in 0..2 * MAX_NULL {
            if !self.begin_standing(curve, line, side) {
                break;
            }
            let mut found = 0.0;
            while self.stand(curve, line) {
                found = self.leading(line);
                if found > LEADING {
                    break;
                }
            }
            let length = curve.nodes().len();
            if found > LEADING && best.is_none_or(|(_, least)| length < least) {
                best = Some((side, length));
            }
        }
        let Some((side, _)) = best else { return false };
        self.begin_standing(curve, line, side);
        while self.stand(curve, line) && self.leading(line) <= LEADING {}
        curve.finish(End::Free);
        true
    }

    /// Begins a curve at the start along a direction in which the tips stand: each of a basis, to both sides. Gives whether there is one.
    fn begin_standing(&mut self, curve: &mut Curve, line: &Line, side: usize) -> bool {
        let (variables, size) = (self.domains.len(), self.place.len());
        self.place.copy_from_slice(&self.start);
        self.take_equations(line, true);
        self.write_null_space();
        // The last one is the time alone.
        let Some(direction) = self.null.chunks_exact(size).filter(|null| null[variables].abs() < 0.5).nth(side / 2)
        else {
            return false;
        };
        self.slope.copy_from_slice(direction);
        let sign = if side.is_multiple_of(2) { 1.0 } else { -1.0 };
        self.slope.iter_mut().for_each(|entry| *entry *= sign);
        self.slope[variables] = 0.0;
        normalise(&mut self.slope);
        curve.begin(&self.start, &self.slope, Bend::BySlopes, FIRST_STEP);
        true
    }

    /// Adds a node of a curve on which the tips stand. Gives whether it goes on.
    fn stand(&mut self, curve: &mut Curve, line: &Line) -> bool {
        let variables = self.domains.len();
        let last = curve.last();
        self.place.copy_from_slice(&last.place);
        add_times(&mut self.place, FIRST_STEP, &last.slope);
        let moved = |(a, b): (&f64, &f64)| (a - b).abs();
        if curve.is_full()
            || self.start.iter().zip(&self.place).map(moved).fold(0.0, f64::max) > MAX_STANDING
            || !self.correct(line, true)
            || first_outside(self.domains.iter().copied(), &last.place, &self.place).is_some()
        {
            return false;
        }
        self.take_equations(line, true);
        self.slope.copy_from_slice(&last.slope);
        self.rows.project(&mut self.slope);
        self.slope[variables] = 0.0;
        normalise(&mut self.slope);
        curve.add(FIRST_STEP, &self.place, &self.slope, Bend::BySlopes);
        true
    }

    /// How much the line's time grows along the slope with which the line goes on from the place; 0 where limits are in the way.
    pub(super) fn leading(&mut self, line: &Line) -> f64 {
        let variables = self.domains.len();
        self.take_equations(line, false);
        let goes_on = self.choose_slope_from_rest();
        let inside = |i: usize| {
            let ahead = self.place[i] + FIRST_STEP * self.slope[i];
            self.domains[i].contains(ahead)
        };
        if goes_on && (0..variables).all(inside) { self.slope[variables] } else { 0.0 }
    }

    /// Writes the slope with which the line goes on from rest at the place. Gives whether it does.
    fn choose_slope_from_rest(&mut self) -> bool {
        let mut ahead = std::mem::take(&mut self.first);
        ahead.fill(0.0);
        ahead[self.domains.len()] = 1.0;
        self.drift.fill(0.0);
        let goes_on = self.choose_slope(&ahead, 0.0);
        self.first = ahead;
        goes_on
    }

    /// Writes the slope within the null space of the equations along which the line's time grows most, by its own slope and by how that
    /// changes, up to the joint limits. Gives whether there is one.
    fn choose_slope_by_bend(&mut self, line: &Line) -> bool {
        self.write_null_space();
        let count = self.null.len() / self.place.len();
        let mut most = 0.0;
        for first in 0..count {
            for second in first..count {
                let directions = if first == second { 2 } else { DIRECTIONS };
                for direction in 0..directions {
                    let (sin, cos) = (TAU * f64::from(direction) / f64::from(directions)).sin_cos();
                    let growth = self.growth_along(line, [first, second], [cos, sin]);
                    if growth > most {
                        most = growth;
                        self.first.copy_from_slice(&self.slope);
                    }
                }
            }
        }
        self.slope.copy_from_slice(&self.first);
        most > 0.0
    }

    /// How much the line's time grows along a direction of the null space, as far as the joints may move so, by the parabola that begins
    /// there.
    fn growth_along(&mut self, line: &Line, of: [usize; 2], shares: [f64; 2]) -> f64 {
        let variables = self.domains.len();
        self.slope.fill(0.0);
        for (null, share) in of.into_iter().zip(shares) {
            add_times(&mut self.slope, share, &self.null[null * (variables + 1)..][..=variables]);
        }
        normalise(&mut self.slope);
        self.write_bend(line);
        let moved = |i: usize, way: f64| way * (self.slope[i] + 0.5 * way * self.change[i]);
        let leads_on = |way: f64| {
            moved(variables, way) > 0.0
                && (0..variables).all(|i| self.domains[i].contains(self.place[i] + moved(i, way)))
        };
        let mut way = FIRST_STEP;
        if !leads_on(way) {
            return 0.0;
        }
        while way < MAX_STANDING && leads_on(1.2 * way) {
            way *= 1.2;
        }
        moved(variables, way)
    }

    /// Writes an orthonormal basis of what the equations leave open.
    fn write_null_space(&mut self) {
        let size = self.place.len();
        self.null.clear();
        for unit in 0..size {
            self.change.fill(0.0);
            self.change[unit] = 1.0;
            self.rows.project(&mut self.change);
            for other in self.null.chunks_exact(size) {
                let share = dot(&self.change, other);
                add_times(&mut self.change, -share, other);
            }
            if normalise(&mut self.change) > 0.1 && self.null.len() + size <= MAX_NULL * size {
                self.null.extend_from_slice(&self.change);
            }
        }
    }
}
