//! Motions that leave a singular configuration to second order, such as the bending of a stretched elbow.
//!
//! At a singular configuration no velocity moves the tips along some direction w. But a motion d of the null space may: along it the tips
//! are w · x(t) = t² / 2 · dᵀ H d further after a time t, with the second derivative H of w · x over the null space.

use super::jerk_bounds::Limits;
use super::singular_values::SingularValues;
use super::stacked_jacobian::StackedJacobian;
use urdf_ik_mathematics::vectors::{add_times, dot, length, normalise};

/// A step of the variables for a difference quotient \[rad or m\].
const STEP: f64 = 1e-4;
/// What grows less on average than this leads nowhere \[over the length scale\].
const LEAST_GROWTH: f64 = 5e-4;
/// A vector of the null space that is shorter than this before it is made as long as 1 depends on others.
const INDEPENDENT: f64 = 0.1;

/// How far such a motion is thought to go \[rad or m\].
const REACH: f64 = 0.1;
/// A joint of a motion that moves less than this share is not looked at.
const STILL: f64 = 0.01;
/// Powers of a symmetric form that find its strongest eigenvector: it is a direction to go, so that a mixture of the strongest ones serves.
const POWERS: usize = 100;
/// Motions that are looked at, one after the other, where joint limits are on the way.
const MOST_CHOICES: usize = 8;
/// The curvature against motions of a joint whose limit is on the way \[1/rad, over the length scale\].
const CLOSED: f64 = 1e3;

/// Finds such motions.
#[derive(Debug, Clone)]
pub struct NullMotion {
    /// An orthonormal basis of the null space, one vector after the other.
    basis: Vec<f64>,
    size: usize,
    /// The second derivative over that basis, symmetric, and what it makes of a vector.
    form: Vec<f64>,
    turned: Vec<f64>,
    /// The first and the second derivative over that basis.
    slope: Vec<f64>,
    second: Vec<f64>,
    /// What the motion looked at has of each vector of the basis.
    shares: Vec<f64>,
    /// The first motion that was found.
    first: Vec<f64>,
    moved: Vec<f64>,
    ahead: StackedJacobian,
    /// The motion found last, as long as 1.
    pub found: Vec<f64>,
}

impl NullMotion {
    pub fn new(jacobian: &StackedJacobian, variables: usize) -> Self {
        Self {
            basis: vec![0.0; variables * variables],
            size: 0,
            form: vec![0.0; variables * variables],
            turned: vec![0.0; variables],
            slope: vec![0.0; variables],
            second: vec![0.0; variables * variables],
            shares: vec![0.0; variables],
            first: vec![0.0; variables],
            moved: vec![0.0; variables],
            ahead: jacobian.clone(),
            found: vec![0.0; variables],
        }
    }

    /// The second derivative of `direction` · x along a unit motion of the variables.
    pub fn curvature(
        &mut self,
        (jacobian, positions): (&StackedJacobian, &[f64]),
        (direction, motion): (&[f64], &[f64]),
    ) -> f64 {
        self.differentiate(jacobian, positions, direction, motion);
        dot(&self.moved, motion)
    }

    /// Writes the acceleration of the tips where the variables have constant `velocities`, in the units of the Jacobian.
    pub fn write_acceleration(
        &mut self,
        (jacobian, positions): (&StackedJacobian, &[f64]),
        velocities: &[f64],
        acceleration: &mut [f64],
    ) {
        let speed = length(velocities);
        let time = STEP / speed.max(f64::MIN_POSITIVE);
        for (moved, (position, velocity)) in self.moved.iter_mut().zip(positions.iter().zip(velocities)) {
            *moved = position + if speed > 0.0 { time * velocity } else { 0.0 };
        }
        self.ahead.find(&self.moved);
        for (row, entry) in acceleration.iter_mut().enumerate() {
            let change = dot(self.ahead.row(row), velocities) - dot(jacobian.row(row), velocities);
            *entry = if speed > 0.0 { change / time } else { 0.0 };
        }
    }

    /// Finds the null space: what is orthogonal to the motions whose singular values are above `zero`.
    pub fn find_null_space(&mut self, singular: &SingularValues, zero: f64) {
        let variables = self.found.len();
        self.size = 0;
        for unit in 0..variables {
            let start = self.size * variables;
            let (known, rest) = self.basis.split_at_mut(start);
            let Some(vector) = rest.get_mut(..variables) else { return };
            vector.fill(0.0);
            vector[unit] = 1.0;
            for (index, value) in singular.values.iter().enumerate().filter(|(_, value)| **value > zero) {
                remove(vector, singular.right(index), value * value);
            }
            for other in known.chunks_exact(variables) {
                remove(vector, other, 1.0);
            }
            if normalise(vector) > INDEPENDENT {
                self.size += 1;
            }
        }
    }

