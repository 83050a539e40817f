//! Joint velocities for the twists of the tips: the least ones, where limits, contacts and singularities allow only a part of the twists.

use std::sync::Arc;

use super::braking_speed::{braking_speed, widened};
use super::contacts::Contacts;
use super::jerk_bounds::Limits;
use super::ramp::Rates;
use super::singular_motions::{LEAST_VALUE, SingularMotions, Surroundings};
use urdf_ik_mathematics::dual_active_set::{DualActiveSet, Inequalities};
use urdf_ik_mathematics::vectors::{add_times, dot, length};
use urdf_ik_robot::{Chain, Domain};

/// The share of the velocity limits that is used.
const SHARE: f64 = 0.99;
/// The share of the acceleration limits that the curvature of a motion may need.
const CURVATURE_SHARE: f64 = 0.7;
/// Damping \[rad²\] that only decides what the tips leave open.
const DAMPING: f64 = 1e-11;
/// How far from its limit a joint counts twice as much as one far from limits, and from where on it does not count still more
/// \[rad or m\].
const NEAR: f64 = 0.7;
const NEAREST: f64 = 0.05;
/// Damping where the joints would have to be very fast, and the least scale that is not.
const STRONG_DAMPING: f64 = 1e-4;
const LEAST_SCALE: f64 = 0.1;
/// A shorter wish tells nothing of how fast the joints have to be.
const LEAST_WISH: f64 = 1e-6;
/// Singular values below this count as this where it is about how fast the twists of the tips may change: near a singularity these change
/// with the values as much as with the joints.
const LEAST_RATE_VALUE: f64 = 0.1;
/// At least so much of the acceleration limits is left for changes of what is commanded.
const LEAST_LEFT: f64 = 0.2;
/// What is missed of a twist relative to it is nothing below this.
const MISSED: f64 = 1e-3;
/// Rounding of velocities at their bounds \[rad/s or m/s\].
const TIGHT: f64 = 1e-9;

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
    /// Whether a part of the wish is not only slower, but left out.
    pub is_blocked: bool,
}

