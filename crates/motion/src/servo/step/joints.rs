//! Joint velocities as a command of a servo.

use super::Servo;
use crate::servo::jog::may_begin;

impl Servo {
    /// Leads the joints to commanded velocities, after a course under way if they cannot leave it at once.
    pub(super) fn follow_joints(&mut self, velocities: &[f64], period: f64) {
        if self.is_on_course && !may_begin(&self.now, &self.limits) {
            return self.follow_plan(period);
        }
        self.leave_course();
        self.limit_tips(velocities);
        self.jog.follow(&self.slider.velocities, &self.now, &self.limits, period, &mut self.next);
    }

    /// Writes joint velocities, all of them slower where a tip would be too fast.
    fn limit_tips(&mut self, velocities: &[f64]) {
        let Self { jacobian, options, slider, limited_tip, .. } = self;
        // The greatest numbers have no square.
        let size = velocities.iter().fold(1.0, |size: f64, velocity| size.max(velocity.abs()));
        slider.velocities.iter_mut().zip(velocities).for_each(|(slower, velocity)| *slower = velocity / size);
        let mut factor = size;
        for tip in 0..jacobian.tips().len() {
            let allowed = options.factor(&jacobian.twist(tip, &slider.velocities), size);
            if allowed < factor {
                (factor, *limited_tip) = (allowed, Some(tip));
            }
        }
        slider.velocities.iter_mut().for_each(|velocity| *velocity *= factor);
    }
}
