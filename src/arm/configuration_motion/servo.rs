//! Motion by the servo.

use r2r::urdf_ik::msg::ServoStatus;

use super::{ActiveMotion, ConfigurationMotion};
use crate::arm::steering::{ServoInput, Steering, StepContext, Taken, Tick, put_speed_scale};
use urdf_ik_motion::servo::TooManyVariables;
use urdf_ik_parameters::Settings;

impl ConfigurationMotion {
    /// Follows a command by the servo, which starts in the state of the current motion. `None` if nothing changes: a
    /// zero command does not take over from another motion, because idle devices send zeros all the time.
    ///
    /// # Errors
    /// [`TooManyVariables`] if the chain is too long for a servo.
    pub(crate) fn steer(&mut self, input: ServoInput, settings: &Settings) -> Result<Option<Taken>, TooManyVariables> {
        let has_begun = self.steering().is_none();
        if has_begun && input.command.is_zero() {
            return Ok(None);
        }
        if has_begun {
            let steering = Steering::new(&self.loaded, &self.limits, settings.servo_options(), &self.motion)?;
            self.begin(ActiveMotion::Servo(Box::new(steering)), Vec::new());
        }
        let taken = self.steering().map(|steering| steering.take(input, settings.servo.timeout)).unwrap_or_default();
        Ok(Some(Taken { has_begun, ..taken }))
    }

    /// The servo, if it moves the arm.
    pub(crate) fn steering(&mut self) -> Option<&mut Steering> {
        if let ActiveMotion::Servo(steering) = &mut self.active { Some(steering) } else { None }
    }

    /// Advances the servo. Returns its status if it has subscribers.
    pub(super) fn servo(&mut self, tick: &Tick) -> Option<ServoStatus> {
        let ActiveMotion::Servo(steering) = &mut self.active else { return None };
        let Tick { step, settings, .. } = *tick;
        if step <= 0.0 {
            return None;
        }
        if !steering.is_idle(settings.servo.timeout) {
            self.speed_scale.resume();
        } else if let Some(pace) = self.speed_scale.suspend() {
            self.motion.use_pace(&pace);
            steering.servo.take_over(&self.motion.hand_over());
        }
        let step = self.speed_scale.advance(settings.speed_scale, step, &self.motion, &self.limits);
        let mut status = steering.step(step, &StepContext { loaded: &self.loaded, positions: &self.positions, tick });
        if let Some(status) = &mut status {
            put_speed_scale(status, self.speed_scale.pace().scale);
        }
        self.motion.take_over(&steering.servo.hand_over());
        self.loaded.chain.write_into(&self.loaded.robot, self.motion.positions(), &mut self.positions);
        if steering.has_ended(settings.servo.timeout) {
            self.active = ActiveMotion::AtRest;
        }
        status
    }
}
