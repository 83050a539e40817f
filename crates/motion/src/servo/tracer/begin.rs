//! How curves begin: where joints move, from rest, and at singular configurations.

use std::f64::consts::{PI, TAU};

use super::Tracer;
use crate::generator::JointState as Joints;
use crate::servo::constants::{
    BACK, CONSISTENT, DIRECTIONS, FIRST_STEP, HALVINGS_OF_ANGLES, HARDLY, LEADING, MAX_FOLLOWED, MAX_NULL, MAX_PAIRED,
    MAX_STANDING,
};
use crate::servo::curve::{Bend, Curve};
use crate::servo::jerk_bounds::State;
use crate::servo::line::Line;
use urdf_ik_mathematics::vectors::{add_times, dot, normalise};

/// A direction between two of the null space, at an angle to the first one \[rad\].
#[derive(Debug, Clone, Copy, Default)]
struct Direction {
    between: [usize; 2],
    angle: f64,
}

impl Direction {
    fn turned(self, angle: f64) -> Self {
        Self { angle: self.angle + angle, ..self }
    }
}

/// A direction in which a curve begins, and how far along the line that leads \[s\].
#[derive(Debug, Clone, Copy, Default)]
struct Way {
    direction: Direction,
    time: f64,
}

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

    /// Begins a curve from rest, where the joints came with a slope, if they did. Gives whether the line leads away from there.
    pub fn begin_at_rest(&mut self, curve: &mut Curve, line: &Line, positions: &[f64], came: Option<&[f64]>) -> bool {
        let variables = self.domains.len();
        self.start[..variables].copy_from_slice(positions);
        self.start[variables] = 0.0;
        self.came.fill(0.0);
        self.came.iter_mut().zip(came.into_iter().flatten()).for_each(|(entry, came)| *entry = *came);
        let goes_on = (self.take_start(line) < LEADING || self.leaves_line(line))
            && self.choose_slope_by_curves(curve, line)
            || self.choose_slope_from_rest();
        if goes_on {
            self.begin_along_slope(curve, line);
        }
        goes_on
    }

    /// Takes the equations at the start, but for those that hardly count there, near a singularity. Gives how much the time of the line can
    /// grow.
    fn take_start(&mut self, line: &Line) -> f64 {
        self.place.copy_from_slice(&self.start);
        self.write_equations(line, false);
        self.rows.take_longer(&self.matrix, HARDLY);
        self.write_along()
    }

    /// Whether a curve along which the time of the line grows most cannot bend with the line.
    fn leaves_line(&mut self, line: &Line) -> bool {
        self.slope.copy_from_slice(&self.along);
        self.missed_along_slope(line).abs() > CONSISTENT
    }

    /// Begins a curve at the start with the slope.
    fn begin_along_slope(&mut self, curve: &mut Curve, line: &Line) {
        if self.rows.rank() < self.domains.len() {
            // As at the nodes that follow: limits turn a slope of length 1.
            self.keep_from_limits(0.0);
            normalise(&mut self.slope);
        }
        self.write_bend(line);
        curve.begin(&self.start, &self.slope, Bend::Along(&self.change, &self.rows), FIRST_STEP);
    }

    /// How much the line's time grows along the slope with which the line goes on from the place; 0 where limits are in the way.
    pub(super) fn leading(&mut self, line: &Line) -> f64 {
        let variables = self.domains.len();
        self.take_equations(line);
        let goes_on = self.choose_slope_from_rest();
        let inside = |i: usize| {
            let ahead = self.place[i] + FIRST_STEP * self.slope[i];
            self.domains[i].contains(ahead)
        };
        if goes_on && (0..variables).all(inside) { self.slope[variables] } else { 0.0 }
    }

    /// Writes the slope with which the line goes on from rest at the place. Gives whether it does.
    fn choose_slope_from_rest(&mut self) -> bool {
        let time = std::mem::take(&mut self.time);
        self.drift.fill(0.0);
        let goes_on = self.choose_slope(&time, 0.0);
        self.time = time;
        goes_on
    }

    /// Writes the slope within the null space of the equations with which a curve leads farthest along the line. Gives whether there is one.
    ///
    /// Several curves meet at a singularity. They begin in directions in which they can bend with the line: there the equations agree on the
    /// bend, also those that depend on others (the equation of bifurcation). How far a curve leads is only seen by following it: where the time
    /// of the line grows at first, it may soon end.
    fn choose_slope_by_curves(&mut self, curve: &mut Curve, line: &Line) -> bool {
        self.write_null_space();
        let mut best = self.farthest(curve, line, true);
        if best.time <= 0.0 {
            best = self.farthest(curve, line, false);
        }
        let leads_on = best.time > 0.0;
        if leads_on {
            self.write_slope(best.direction);
        }
        leads_on
    }

    /// The direction in which a curve leads farthest, of those in which it bends with the line, or of all.
    fn farthest(&mut self, curve: &mut Curve, line: &Line, bends_with_line: bool) -> Way {
        let count = self.null.len() / self.place.len();
        let apart = TAU / f64::from(DIRECTIONS);
        let mut best = Way::default();
        let mut look = |best: &mut Way, direction: Direction| {
            let branch = if bends_with_line { self.branch(line, direction, apart) } else { Some(direction) };
            let Some(direction) = branch else { return };
            let time = self.follow(curve, line, direction);
            if time > best.time {
                *best = Way { direction, time };
            }
        };
        // More pairs would take too long.
        if !(2..=MAX_PAIRED).contains(&count) {
            for null in 0..count {
                for angle in [0.0, PI] {
                    look(&mut best, Direction { between: [null; 2], angle });
                }
            }
            return best;
        }
        for second in 1..count {
            for first in 0..second {
                for direction in 0..DIRECTIONS {
                    let angle = f64::from(direction) * apart;
                    look(&mut best, Direction { between: [first, second], angle });
                }
            }
        }
        let mut turn = apart;
        for _ in 0..HALVINGS_OF_ANGLES {
            turn *= 0.5;
            let middle = best.direction;
            for turn in [-turn, turn] {
                look(&mut best, middle.turned(turn));
            }
        }
        best
    }

    /// The direction, or one that is less than `apart` before it, in which a curve bends with the line.
    fn branch(&mut self, line: &Line, direction: Direction, apart: f64) -> Option<Direction> {
        let mut missed = |direction| {
            self.write_slope(direction);
            self.missed_along_slope(line)
        };
        let last = missed(direction);
        if last.abs() < CONSISTENT {
            return Some(direction);
        }
        let mut from = direction.turned(-apart);
        if missed(from) * last >= 0.0 {
            return None;
        }
        let mut step = apart;
        while step > CONSISTENT {
            step *= 0.5;
            let middle = from.turned(step);
            if missed(middle) * last < 0.0 {
                from = middle;
            }
        }
        Some(from)
    }

    /// Writes a direction of the null space as the slope.
    fn write_slope(&mut self, Direction { between, angle }: Direction) {
        let size = self.place.len();
        let (sin, cos) = angle.sin_cos();
        self.slope.fill(0.0);
        for (null, share) in between.into_iter().zip([cos, sin]) {
            add_times(&mut self.slope, share, &self.null[null * size..][..size]);
        }
        normalise(&mut self.slope);
    }

    /// What a curve with the slope misses of the line by its bend, in the equations that depend on others.
    fn missed_along_slope(&mut self, line: &Line) -> f64 {
        self.write_bend(line);
        self.rows.missed(&self.matrix, &self.missed, &self.change)
    }

    /// Follows the curve that begins in a direction. Gives how far it leads: the time of the line, and more where the joints go back as they came.
    fn follow(&mut self, curve: &mut Curve, line: &Line, direction: Direction) -> f64 {
        self.write_slope(direction);
        let back = -dot(&self.slope, &self.came);
        self.begin_along_slope(curve, line);
        while curve.end.is_none() && curve.nodes().len() < MAX_FOLLOWED && curve.last().way < MAX_STANDING {
            self.extend(curve, line);
        }
        self.take_start(line);
        curve.last().place[self.domains.len()] * (1.0 + BACK * back)
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
