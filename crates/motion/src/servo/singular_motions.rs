//! What each singular value of the Jacobian asks of the variables: a motion, and how fast it may be.

use std::sync::Arc;

use super::braking_speed::braking_speed;
use super::jerk_bounds::Limits;
use super::null_motion::NullMotion;
use super::ramp::Rates;
use super::singular_values::SingularValues;
use super::stacked_jacobian::StackedJacobian;
use urdf_ik_mathematics::vectors::{dot, length};
use urdf_ik_robot::Chain;

/// Singular values below this count as this: what is commanded along them is done more slowly.
pub const LEAST_VALUE: f64 = 0.005;
/// Singular values below this are 0.
const ZERO: f64 = 1e-7;
/// Below this it is looked at whether a motion leads to the singularity.
const NEAR: f64 = 0.4;
/// Around this value a motion along a singular direction is done more slowly than the rest; far from it all of them are.
const EDGE: f64 = 0.005;
/// What is left over of a twist relative to it is rounding below this.
const ROUNDING: f64 = 1e-9;

/// Where the variables are, and what bounds them there.
pub struct Surroundings<'a> {
    pub positions: &'a [f64],
    pub limits: &'a [Limits],
}

/// The motions of all singular values at one configuration.
#[derive(Debug, Clone)]
pub struct SingularMotions {
    pub jacobian: StackedJacobian,
    pub singular: SingularValues,
    pub null_motion: NullMotion,
    /// For each singular value the unit motion that belongs to it; 0 where there is none.
    pub motions: Vec<f64>,
    /// The value that counts for it; 0 where there is no motion.
    pub values: Vec<f64>,
    /// How fast it is to be.
    pub speeds: Vec<f64>,
    /// The part of the wish along it.
    pub parts: Vec<f64>,
    /// Whether a part of the wish is done more slowly than the rest.
    pub is_cut: bool,
    /// The scale with which all of them can still come to rest before their singularities.
    pub approach: f64,
    direction: Vec<f64>,
}

impl SingularMotions {
    pub fn new(chain: &Arc<Chain>, length_scale: f64) -> Self {
        let (rows, variables) = (6 * chain.tips().len(), chain.variables().len());
        let jacobian = StackedJacobian::new(chain, length_scale);
        Self {
            singular: SingularValues::new(rows, variables),
            null_motion: NullMotion::new(&jacobian, variables),
            motions: vec![0.0; rows * variables],
            values: vec![0.0; rows],
            speeds: vec![0.0; rows],
            parts: vec![0.0; rows],
            is_cut: false,
            approach: 1.0,
            direction: vec![0.0; rows],
            jacobian,
        }
    }

    /// Looks at a configuration, which the other functions are about from now on.
    pub fn look_at(&mut self, positions: &[f64]) {
        self.jacobian.find(positions);
        self.singular.decompose(&self.jacobian);
    }

    /// The smallest singular value, of as many as there are variables or rows.
    pub fn smallest_singular_value(&self) -> f64 {
        let values = &self.singular.values;
        // Of more rows than variables, some have no value of their own.
        let surplus = values.len().saturating_sub(self.null_motion.found.len());
        let rank = |value: f64| values.iter().filter(|other| **other < value).count();
        values.iter().copied().filter(|value| rank(*value) <= surplus).fold(0.0, f64::max)
    }

    /// The speed of a variable with which the tips have a twist, where singular values below `least` count as that.
    pub fn response(&self, twist: &[f64], variable: usize, least: f64) -> f64 {
        let values = self.singular.values.iter().enumerate().filter(|(_, value)| **value > ZERO);
        let of = |(index, value): (usize, &f64)| {
            dot(self.singular.left(index), twist) / value.max(least) * self.singular.right(index)[variable] / value
        };
        values.map(of).sum()
    }

    /// Whether a part of the wish has no motion.
    pub fn loses_something(&self, size: f64) -> bool {
        self.values.iter().zip(&self.parts).any(|(value, part)| *value == 0.0 && part.abs() > ROUNDING * size)
    }

    /// Chooses the motion of each singular value, and how fast it is to be. Gives whether a singularity holds something back.
    pub fn choose_speeds(&mut self, twist: &[f64], at: &Surroundings) -> bool {
        let size = length(twist);
        let mut is_singular = false;
        self.approach = 1.0;
        if self.singular.values.iter().any(|value| *value < LEAST_VALUE) {
            self.null_motion.find_null_space(&self.singular, LEAST_VALUE);
        }
        for index in 0..self.values.len() {
            let value = self.singular.values[index];
            let part = dot(self.singular.left(index), twist);
            self.parts[index] = part;
            let counts = part.abs() > 0.01 * size;
            let is_nearly_lost = value < LEAST_VALUE && part.abs() > ROUNDING * size.max(ROUNDING);
            is_singular |= is_nearly_lost && counts;
            if is_nearly_lost && self.leave(at, index, part) {
                continue;
            }
            if value > ZERO {
                self.take_motion(index, value);
                self.speeds[index] = self.safe_speed(at, index, part / value.max(LEAST_VALUE));
                is_singular |= counts && (self.speeds[index] * value).abs() < 0.99 * part.abs();
            } else {
                (self.values[index], self.speeds[index]) = (0.0, 0.0);
            }
        }
        self.is_cut = is_singular;
        is_singular || self.approach < 1.0
    }

    /// Takes the motion of a singular value that is not 0.
    fn take_motion(&mut self, index: usize, value: f64) {
        let variables = self.null_motion.found.len();
        let motion = &mut self.motions[index * variables..][..variables];
        motion.iter_mut().zip(self.singular.right(index)).for_each(|(motion, entry)| *motion = entry / value);
        self.values[index] = value.max(LEAST_VALUE);
    }

    /// The speed at which a motion towards its singularity may go on: one from which it comes to rest in time, so that the arm does not
    /// go over to another branch.
    fn safe_speed(&mut self, at: &Surroundings, index: usize, speed: f64) -> f64 {
        let value = self.singular.values[index];
        if value > NEAR || speed == 0.0 {
            return speed;
        }
        let variables = self.null_motion.found.len();
        let motion = &self.motions[index * variables..][..variables];
        let direction = self.singular.left(index);
        let curvature = self.null_motion.curvature((&self.jacobian, at.positions), (direction, motion));
        if curvature * speed >= 0.0 {
            return speed;
        }
        let Rates { acceleration, jerk } = Rates::of_shares(at.limits, motion.iter().copied());
        let most = braking_speed(value / curvature.abs(), acceleration, jerk);
        let widened = most * (1.0 + (value / EDGE).powi(3));
        let speed = speed.clamp(-widened, widened);
        self.approach = self.approach.min(most / speed.abs());
        speed
    }

    /// Chooses a motion that leaves a nearly singular configuration. Gives whether there is one.
    fn leave(&mut self, at: &Surroundings, index: usize, part: f64) -> bool {
        let variables = self.null_motion.found.len();
        for (entry, left) in self.direction.iter_mut().zip(self.singular.left(index)) {
            *entry = part.signum() * left;
        }
        if !self.null_motion.find((&self.jacobian, at.positions), &self.direction, at.limits) {
            return false;
        }
        let motion = &mut self.motions[index * variables..][..variables];
        let sign = part.signum();
        motion.iter_mut().zip(&self.null_motion.found).for_each(|(motion, entry)| *motion = sign * entry);
        (self.values[index], self.speeds[index]) = (LEAST_VALUE, part / LEAST_VALUE);
        true
    }
}
