//! The time law: how the joints go along a curve over time, within their limits, and always able to stop on it.
//!
//! The way along the curve is the position of a [`State`]. Its jerks are constant for some time. A plan is a list of them that leads to rest before the curve ends.
//! It was looked at as a whole, and it is kept as data.

use super::constants::{
    BRAKING, CHECKED, MOMENT, OUTSIDE, PERIODS_TO_SPEED, PLANNED, SHORTEST_MOMENT, SHORTEST_PART, TOO_FAST, UNEVEN,
    UNLIMITED,
};
use super::curve::{Curve, Derivatives};
use super::jerk_bounds::{Limits, State};

/// A constant jerk for a time.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub time: f64,
    pub jerk: f64,
}

/// A plan to rest.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The way along the curve, and how it changes.
    pub now: State,
    /// Where it comes to rest.
    pub end: f64,
    /// The parts that are left, the last one first.
    parts: Vec<Part>,
}

/// What the limits leave at one place, of one quantity.
#[derive(Debug, Clone, Copy)]
struct Room {
    least: f64,
    greatest: f64,
}

/// Why there is no plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A limit of a joint, or the speed of a tip.
    Limit,
    /// The end of the curve.
    End,
}

/// Makes plans.
#[derive(Debug, Clone)]
pub struct Planner {
    /// The variables and the time of the line where the curve is looked at, and how far it is to where it has to be looked at next.
    place: Vec<Derivatives>,
    piece: f64,
}

impl Plan {
    pub fn new() -> Self {
        Self { now: State::at_rest(0.0), end: 0.0, parts: Vec::with_capacity(MAX_PARTS) }
    }

    /// Stands.
    pub fn stand(&mut self, way: f64) {
        self.now = State::at_rest(way);
        self.end = way;
        self.parts.clear();
    }

    /// Goes on for a time.
    pub fn advance(&mut self, mut time: f64) {
        while let Some(part) = self.parts.last_mut() {
            let step = part.time.min(time);
            self.now = self.now.after(step, part.jerk);
            part.time -= step;
            time -= step;
            if part.time <= 0.0 {
                self.parts.pop();
            }
            if time <= 0.0 {
                break;
            }
        }
        if self.parts.is_empty() {
            self.now = State::at_rest(self.now.position);
        }
    }
}

/// Parts of a plan at most.
const MAX_PARTS: usize = 300;

impl Planner {
    pub fn new(variables: usize) -> Self {
        Self { place: vec![Derivatives::default(); variables + 1], piece: 0.0 }
    }

    /// The jerk with which the time of the line comes to run at its own speed; more than the limits allow, where these decide.
    pub fn wanted_jerk(&mut self, curve: &Curve, now: State, limits: &[Limits], period: f64) -> f64 {
        self.look(curve, now.position);
        let most = self.jerks(now, limits, PLANNED[2]);
        let time = &self.place[limits.len()];
        let State { velocity: rate, acceleration: change, .. } = time.state(now);
        let first = time.0[1];
        let jerk = first * most.greatest.abs().min(UNLIMITED);
        if jerk.is_nan() || jerk <= 1e-9 {
            return most.greatest.min(UNLIMITED);
        }
        let left = 1.0 - rate - 0.5 * period * change;
        let wanted = super::braking_speed::approach(left.abs(), jerk, PERIODS_TO_SPEED * period) * left.signum();
        let towards = ((wanted - change) / period - time.jerk(now)) / first;
        towards.min(most.greatest)
    }

    /// The jerk with which the fastest stop begins.
    pub fn least_jerk(&mut self, curve: &Curve, now: State, limits: &[Limits]) -> f64 {
        self.look(curve, now.position);
        self.brake(now, limits).jerk
    }

    fn look(&mut self, curve: &Curve, way: f64) {
        self.piece = curve.write(way, &mut self.place);
    }

    /// Plans to rest, as soon as possible, after a first part. Gives what is in the way, if something is.
    pub fn plan(
        &mut self,
        curve: &Curve,
        now: State,
        first: Part,
        limits: &[Limits],
        plan: &mut Plan,
    ) -> Result<(), Obstacle> {
        plan.now = now;
        plan.parts.clear();
        let end = curve.reach();
        let mut at = now;
        self.look(curve, at.position);
        let Part { time: mut left, jerk } = first;
        while left > 0.0 {
            let speed = at.velocity.max(at.after(left, jerk).velocity).max(1e-9);
            let time = left.min((self.piece / speed).max(SHORTEST_MOMENT)).min(self.even_for(at, jerk, limits));
            self.check_jerk(at, jerk, limits)?;
            at = self.go_on(curve, at, Part { time, jerk }, limits)?;
            plan.parts.push(Part { time, jerk });
            left -= time;
        }
        while !(at.velocity <= 0.0 && at.acceleration == 0.0) {
            if plan.parts.len() >= MAX_PARTS {
                return Err(Obstacle::Limit);
            }
            let mut part = self.brake(at, limits);
            part.time = part.time.min(self.even_for(at, part.jerk, limits));
            self.check_jerk(at, part.jerk, limits)?;
            let mut found = self.go_on(curve, at, part, limits);
            while found == Err(Obstacle::Limit) && part.time > SHORTEST_PART {
                part.time *= 0.5;
                found = self.go_on(curve, at, part, limits);
            }
            plan.parts.push(part);
            at = found?;
        }
        if at.position > end {
            return Err(Obstacle::End);
        }
        plan.parts.reverse();
        plan.end = at.position;
        Ok(())
    }

