//! Motion by the servo.

use std::time::Duration;

use r2r::urdf_ik::msg::ServoStatus;

use super::{ConfigurationMotion, Course, Steered, Tick};
use crate::arm::steering::{Around, Input, Steering, put_speed_scale};
use urdf_ik_motion::servo::TooManyVariables;
use urdf_ik_parameters::Settings;

impl ConfigurationMotion {
    /// Follows a command by the servo, which goes on from the motion under way. `None` where nothing changes: a command of zero does not
    /// take over from another motion, because idle devices send it all the time.
    ///
    /// # Errors
    /// [`TooManyVariables`] where the chain is too long for a servo.
    pub(crate) fn steer(&mut self, input: Input, settings: &Settings) -> Result<Option<Steered>, TooManyVariables> {
        if let Course::Servo(steering) = &mut self.course {
            return Ok(Some(Steered { has_begun: false, rival: steering.take(input, settings.servo.timeout) }));
        }
        if input.wish.is_zero() {
            return Ok(None);
        }
        let mut steering = Steering::new(&self.loaded, &self.limits, settings.servo_options(), &self.motion)?;
        let rival = steering.take(input, settings.servo.timeout);
        self.begin(Course::Servo(Box::new(steering)), Vec::new());
        Ok(Some(Steered { has_begun: true, rival }))
    }

    /// Whether the servo is commanded to move another tip than this one.
    pub(crate) fn moves_beside(&mut self, tip: usize, timeout: Duration) -> bool {
        let Course::Servo(steering) = &mut self.course else { return false };
        steering.moves_beside(tip, timeout)
    }

    /// Drops the pose that a tip follows by the servo; without a tip, all commands of the servo.
    pub(crate) fn rest_servo(&mut self, tip: Option<usize>) {
        if let Course::Servo(steering) = &mut self.course {
            steering.rest(tip);
        }
    }

    /// Lets the servo move on. Returns its status, where somebody listens.
    pub(super) fn servo(&mut self, tick: &Tick) -> Option<ServoStatus> {
        let Course::Servo(steering) = &mut self.course else { return None };
        let Tick { step, settings, avoidance, reports_servo } = *tick;
        if step <= 0.0 {
            return None;
        }
        if !steering.is_idle(settings.servo.timeout) {
            self.speed_scale.resume();
        } else if let Some(pace) = self.speed_scale.suspend() {
            self.motion.use_pace(&pace);
            steering.take_over(&self.motion);
        }
        let step = self.speed_scale.advance(settings.speed_scale, step, &self.motion, &self.limits);
        let around = Around { loaded: &self.loaded, positions: &self.positions, settings, avoidance };
        let mut status = steering.step(step, settings.publish_period().as_secs_f64(), &around, reports_servo);
        if let Some(status) = &mut status {
            put_speed_scale(status, self.speed_scale.pace().scale);
        }
        self.motion.take_over(&steering.hand_over());
        self.loaded.chain.write_into(&self.loaded.robot, self.motion.positions(), &mut self.positions);
        if steering.has_ended(settings.servo.timeout) {
            self.course = Course::AtRest;
        }
        status
    }
}
