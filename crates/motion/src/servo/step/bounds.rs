//! Bounds of the accelerations: the limits of the joints, the speeds of the tips, and contacts.

use super::Servo;
use crate::contact_rows::ContactRows;
use crate::servo::constants::{NO_SPEED, TINY};
use crate::servo::goal::RowKind;
use crate::servo::jerk_bounds::{Limits, State};
use crate::servo::line::Tracking;
use urdf_ik_mathematics::vectors::{add_times, dot, normalise};

impl Servo {
    /// Bounds the accelerations by the limits of the joints, and predicts their state at the end of the period.
    pub(super) fn predict(&mut self, period: f64) {
        for (i, limits) in self.goal.limits.iter().enumerate() {
            let state = State::of(&self.now, i);
            let [least, greatest] = limits.jerks(state, period);
            self.acceleration.lower[i] = state.acceleration + least * period;
            self.acceleration.upper[i] = state.acceleration + greatest * period;
            let after = state.after(period, (self.change[i] / period).max(least).min(greatest));
            self.predicted.positions[i] = limits.domain.clamp(after.position);
            self.predicted.velocities[i] = after.velocity;
            self.predicted.accelerations[i] = after.acceleration;
        }
        self.acceleration.rows.clear();
        self.acceleration.least.clear();
    }

    /// Bounds the accelerations so that no tip exceeds its maximum speed.
    pub(super) fn bound_tips(&mut self, period: f64) {
        let Self { goal, here, acceleration, now, gradient, .. } = self;
        // Half of what each joint can make: the others have their part.
        let rates = Limits::least(&goal.limits).times(0.5);
        for tip in 0..goal.aims.len() {
            let twist = here.jacobian.twist(tip, &now.velocities);
            let bias = here.jacobian.acceleration(tip, &now.velocities);
            for (part, most) in [goal.options.linear_speed, goal.options.angular_speed].into_iter().enumerate() {
                let velocity = twist.fixed_rows::<3>(3 * part).into_owned();
                let speed = velocity.norm();
                if speed < 0.5 * most {
                    continue;
                }
                gradient.fill(0.0);
                for axis in 0..3 {
                    let row = 3 * part + axis;
                    add_times(
                        gradient,
                        here.jacobian.unit(row) * velocity[axis] / speed,
                        here.jacobian.row(6 * tip + row),
                    );
                }
                let factor = normalise(gradient);
                if factor < TINY {
                    continue;
                }
                let bias = bias.fixed_rows::<3>(3 * part).dot(&velocity) / (speed * factor);
                let acceleration_now = dot(gradient, &now.accelerations) + bias;
                let change = (most - speed) / factor - 0.5 * period * acceleration_now;
                acceleration.add_speed_bound(gradient, rates.approach(change, period) - bias);
            }
        }
    }

    /// Bounds the accelerations so that the tips are not faster along the line of a twist than commanded. Rotations that
    /// an arm cannot constrain would drift at the bound, so theirs is a little higher.
    pub(super) fn bound_line(&mut self, period: f64) {
        let line = &self.goal.line;
        let is_twist = line.tracking == Tracking::Line && !line.stops && line.length == f64::INFINITY;
        if !is_twist {
            return;
        }
        self.gradient.copy_from_slice(&self.there.along);
        let rate = normalise(&mut self.gradient);
        if rate == 0.0 {
            return;
        }
        let (bias, now) = (self.there.bias_along(), &self.now);
        let acceleration = dot(&self.there.along, &now.accelerations) + bias;
        let surplus = if self.goal.kinds.contains(&RowKind::Least) { 0.5 * NO_SPEED } else { 0.0 };
        let greatest = (1.0 + surplus) * self.goal.line.speed;
        let change = greatest - dot(&self.there.along, &now.velocities) - 0.5 * period * acceleration;
        let rates = Limits::least(&self.goal.limits);
        let most = rates.approach(change / rate, period) - bias / rate;
        self.acceleration.add_speed_bound(&self.gradient, most);
    }

    /// Bounds the accelerations towards contacts.
    pub(super) fn bound_contacts(&mut self, period: f64) {
        let Self { goal, acceleration, now, gradient, wanted, .. } = self;
        let rates = Limits::least(&goal.limits);
        let ContactRows { gradients, lower, bias, .. } = &goal.contacts;
        // Joints that come to rest do not return to a goal.
        let return_speed = if wanted.iter().all(|velocity| *velocity == 0.0) { 0.0 } else { f64::INFINITY };
        for ((away, lower), bias) in gradients.chunks_exact(now.velocities.len()).zip(lower).zip(bias) {
            gradient.iter_mut().zip(away).for_each(|(towards, away)| *towards = -away);
            let [speed, change] = [&now.velocities, &now.accelerations].map(|rates| dot(gradient, rates));
            let most = rates.approach(-lower.min(return_speed) - speed - 0.5 * period * (change - bias), period);
            // Far from the bound, the curvature of its distance has no effect.
            let share = (1.0 - most / rates.acceleration).min(1.0);
            let bias = share * bias.clamp(-rates.acceleration, rates.acceleration);
            acceleration.add_speed_bound(gradient, most + bias);
        }
    }
}
