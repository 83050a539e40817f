//! Bounds of the accelerations: the limits of the joints, the speeds of the tips, and contacts.

use super::Servo;
use crate::contact_rows::ContactRows;
use crate::rates::Rates;
use crate::servo::constants::{FIRST, LITTLE, TINY};
use crate::servo::goal::RowKind;
use crate::servo::jerk_bounds::Limits;
use crate::servo::line::Tracking;
use crate::servo::options::ServoOptions;
use crate::servo::place::combine;
use urdf_ik_mathematics::vectors::{dot, normalise};

impl Servo {
    /// Bounds the accelerations by the limits of the joints, and predicts their state at the end of the period.
    pub(super) fn predict(&mut self, period: f64) {
        self.acceleration.begin(self.wanted.len(), period);
        for (i, limits) in self.goal.limits.iter().enumerate() {
            let state @ [.., acceleration] = self.now.of(i);
            let [least, greatest] = limits.jerks(state, period);
            self.acceleration.lower[i] = acceleration + least * period;
            self.acceleration.upper[i] = acceleration + greatest * period;
            let jerk = (self.change[i] / period).max(least).min(greatest);
            self.predicted.set(i, limits.after(state, period, jerk));
        }
    }

    /// Bounds the accelerations so that no tip exceeds its maximum speed.
    pub(super) fn bound_tips(&mut self, period: f64) {
        let ServoOptions { linear_speed, angular_speed, .. } = self.goal.options;
        let speeds = [linear_speed / self.goal.radian, angular_speed];
        // Half of what each joint can make: the others have their part.
        let rates = Limits::least(&self.goal.limits).times(0.5);
        self.here.find_bias(&self.now.velocities, &self.goal);
        for first in (0..self.goal.tip_kinds().len()).step_by(3) {
            let most = speeds[first / 3 % 2];
            let mut direction = [0, 1, 2].map(|axis| self.here.velocity(first + axis, &self.now.velocities));
            if normalise(&mut direction) > 0.5 * most {
                combine(&self.here.rows[first * self.wanted.len()..], &direction, &mut self.gradient);
                let bias = dot(&direction, &self.here.bias[first..first + 3]);
                self.bound_velocity(most, bias, rates, period, FIRST);
            }
        }
    }

    /// Bounds the accelerations so that the tips are not faster along the line of a twist than commanded. Rotations
    /// that an arm cannot constrain would drift at the bound, so theirs is a little higher.
    pub(super) fn bound_line(&mut self, period: f64) {
        let line = &self.goal.line;
        if line.tracking == Tracking::Line && !line.stops && line.length == f64::INFINITY {
            let surplus = if self.goal.kinds.contains(&RowKind::Least) { 0.5 * LITTLE } else { 0.0 };
            // The gradient at the end of the period, with the velocities at its start, contains this change already.
            let bias = self.there.bias_along();
            let most = (1.0 + surplus) * line.speed + bias * period;
            self.gradient.copy_from_slice(&self.there.along);
            self.bound_velocity(most, bias, Limits::least(&self.goal.limits), period, FIRST);
        }
    }

    /// Bounds the accelerations towards contacts.
    pub(super) fn bound_contacts(&mut self, period: f64) {
        let rates = Limits::least(&self.goal.limits);
        // Joints that come to rest do not return to a goal.
        let return_speed = if self.wanted.iter().all(|velocity| *velocity == 0.0) { 0.0 } else { f64::INFINITY };
        for row in 0..self.goal.contacts.lower.len() {
            let ContactRows { gradients, lower, bias, .. } = &self.goal.contacts;
            let (most, bias) = (-lower[row].min(return_speed), -bias[row]);
            let away = gradients.chunks_exact(self.gradient.len()).nth(row).into_iter().flatten();
            self.gradient.iter_mut().zip(away).for_each(|(towards, away)| *towards = -away);
            self.bound_velocity(most, bias, rates, period, 1.0);
        }
    }

    /// Bounds the accelerations so that a velocity, with the gradient by those of the joints, comes to at most `most`.
    /// `bias` is its acceleration by the velocities of the joints, `yielding` the amount by which the bound yields
    /// relative to contacts \[-\].
    fn bound_velocity(&mut self, most: f64, bias: f64, rates: Rates, period: f64, yielding: f64) {
        let Self { acceleration, now, gradient, .. } = self;
        let rate = normalise(gradient);
        if rate < TINY {
            return;
        }
        let bias = bias / rate;
        let [velocity, change] = [&now.velocities, &now.accelerations].map(|rates| dot(gradient, rates));
        let wanted = rates.approach(most / rate - velocity - 0.5 * period * (change + bias), period);
        // Far from the bound, the curvature has no effect.
        let share = (1.0 - wanted / rates.acceleration).min(1.0);
        acceleration.add_bound(
            gradient,
            wanted - share * bias.clamp(-rates.acceleration, rates.acceleration),
            yielding,
        );
    }
}
