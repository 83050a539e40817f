//! Motion beside the line: where contacts are in its way, and along joint limits.

use super::Servo;
use crate::servo::curve::End;
use crate::servo::jerk_bounds::{Limits, State};
use crate::servo::options::HeldBack;
use crate::servo::slide::Task;
use urdf_ik_collision::Clearance;

/// How far ahead contacts are looked at \[s\].
const TIME_AHEAD: f64 = 0.07;
/// A slow motion along a curve \[rad/s\].
const SLOW: f64 = 0.05;

impl Servo {
    /// Whether the joints stand where the course ends, and may go on from there beside the line, or on it again.
    pub(super) fn goes_beside(&self) -> bool {
        let slides = self.options.held_back == HeldBack::Slide;
        let gives = self.options.give_on_lines() != [0.0; 2];
        self.is_at_rest()
            && match self.course.curve.end {
                Some(End::Limit(_)) => slides || gives,
                Some(End::Singularity) => gives,
                Some(End::Free) => true,
                Some(End::Arrived) | None => false,
            }
    }

    /// Whether contacts are in the way of the line, so that the tips have to go beside it.
    pub(super) fn must_slide(&mut self, clearance: Option<&Clearance>) -> bool {
        if clearance.is_none() && !self.workspace.is_bounded() {
            return false;
        }
        let Self { slider, contacts, workspace, tracer, held_axes, limits, options, aims, now, next, place, .. } = self;
        // A few periods ahead, as far as jerks take to change something.
        for (i, limits) in limits.iter().enumerate() {
            let moved = TIME_AHEAD * (now.velocities[i] + 0.5 * TIME_AHEAD * now.accelerations[i]);
            next.positions[i] = limits.domain.clamp(now.positions[i] + moved);
        }
        let braking = Limits::least_braking(limits);
        contacts.update(clearance, &next.positions, braking);
        workspace.push_rows(contacts, &next.positions, braking);
        if self.is_on_course && self.course.line.aims == *aims {
            let now = State { velocity: self.course.plan.now.velocity.max(SLOW), ..self.course.plan.now };
            self.course.curve.write(now.position, place);
            for (velocity, place) in next.velocities.iter_mut().zip(&*place) {
                *velocity = place.state(now).velocity;
            }
            if contacts.are_satisfied(&next.velocities) {
                return false;
            }
        }
        tracer.jacobian.find(&next.positions);
        let task = Task { aims, held_axes, limits, options };
        slider.find(&tracer.jacobian, &next.positions, task, contacts)
    }

    /// Goes on beside the line, along contacts.
    pub(super) fn slide(&mut self, period: f64) {
        self.is_on_course = false;
        self.is_sliding = true;
        self.course.line.set_aims(&self.aims, &self.held_axes);
        for (tip, target) in self.targets.iter_mut().enumerate() {
            let (pose, commands) = (&self.jacobian.tips()[tip], self.aims[tip].commands());
            if commands[0] {
                target.translation = pose.translation;
            }
            if commands[1] || !self.held_axes[tip].always {
                target.rotation = pose.rotation;
            }
        }
        let Self { jog, slider, jacobian, held_axes, aims, now, limits, next, options, .. } = self;
        let task = Task { aims, held_axes, limits, options };
        slider.keep_within_give(jacobian, task, &self.targets);
        slider.keep_direction(&now.velocities);
        jog.follow(&slider.velocities, now, limits, period, next);
    }

    /// Lays a course beside the line, along what joint limits leave of the twists. Gives whether there is one.
    pub(super) fn lay_beside(&mut self, moves: bool, period: f64) -> bool {
        let Self { tracer, slider, trial, held_axes, aims, options, limits, now, .. } = self;
        trial.is_slide = true;
        trial.line.set_aims(aims, held_axes);
        if moves {
            trial.plan.now = tracer.begin_moving(&mut trial.curve, now);
            slider.begin_moving(&trial.curve);
        } else {
            trial.plan.stand(0.0);
            let task = Task { aims, held_axes, limits, options };
            if !slider.begin_at_rest(&mut trial.curve, &mut tracer.jacobian, &now.positions, task) {
                trial.curve.end = slider.limit.map(End::Limit);
                return false;
            }
        }
        self.plan_trial(period)
    }
}
