//! Joint velocities for the twists of the tips: the least ones, where limits, contacts and singularities allow only a part of the twists.

use std::sync::Arc;

use super::braking_speed::{braking_speed, widened};
use super::contacts::Contacts;
use super::jerk_bounds::Limits;
use super::ramp::Rates;
use super::singular_motions::{SingularMotions, Surroundings};
use crate::dual_active_set::{DualActiveSet, Inequalities};
use crate::robot::{Chain, Domain};

/// The share of the velocity limits that is used.
const SHARE: f64 = 0.99;
/// The share of the acceleration limits that the curvature of a motion may need.
const CURVATURE_SHARE: f64 = 0.7;
/// Damping \[rad²\] that only decides what the tips leave open.
const DAMPING: f64 = 1e-10;
/// Damping where the joints would have to be very fast, and the least scale that is not.
const STRONG_DAMPING: f64 = 1e-4;
const LEAST_SCALE: f64 = 0.1;
/// A shorter wish tells nothing of how fast the joints have to be.
const LEAST_WISH: f64 = 1e-6;
/// At least so much of the acceleration limits is left for changes of what is commanded.
const LEAST_LEFT: f64 = 0.2;
/// What is missed of a twist relative to it is nothing below this.
const MISSED: f64 = 1e-3;
/// Rounding of velocities at their bounds \[rad/s or m/s\].
const TIGHT: f64 = 1e-9;
/// Joints beyond this share of their half range are led back by the null space, with at most this share of the speed of the motion.
const OUTER: f64 = 0.7;
const RETURN: f64 = 0.5;

/// What the tips are to do.
pub struct Wish<'a> {
    /// Their twists, six entries a tip: translation over the length scale, along the axes of the base link.
    pub twist: &'a [f64],
    /// The weight of each entry where not all can be had.
    pub weights: &'a [f64],
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolved {
    /// The share of the wish, or of what limits and contacts leave of it, that the velocity limits allow.
    pub scale: f64,
    /// The variable that limits the scale, where one does.
    pub fastest: Option<usize>,
    /// Whether a singularity holds a part of the wish back.
    pub is_singular: bool,
    /// Whether limits or contacts do.
    pub is_bounded: bool,
}

impl Resolved {
    /// Nothing holds the arm back.
    pub const FREE: Self = Self { scale: 1.0, fastest: None, is_singular: false, is_bounded: false };
}

/// Finds joint velocities.
#[derive(Debug, Clone)]
pub struct Resolver {
    pub limits: Vec<Limits>,
    pub tips: SingularMotions,
    /// The Jacobian with these values, and the twist that it is to give.
    effective: Vec<f64>,
    twist: Vec<f64>,
    quadratic: DualActiveSet,
    /// The bounds of the quadratic problem.
    bounds: [Vec<f64>; 2],
    preferred: Vec<f64>,
    /// The accelerations that the motion found last needs to go on at the same speed.
    curvature: Vec<f64>,
    /// The velocities found last, over the wish.
    shares: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// The velocities found last \[rad/s or m/s\].
    pub velocities: Vec<f64>,
}

impl Resolver {
    pub fn new(chain: &Arc<Chain>, length_scale: f64, limits: Vec<Limits>) -> Self {
        let (rows, variables) = (6 * chain.tips().len(), limits.len());
        let mut quadratic = DualActiveSet::default();
        quadratic.make_room(variables);
        let list = vec![0.0; variables];
        Self {
            tips: SingularMotions::new(chain, length_scale),
            effective: vec![0.0; rows * variables],
            twist: vec![0.0; rows],
            quadratic,
            bounds: [list.clone(), list.clone()],
            preferred: list.clone(),
            curvature: list.clone(),
            shares: list.clone(),
            lower: list.clone(),
            upper: list.clone(),
            velocities: list,
            limits,
        }
    }

