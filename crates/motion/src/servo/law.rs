//! The time law: how the joints go along a curve over time, within their limits, and always able to stop on it.
//!
//! The way along the curve has jerks that are constant for some time. A plan is a list of them that leads to rest before the curve ends.
//! It was looked at as a whole, and it is kept as data.

use super::constants::{BRAKING, CHECKED, MOMENT, OUTSIDE, PLANNED, SHORTEST_MOMENT, TOO_FAST, UNEVEN, UNLIMITED};
use super::curve::Curve;
use super::jerk_bounds::Limits;

/// The motion along a curve: the way, and its derivatives over time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Along {
    pub way: f64,
    pub speed: f64,
    pub acceleration: f64,
}

/// A constant jerk for a time.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub time: f64,
    pub jerk: f64,
}

/// A plan to rest.
#[derive(Debug, Clone)]
pub struct Plan {
    pub now: Along,
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
    /// The place and its first three derivatives over the way, where it is looked at.
    slopes: [Vec<f64>; 4],
}

impl Along {
    pub const START: Self = Self { way: 0.0, speed: 0.0, acceleration: 0.0 };

    fn after(self, time: f64, jerk: f64) -> Self {
        let Self { way, speed, acceleration } = self;
        Self {
            way: way + time * (speed + time * (0.5 * acceleration + time * jerk / 6.0)),
            speed: speed + time * (acceleration + time * 0.5 * jerk),
            acceleration: acceleration + time * jerk,
        }
    }
}

impl Plan {
    pub fn new() -> Self {
        Self { now: Along::START, end: 0.0, parts: Vec::with_capacity(MOST_PARTS) }
    }

    /// Stands.
    pub fn stand(&mut self, way: f64) {
        self.now = Along { way, ..Along::START };
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
            self.now = Along { way: self.now.way, ..Along::START };
        }
    }
}

/// Parts of a plan at most.
const MOST_PARTS: usize = 300;

impl Planner {
    pub fn new(variables: usize) -> Self {
        Self { slopes: [(); 4].map(|()| vec![0.0; variables + 1]) }
    }

    /// The jerk with which the time of the line comes to run at its own speed; more than the limits allow, where these decide.
    pub fn wanted_jerk(&mut self, curve: &Curve, now: Along, limits: &[Limits], period: f64) -> f64 {
        curve.write(now.way, 0, &mut self.slopes);
        let Along { speed, acceleration, .. } = now;
        let most = self.jerks(now, limits, PLANNED[2]);
        let [first, second, third] = [1, 2, 3].map(|order| self.slopes[order][limits.len()]);
        let rate = first * speed;
        let change = second * speed * speed + first * acceleration;
        let jerk = first * most.greatest.abs().min(UNLIMITED);
        if jerk.is_nan() || jerk <= 1e-9 {
            return most.greatest.min(UNLIMITED);
        }
        let left = 1.0 - rate - 0.5 * period * change;
        let wanted = super::braking_speed::approach(left.abs(), jerk, 3.0 * period) * left.signum();
        let bend = third * speed.powi(3) + 3.0 * second * speed * acceleration;
        let towards = ((wanted - change) / period - bend) / first;
        towards.min(most.greatest)
    }

    /// The jerk with which the fastest stop begins.
    pub fn least_jerk(&mut self, curve: &Curve, now: Along, limits: &[Limits]) -> f64 {
        let piece = curve.write(now.way, 0, &mut self.slopes);
        self.brake(now, piece, limits).jerk
    }

    /// Plans to rest, as soon as possible, after a first part. Gives what is in the way, if something is.
    pub fn plan(
        &mut self,
        curve: &Curve,
        now: Along,
        first: Part,
        limits: &[Limits],
        plan: &mut Plan,
    ) -> Result<(), Obstacle> {
        plan.now = now;
        plan.parts.clear();
        let end = curve.reach();
        let mut at = now;
        let mut piece = curve.write(at.way, 0, &mut self.slopes);
        let Part { time: mut left, jerk } = first;
        while left > 0.0 {
            let speed = at.speed.max(at.after(left, jerk).speed).max(1e-9);
            let time = left.min((piece / speed).max(SHORTEST_MOMENT)).min(self.even_for(at, jerk, limits));
            self.check_jerk(at, jerk, limits)?;
            at = self.go_on(curve, at, Part { time, jerk }, limits, plan)?;
            piece = curve.write(at.way, 0, &mut self.slopes);
            left -= time;
        }
        while !(at.speed <= 0.0 && at.acceleration == 0.0) {
            if plan.parts.len() >= MOST_PARTS {
                return Err(Obstacle::Limit);
            }
            let mut part = self.brake(at, piece, limits);
            part.time = part.time.min(self.even_for(at, part.jerk, limits));
            self.check_jerk(at, part.jerk, limits)?;
            at = self.go_on(curve, at, part, limits, plan)?;
            piece = curve.write(at.way, 0, &mut self.slopes);
        }
        if at.way > end {
            return Err(Obstacle::End);
        }
        plan.parts.reverse();
        plan.end = at.way;
        Ok(())
    }