impl Resolved {
    /// Nothing holds the arm back.
    pub const FREE: Self = Self { scale: 1.0, fastest: None, is_singular: false, is_bounded: false, is_blocked: false };
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
    /// The accelerations that the motion found last needs to go on at the same speed.
    curvature: Vec<f64>,
    /// The velocities found last, over the wish.
    shares: Vec<f64>,
    /// How far each variable is from the nearer of its limits.
    rooms: Vec<f64>,
    /// The velocities from which each can still brake before them.
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
            curvature: list.clone(),
            shares: list.clone(),
            rooms: list.clone(),
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
            (self.rooms[i], self.lower[i], self.upper[i]) = match limits.domain {
                Domain::Interval { lower, upper } => {
                    let [below, above] = [positions[i] - lower, upper - positions[i]];
                    (below.min(above), -speed(below), speed(above))
                }
                Domain::Circle => (f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY),
            };
        }
    }

    /// How fast a velocity of the tips along `twist`, a unit vector, may change within the limits of the joints.
    pub fn rates(&self, twist: &[f64]) -> Rates {
        /// Where the joints set no limit.
        const GREATEST: Rates = Rates { acceleration: 20.0, jerk: 400.0 };
        let mut rates = GREATEST;
        for (i, limits) in self.limits.iter().enumerate() {
            let response = self.tips.response(twist, i, LEAST_RATE_VALUE);
            let share = response.abs().max(self.shares[i]);
            rates.acceleration = rates.acceleration.min(self.left(i, response, 1.0) / share);
            rates.jerk = rates.jerk.min(limits.jerk / share);
        }
        rates
    }

    /// How fast the share `pace` of a motion whose velocities are found with `scale` may go over to a goal.
    pub fn pace_rates(&self, [pace, goal]: [f64; 2], scale: f64) -> Rates {
        let mut rates = Rates { acceleration: f64::MAX, jerk: f64::MAX };
        for (i, limits) in self.limits.iter().enumerate() {
            let velocity = self.velocities[i] / scale;
            let acceleration = self.left(i, (goal - pace) * velocity, pace / scale) / velocity.abs();
            rates.acceleration = rates.acceleration.min(acceleration);
            rates.jerk = rates.jerk.min(acceleration * limits.jerk / limits.acceleration);
        }
        rates
    }

    /// What the curvature of the motion leaves of a variable's acceleration limit for a change in one direction. Where the curvature goes
    /// against it, as on the way out of a singularity, that is more than all of it.
    fn left(&self, variable: usize, direction: f64, pace: f64) -> f64 {
        let limit = self.limits[variable].acceleration;
        (limit - direction.signum() * pace * pace * self.curvature[variable]).max(LEAST_LEFT * limit)
    }

    /// Writes the velocities for a wish, and tells what came of it.
    pub fn resolve(&mut self, positions: &[f64], wish: &Wish, contacts: &Contacts) -> Resolved {
        let at = Surroundings { positions, limits: &self.limits };
        let is_singular = self.tips.choose_speeds(wish.twist, &at);
        let is_lost = self.tips.loses_something(length(wish.twist));
        self.write_sum();
        let (first, mut fastest) = self.slow_down(self.tips.approach);
        let (mut scale, mut is_blocked) = (first, is_lost || self.tips.is_cut);
        let is_bounded = !self.is_inside(contacts);
        if is_bounded || is_lost || self.velocities.len() > self.twist.len() {
            self.write_effective(first);
            let (second, now, misses) = self.solve_bounded(wish, contacts);
            (scale, fastest) = (first * second, now.or(fastest));
            is_blocked |= misses;
        }
        let size = scale * length(wish.twist);
        for (share, velocity) in self.shares.iter_mut().zip(&self.velocities) {
            *share = if size > LEAST_WISH { velocity.abs() / size } else { 0.0 };
        }
        let (bend, most_bent) = self.slow_down_bends(positions);
        Resolved { scale: scale * bend, fastest: most_bent.or(fastest), is_singular, is_bounded, is_blocked }
    }

    /// Finds velocities inside bounds and contacts: such that give the whole twist, where there are any. Otherwise the way to a joint limit
    /// is first made more slowly as a whole, and then without the joint. Gives the scale, the variable that needs it, and whether a part
    /// is left out.
    fn solve_bounded(&mut self, wish: &Wish, contacts: &Contacts) -> (f64, Option<usize>, bool) {
        self.minimise(wish, contacts, DAMPING, |bound| bound);
        let mut misses = self.misses();
        if misses {
            self.minimise(wish, contacts, DAMPING, widened);
            misses = self.misses();
        }
        let mut done = self.slow_down(1.0);
        if done.0 < LEAST_SCALE {
            self.minimise(wish, contacts, STRONG_DAMPING, widened);
            done = self.slow_down(1.0);
        }
        let slower = self.slow_down_to_bounds();
        (done.0 * slower, done.1, misses)
    }

    /// Whether the velocities miss a part of the twist.
    fn misses(&self) -> bool {
        let rows = self.effective.chunks_exact(self.velocities.len()).zip(&self.twist);
        let squared: f64 = rows.map(|(row, twist)| (twist - dot(row, &self.velocities)).powi(2)).sum();
        squared.sqrt() > MISSED * length(&self.twist)
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
            self.quadratic.begin_function(std::iter::repeat(1.0));
            self.quadratic.vector.copy_from_slice(&self.velocities);
            self.minimise_quadratic(contacts, |bound| bound);
        }
        Resolved { scale: first, fastest, is_singular: false, is_bounded, is_blocked: is_bounded }
    }

    /// An entry of the twists that the velocities give.
    pub fn twist(&self, row: usize) -> f64 {
        dot(self.tips.jacobian.row(row), &self.velocities)
    }

    /// Slows all velocities down.
    pub fn scale(&mut self, scale: f64) {
        self.velocities.iter_mut().for_each(|velocity| *velocity *= scale);
    }

    /// Writes the sum of the motions.
    fn write_sum(&mut self) {
        let variables = self.velocities.len();
        self.velocities.fill(0.0);
        for (motion, speed) in self.tips.motions.chunks_exact(variables).zip(&self.tips.speeds) {
            add_times(&mut self.velocities, *speed, motion);
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
            self.curvature[i] = -self.tips.response(&self.twist, i, LEAST_VALUE);
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
            let value = self.tips.values[index];
            let part = if value > 0.0 { value * self.tips.speeds[index] } else { self.tips.parts[index] };
            let own = self.tips.singular.right(index);
            let rows = self.effective.chunks_exact_mut(variables).zip(&mut self.twist).zip(left);
            for ((row, twist), left) in rows {
                *twist += scale * part * left;
                if value > 0.0 {
                    let change = motion.iter().zip(own).map(|(motion, own)| value * motion - own);
                    row.iter_mut().zip(change).for_each(|(entry, change)| *entry += left * change);
                }
            }
        }
    }

    /// Writes the velocities that come nearest to the twist within bounds and contacts.
    fn minimise(&mut self, wish: &Wish, contacts: &Contacts, damping: f64, bound: fn(f64) -> f64) {
        let weights = self.rooms.iter().map(|room| damping * (1.0 + (NEAR / room.max(NEAREST)).powi(2)));
        self.quadratic.begin_function(weights);
        let rows = self.effective.chunks_exact(self.velocities.len());
        for ((row, twist), weight) in rows.zip(&self.twist).zip(wish.weights) {
            self.quadratic.add_square(row, *twist, weight * weight);
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