    /// Looks at a configuration, which the other functions are about from now on.
    pub fn look_at(&mut self, positions: &[f64]) {
        self.tips.look_at(positions);
        for (i, limits) in self.limits.iter().enumerate() {
            let speed = |distance: f64| braking_speed(distance, limits.acceleration, limits.jerk);
            (self.lower[i], self.upper[i]) = match limits.domain {
                Domain::Interval { lower, upper } => (-speed(positions[i] - lower), speed(upper - positions[i])),
                Domain::Circle => (f64::NEG_INFINITY, f64::INFINITY),
            };
        }
    }

    /// How fast a velocity of the tips along `twist`, a unit vector, may change within the limits of the joints.
    pub fn rates(&self, twist: &[f64]) -> Rates {
        /// Where the joints set no limit.
        const GREATEST: Rates = Rates { acceleration: 20.0, jerk: 400.0 };
        let mut rates = GREATEST;
        for (i, limits) in self.limits.iter().enumerate() {
            let share = self.tips.response(twist, i).abs().max(self.shares[i]);
            let left = (limits.acceleration - self.curvature[i].abs()).max(LEAST_LEFT * limits.acceleration);
            rates.acceleration = rates.acceleration.min(left / share);
            rates.jerk = rates.jerk.min(limits.jerk / share);
        }
        rates
    }

    /// Writes the velocities for a wish, and tells what came of it.
    pub fn resolve(&mut self, positions: &[f64], wish: &Wish, contacts: &Contacts) -> Resolved {
        let at = Surroundings { positions, limits: &self.limits, lower: &self.lower, upper: &self.upper };
        let is_singular = self.tips.choose_speeds(wish.twist, &at);
        let is_lost = self.tips.loses_something(length(wish.twist));
        self.write_sum(positions);
        let (first, mut fastest) = self.slow_down(self.tips.approach);
        let mut scale = first;
        let is_bounded = !self.is_inside(contacts);
        if is_bounded || is_lost {
            self.write_effective(first);
            let (second, now) = self.solve_bounded(wish, contacts);
            (scale, fastest) = (first * second, now.or(fastest));
        }
        let size = scale * length(wish.twist);
        for (share, velocity) in self.shares.iter_mut().zip(&self.velocities) {
            *share = if size > LEAST_WISH { velocity.abs() / size } else { 0.0 };
        }
        let (bend, most_bent) = self.slow_down_bends(positions);
        Resolved { scale: scale * bend, fastest: most_bent.or(fastest), is_singular, is_bounded }
    }

    /// Finds velocities inside bounds and contacts: such that give the whole twist, where there are any. Otherwise the way to a joint limit
    /// is first made more slowly as a whole, and then without the joint. Gives the scale, and the variable that needs it.
    fn solve_bounded(&mut self, wish: &Wish, contacts: &Contacts) -> (f64, Option<usize>) {
        self.minimise(wish, contacts, DAMPING, |bound| bound);
        if self.missed() > MISSED * length(&self.twist) {
            self.minimise(wish, contacts, DAMPING, widened);
        }
        let mut done = self.slow_down(1.0);
        if done.0 < LEAST_SCALE {
            self.minimise(wish, contacts, STRONG_DAMPING, widened);
            done = self.slow_down(1.0);
        }
        let slower = self.slow_down_to_bounds();
        (done.0 * slower, done.1)
    }

    /// What the velocities miss of the twist.
    fn missed(&self) -> f64 {
        let rows = self.effective.chunks_exact(self.velocities.len()).zip(&self.twist);
        rows.map(|(row, twist)| (twist - dot(row, &self.velocities)).powi(2)).sum::<f64>().sqrt()
    }

    /// Slows all velocities down until none is above its bound. Gives the scale.
    fn slow_down_to_bounds(&mut self) -> f64 {
        let mut scale = 1.0_f64;
        for (velocity, (lower, upper)) in self.velocities.iter().zip(self.lower.iter().zip(&self.upper)) {
            let bound = if *velocity > 0.0 { *upper } else { *lower };
            if velocity.abs() > bound.abs() + TIGHT {
                scale = scale.min((bound.abs() + TIGHT) / velocity.abs());
            }
        }
        self.scale(scale);
        scale
    }