    /// Goes a part on, and looks whether all limits are kept at its end.
    fn go_on(&mut self, curve: &Curve, at: State, part: Part, limits: &[Limits]) -> Result<State, Obstacle> {
        let mut next = at.after(part.time, part.jerk);
        if next.velocity.abs() < 1e-9 && next.acceleration.abs() < 1e-6 {
            (next.velocity, next.acceleration) = (0.0, 0.0);
        }
        if next.velocity < 0.0 || next.position > curve.reach() {
            return Err(Obstacle::End);
        }
        self.look(curve, next.position);
        self.check_jerk(next, part.jerk, limits)?;
        for (limits, place) in limits.iter().zip(&self.place) {
            let State { position, velocity, acceleration } = place.state(next);
            // So much faster it may be between two looks, where its acceleration turns.
            let between = 0.125 * limits.jerk * part.time * part.time;
            if velocity.abs() > CHECKED[0] * limits.velocity - between
                || acceleration.abs() > CHECKED[1] * limits.acceleration
                || (position - limits.domain.clamp(position)).abs() > OUTSIDE
            {
                return Err(Obstacle::Limit);
            }
        }
        if self.place[limits.len()].state(next).velocity > TOO_FAST {
            return Err(Obstacle::Limit);
        }
        Ok(next)
    }

    fn check_jerk(&self, at: State, jerk: f64, limits: &[Limits]) -> Result<(), Obstacle> {
        let is_kept = |(place, limits): (&Derivatives, &Limits)| {
            (place.jerk(at) + place.0[1] * jerk).abs() <= CHECKED[2] * limits.jerk
        };
        if self.place.iter().zip(limits).all(is_kept) { Ok(()) } else { Err(Obstacle::Limit) }
    }

    /// The next part of a stop that is as fast as the limits allow.
    fn brake(&self, at: State, limits: &[Limits]) -> Part {
        let State { velocity: speed, acceleration, .. } = at;
        let jerks = self.jerks(at, limits, BRAKING);
        let slowest = self.accelerations(at, limits, PLANNED[1]).least;
        // What is left for the end, where the curve is straight.
        let straight = (0..limits.len()).map(|i| BRAKING * limits[i].jerk / self.place[i].0[1].abs());
        let ending = straight.fold(UNLIMITED, f64::min);
        let longest = MOMENT.min(self.piece / (speed + MOMENT * acceleration.max(0.0)).max(1e-9)).max(SHORTEST_MOMENT);
        // The acceleration ends together with the speed.
        if acceleration < 0.0 && acceleration * acceleration >= 2.0 * speed * ending * 0.999 {
            let jerk = acceleration * acceleration / (2.0 * speed);
            let left = -2.0 * speed / acceleration;
            let time = if left <= longest { left } else { longest };
            return Part { time, jerk };
        }
        let peak = -(ending * speed + 0.5 * acceleration * acceleration).sqrt();
        let goal = peak.max(slowest);
        let mut time = longest;
        if peak >= slowest && acceleration > goal {
            time = time.min((acceleration - goal) / (-jerks.least).max(1e-3));
        }
        if acceleration < 0.0 {
            time = time.min((speed - acceleration * acceleration / (2.0 * ending)) / -acceleration);
        }
        let time = time.max(SHORTEST_MOMENT);
        Part { time, jerk: ((goal - acceleration) / time).clamp(jerks.least.min(0.0), jerks.greatest.max(0.0)) }
    }

    /// For how long the joints' jerks are no farther than a share of their limits from a straight line over time, with this jerk along the
    /// curve: so long it is enough to look at both ends.
    fn even_for(&self, at: State, jerk: f64, limits: &[Limits]) -> f64 {
        let State { velocity: speed, acceleration, .. } = at;
        // The second derivative of the jerk over time has so much of each derivative over the way.
        let shares = [
            10.0 * acceleration * jerk,
            15.0 * speed * acceleration * acceleration + 10.0 * speed * speed * jerk,
            10.0 * speed.powi(3) * acceleration,
            speed.powi(5),
        ];
        let of = |i: usize| {
            let parts = shares.iter().zip(&self.place[i].0[2..]);
            parts.map(|(share, derivative)| (share * derivative).abs()).sum::<f64>() / limits[i].jerk
        };
        let most = (0..limits.len()).map(of).fold(0.0, f64::max);
        (8.0 * UNEVEN / most).sqrt().max(SHORTEST_MOMENT)
    }

    fn jerks(&self, at: State, limits: &[Limits], share: f64) -> Room {
        let of = |i: usize| (self.place[i].jerk(at), share * limits[i].jerk);
        self.room(limits.len(), of)
    }

    fn accelerations(&self, at: State, limits: &[Limits], share: f64) -> Room {
        let of = |i: usize| (self.place[i].0[2] * at.velocity.powi(2), share * limits[i].acceleration);
        self.room(limits.len(), of)
    }

    /// Where what is added along the slope keeps each variable within its limit: `of` gives what it has already, and the limit.
    fn room(&self, variables: usize, of: impl Fn(usize) -> (f64, f64)) -> Room {
        let mut room = Room { least: -UNLIMITED, greatest: UNLIMITED };
        for i in 0..variables {
            let slope = self.place[i].0[1];
            if slope.abs() < 1e-12 {
                continue;
            }
            let (has, limit) = of(i);
            let [a, b] = [(-limit - has) / slope, (limit - has) / slope];
            let (least, greatest) = if a < b { (a, b) } else { (b, a) };
            room.least = room.least.max(least);
            room.greatest = room.greatest.min(greatest);
        }
        room
    }
}