    /// Finds a motion of the null space with which `direction` · x grows over a way of [`REACH`], and writes it into `found`. Gives whether
    /// there is one. One with no joint limit on its way is preferred.
    pub fn find(
        &mut self,
        (jacobian, positions): (&StackedJacobian, &[f64]),
        direction: &[f64],
        limits: &[Limits],
    ) -> bool {
        self.write_growth((jacobian, positions), direction);
        let mut is_found = false;
        for _ in 0..MOST_CHOICES {
            let [slope, bend] = self.choose();
            if slope.abs() + bend < LEAST_GROWTH {
                break;
            }
            for sign in [slope.signum(), -slope.signum()] {
                if sign * slope + bend < LEAST_GROWTH {
                    continue;
                }
                self.write_found(sign);
                if self.is_open(positions, limits) {
                    return true;
                }
                if !is_found {
                    self.first.copy_from_slice(&self.found);
                    is_found = true;
                }
            }
        }
        self.found.copy_from_slice(&self.first);
        is_found
    }

    /// Writes the first and the second derivative of `direction` · x over the null space.
    fn write_growth(&mut self, (jacobian, positions): (&StackedJacobian, &[f64]), direction: &[f64]) {
        let (size, variables) = (self.size, self.found.len());
        for a in 0..size {
            let mut motion = std::mem::take(&mut self.found);
            motion.copy_from_slice(&self.basis[a * variables..][..variables]);
            self.differentiate(jacobian, positions, direction, &motion);
            self.slope[a] = (0..direction.len()).map(|row| direction[row] * dot(jacobian.row(row), &motion)).sum();
            self.found = motion;
            for b in 0..size {
                self.second[a * size + b] = dot(&self.moved, &self.basis[b * variables..][..variables]);
            }
        }
    }

    /// Chooses the motion along which `direction` · x grows fastest to second order. Gives the growth at first, and what the curvature
    /// adds to it on average on the way, which is the same for the opposite motion.
    fn choose(&mut self) -> [f64; 2] {
        let size = self.size;
        if size == 0 {
            return [0.0; 2];
        }
        for a in 0..size {
            for b in 0..size {
                self.form[a * size + b] = 0.5 * (self.second[a * size + b] + self.second[b * size + a]);
            }
        }
        let curvature = strongest(&mut self.form[..size * size], &mut self.shares[..size], &mut self.turned[..size]);
        [dot(&self.slope[..size], &self.shares[..size]), 0.5 * REACH * curvature]
    }

    /// Writes the motion of the shares, or the opposite one.
    fn write_found(&mut self, sign: f64) {
        self.found.fill(0.0);
        for (share, vector) in self.shares[..self.size].iter().zip(self.basis.chunks_exact(self.found.len())) {
            add_times(&mut self.found, sign * share, vector);
        }
    }

    /// Whether no joint limit is on the way of the motion found. Joints whose limit is on it count against other motions from then on.
    fn is_open(&mut self, positions: &[f64], limits: &[Limits]) -> bool {
        let (size, variables) = (self.size, self.found.len());
        let mut is_open = true;
        for (joint, limits) in limits.iter().enumerate() {
            let end = positions[joint] + REACH * self.found[joint];
            if self.found[joint].abs() < STILL || limits.domain.contains(end) {
                continue;
            }
            is_open = false;
            for a in 0..size {
                for b in 0..size {
                    let both = self.basis[a * variables + joint] * self.basis[b * variables + joint];
                    self.second[a * size + b] -= CLOSED * both;
                }
            }
        }
        is_open
    }

    /// Writes the derivative of `direction` · J along `motion` into `moved`.
    fn differentiate(&mut self, jacobian: &StackedJacobian, positions: &[f64], direction: &[f64], motion: &[f64]) {
        for (moved, (position, motion)) in self.moved.iter_mut().zip(positions.iter().zip(motion)) {
            *moved = position + STEP * motion;
        }
        self.ahead.find(&self.moved);
        self.moved.fill(0.0);
        for (row, weight) in direction.iter().enumerate() {
            let change = self.ahead.row(row).iter().zip(jacobian.row(row)).map(|(there, here)| (there - here) / STEP);
            self.moved.iter_mut().zip(change).for_each(|(moved, change)| *moved += weight * change);
        }
    }
}

/// Writes the eigenvector of a symmetric `form` whose eigenvalue is greatest, by powers of the form, and gives that eigenvalue. The form is
/// shifted so that none is negative.
fn strongest(form: &mut [f64], vector: &mut [f64], image: &mut [f64]) -> f64 {
    let size = vector.len();
    // Gershgorin's bound of the least eigenvalue.
    let below = |(at, row): (usize, &[f64])| row.iter().map(|entry| entry.abs()).sum::<f64>() - row[at] - row[at].abs();
    let shift = form.chunks_exact(size).enumerate().map(below).fold(0.0, f64::max);
    form.iter_mut().step_by(size + 1).for_each(|entry| *entry += shift);
    let longest = form.chunks_exact(size).max_by(|a, b| length(a).total_cmp(&length(b)));
    vector.copy_from_slice(longest.unwrap_or_default());
    normalise(vector);
    let mut value = 0.0;
    for _ in 0..POWERS {
        for (entry, row) in image.iter_mut().zip(form.chunks_exact(size)) {
            *entry = dot(row, vector);
        }
        vector.copy_from_slice(image);
        value = normalise(vector);
    }
    value - shift
}

/// Removes from a vector what it has of another one, whose squared length is given.
fn remove(vector: &mut [f64], other: &[f64], squared: f64) {
    add_times(vector, -dot(vector, other) / squared, other);
}