    /// Writes velocities as near to `wished` as limits and contacts allow, and tells what came of it.
    pub fn bound(&mut self, wished: &[f64], contacts: &Contacts) -> Resolved {
        self.velocities.copy_from_slice(wished);
        let (first, fastest) = self.slow_down(1.0);
        let is_bounded = !self.is_inside(contacts);
        if is_bounded {
            let size = self.velocities.len();
            self.quadratic.matrix.fill(0.0);
            self.quadratic.matrix.iter_mut().step_by(size + 1).for_each(|entry| *entry = 1.0);
            self.quadratic.vector.copy_from_slice(&self.velocities);
            self.minimise_quadratic(contacts, |bound| bound);
        }
        Resolved { scale: first, fastest, is_singular: false, is_bounded }
    }

    /// An entry of the twists that the velocities give.
    pub fn twist(&self, row: usize) -> f64 {
        dot(self.tips.jacobian.row(row), &self.velocities)
    }

    /// Slows all velocities down.
    pub fn scale(&mut self, scale: f64) {
        self.velocities.iter_mut().for_each(|velocity| *velocity *= scale);
    }

    /// Writes the sum of the motions, and what leads joints back from their limits without moving the tips.
    fn write_sum(&mut self, positions: &[f64]) {
        let variables = self.velocities.len();
        self.velocities.fill(0.0);
        for (motion, speed) in self.tips.motions.chunks_exact(variables).zip(&self.tips.speeds) {
            self.velocities.iter_mut().zip(motion).for_each(|(velocity, motion)| *velocity += speed * motion);
        }
        self.write_preferred(positions);
        for (motion, _) in
            self.tips.motions.chunks_exact(variables).zip(&self.tips.values).filter(|(_, value)| **value > 0.0)
        {
            let along = dot(motion, &self.preferred);
            self.preferred.iter_mut().zip(motion).for_each(|(preferred, motion)| *preferred -= along * motion);
        }
        self.velocities.iter_mut().zip(&self.preferred).for_each(|(velocity, preferred)| *velocity += preferred);
    }

    /// Writes velocities that lead joints away from their limits, in proportion to the speed of the motion.
    fn write_preferred(&mut self, positions: &[f64]) {
        self.preferred.fill(0.0);
        if self.velocities.len() <= self.tips.values.iter().filter(|value| **value > 0.0).count() {
            return;
        }
        let speeds =
            self.velocities.iter().zip(&self.limits).map(|(velocity, limits)| velocity.abs() / limits.velocity);
        let speed = RETURN * speeds.fold(0.0, f64::max).min(1.0);
        for ((preferred, limits), position) in self.preferred.iter_mut().zip(&self.limits).zip(positions) {
            if let Domain::Interval { .. } = limits.domain {
                let half = limits.domain.half_range();
                let out = if half > 0.0 { (position - limits.domain.middle()) / half } else { 0.0 };
                let beyond = ((out.abs() - OUTER) / (1.0 - OUTER)).clamp(0.0, 1.0);
                *preferred = -out.signum() * beyond * speed * limits.velocity;
            }
        }
    }

    /// Slows all velocities down from `scale` until none is above its limit. Gives the scale, and the variable that needs it.
    fn slow_down(&mut self, mut scale: f64) -> (f64, Option<usize>) {
        let mut fastest = None;
        for (i, (velocity, limits)) in self.velocities.iter().zip(&self.limits).enumerate() {
            let most = SHARE * limits.velocity;
            if velocity.abs() * scale > most {
                (scale, fastest) = (most / velocity.abs(), Some(i));
            }
        }
        self.scale(scale);
        (scale, fastest)
    }