    /// Goes a part on, and looks whether all limits are kept at its end.
    fn go_on(
        &mut self,
        curve: &Curve,
        at: Along,
        part: Part,
        limits: &[Limits],
        plan: &mut Plan,
    ) -> Result<Along, Obstacle> {
        plan.parts.push(part);
        let mut next = at.after(part.time, part.jerk);
        if next.speed.abs() < 1e-9 && next.acceleration.abs() < 1e-6 {
            (next.speed, next.acceleration) = (0.0, 0.0);
        }
        if next.speed < 0.0 || next.way > curve.reach() {
            return Err(Obstacle::End);
        }
        curve.write(next.way, 0, &mut self.slopes);
        self.check_jerk(next, part.jerk, limits)?;
        for (i, limits) in limits.iter().enumerate() {
            let velocity = self.slopes[1][i] * next.speed;
            let acceleration = self.slopes[2][i] * next.speed.powi(2) + self.slopes[1][i] * next.acceleration;
            if velocity.abs() > CHECKED[0] * limits.velocity || acceleration.abs() > CHECKED[1] * limits.acceleration {
                return Err(Obstacle::Limit);
            }
            let place = self.slopes[0][i];
            if (place - limits.domain.clamp(place)).abs() > OUTSIDE {
                return Err(Obstacle::Limit);
            }
        }
        if self.slopes[1][limits.len()] * next.speed > TOO_FAST {
            return Err(Obstacle::Limit);
        }
        Ok(next)
    }

    fn check_jerk(&self, at: Along, jerk: f64, limits: &[Limits]) -> Result<(), Obstacle> {
        for (i, limits) in limits.iter().enumerate() {
            if (self.bend(at, i) + self.slopes[1][i] * jerk).abs() > CHECKED[2] * limits.jerk {
                return Err(Obstacle::Limit);
            }
        }
        Ok(())
    }

    /// The next part of a stop that is as fast as the limits allow.
    fn brake(&self, at: Along, piece: f64, limits: &[Limits]) -> Part {
        let Along { speed, acceleration, .. } = at;
        let jerks = self.jerks(at, limits, BRAKING);
        let slowest = self.accelerations(at, limits, PLANNED[1]).least;
        // What is left for the end, where the curve is straight.
        let straight = (0..limits.len()).map(|i| BRAKING * limits[i].jerk / self.slopes[1][i].abs());
        let ending = straight.fold(UNLIMITED, f64::min);
        let longest = MOMENT.min(piece / (speed + MOMENT * acceleration.max(0.0)).max(1e-9)).max(SHORTEST_MOMENT);
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
    fn even_for(&self, at: Along, jerk: f64, limits: &[Limits]) -> f64 {
        let Along { speed, acceleration, .. } = at;
        let [bends, thirds] = [
            10.0 * (acceleration * jerk).abs(),
            15.0 * speed * acceleration * acceleration + 10.0 * speed * speed * jerk.abs(),
        ];
        // The second derivative of the jerk over time, over its limit.
        let of = |i: usize| (bends * self.slopes[2][i].abs() + thirds * self.slopes[3][i].abs()) / limits[i].jerk;
        let most = (0..limits.len()).map(of).fold(0.0, f64::max);
        (8.0 * UNEVEN / most).sqrt().max(SHORTEST_MOMENT)
    }

    /// What the curve itself needs of a variable's jerk.
    fn bend(&self, at: Along, i: usize) -> f64 {
        self.slopes[3][i] * at.speed.powi(3) + 3.0 * self.slopes[2][i] * at.speed * at.acceleration
    }

    fn jerks(&self, at: Along, limits: &[Limits], share: f64) -> Room {
        let of = |i: usize| (self.bend(at, i), share * limits[i].jerk);
        self.room(limits.len(), of)
    }

    fn accelerations(&self, at: Along, limits: &[Limits], share: f64) -> Room {
        let of = |i: usize| (self.slopes[2][i] * at.speed.powi(2), share * limits[i].acceleration);
        self.room(limits.len(), of)
    }

    /// Where what is added along the slope keeps each variable within its limit: `of` gives what it has already, and the limit.
    fn room(&self, variables: usize, of: impl Fn(usize) -> (f64, f64)) -> Room {
        let mut room = Room { least: -UNLIMITED, greatest: UNLIMITED };
        for i in 0..variables {
            let slope = self.slopes[1][i];
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