    /// Slows all velocities down until the curvature of the motion needs no acceleration that is too great. Gives the scale, and the
    /// variable that needs it.
    fn slow_down_bends(&mut self, positions: &[f64]) -> (f64, Option<usize>) {
        let Self { tips, velocities, twist, .. } = self;
        tips.null_motion.write_acceleration((&tips.jacobian, positions), velocities, twist);
        let (mut scale, mut fastest) = (1.0, None);
        for i in 0..self.limits.len() {
            self.curvature[i] = -self.tips.response(&self.twist, i);
            let (needed, most) = (self.curvature[i].abs(), CURVATURE_SHARE * self.limits[i].acceleration);
            if needed * scale * scale > most {
                (scale, fastest) = ((most / needed).sqrt(), Some(i));
            }
        }
        self.scale(scale);
        self.curvature.iter_mut().for_each(|curvature| *curvature *= scale * scale);
        (scale, fastest)
    }

    /// Whether the velocities respect bounds and contacts.
    fn is_inside(&self, contacts: &Contacts) -> bool {
        let mut bounds = self.velocities.iter().zip(self.lower.iter().zip(&self.upper));
        bounds.all(|(velocity, (lower, upper))| (lower - TIGHT..=upper + TIGHT).contains(velocity))
            && contacts.are_kept(&self.velocities)
    }

    /// Writes the Jacobian with the values that count, and the twist that it is to give, slowed down.
    fn write_effective(&mut self, scale: f64) {
        let variables = self.velocities.len();
        self.effective.copy_from_slice(&self.tips.jacobian.rows);
        self.twist.fill(0.0);
        for (index, motion) in self.tips.motions.chunks_exact(variables).enumerate() {
            let left = self.tips.singular.left(index);
            let [value, own] = [self.tips.values[index], self.tips.singular.values[index]];
            let part = if value > 0.0 { value * self.tips.speeds[index] } else { self.tips.parts[index] };
            let rows = self.effective.chunks_exact_mut(variables).zip(&mut self.twist).zip(left);
            for ((row, twist), left) in rows {
                *twist += scale * part * left;
                if value > own {
                    row.iter_mut().zip(motion).for_each(|(entry, motion)| *entry += (value - own) * left * motion);
                }
            }
        }
        self.preferred.iter_mut().for_each(|preferred| *preferred *= scale);
    }

    /// Writes the velocities that come nearest to the twist within bounds and contacts.
    fn minimise(&mut self, wish: &Wish, contacts: &Contacts, damping: f64, bound: fn(f64) -> f64) {
        let variables = self.velocities.len();
        let DualActiveSet { matrix, vector, .. } = &mut self.quadratic;
        matrix.fill(0.0);
        matrix.iter_mut().step_by(variables + 1).for_each(|entry| *entry = damping);
        vector.iter_mut().zip(&self.preferred).for_each(|(entry, preferred)| *entry = damping * preferred);
        for ((row, twist), weight) in self.effective.chunks_exact(variables).zip(&self.twist).zip(wish.weights) {
            let squared = weight * weight;
            for i in 0..variables {
                vector[i] += squared * row[i] * twist;
                for j in 0..=i {
                    matrix[i * variables + j] += squared * row[i] * row[j];
                }
            }
        }
        self.minimise_quadratic(contacts, bound);
    }

    fn minimise_quadratic(&mut self, contacts: &Contacts, bound: fn(f64) -> f64) {
        for i in 0..self.lower.len() {
            self.bounds[0][i] = bound(self.lower[i]);
            self.bounds[1][i] = bound(self.upper[i]);
        }
        let Contacts { slopes, least, .. } = contacts;
        let inequalities = Inequalities { rows: slopes, least, lower: &self.bounds[0], upper: &self.bounds[1] };
        if self.quadratic.minimise(&inequalities) {
            self.velocities.copy_from_slice(&self.quadratic.minimum);
        } else {
            // To stand still keeps all of them, so only rounding leads here.
            self.velocities.fill(0.0);
        }
    }
}

fn length(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
