//! Stop, reset and resume: synchronization of the command with the arm.

use std::time::{Duration, Instant};

use super::Arm;
use super::activity::{MotionCondition, REST_TIME};
use crate::reports::{RefuseAs, Refused};
use crate::ros::MEASURED_JOINT_STATES;

/// Time for which the measured configuration is commanded before commands are accepted again: starting controllers
/// miss no message.
const TIME_AT_MEASUREMENT: Duration = Duration::from_millis(500);
/// Additional time for the arm to rest, beyond the braking time.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time for the measured arm to rest after its command, when a driver stops it.
const DRIVER_PATIENCE: Duration = Duration::from_secs(3);

impl Arm {
    /// Brakes to rest within the joint limits. Active streams are blocked until they pause or [`Arm::resume`]. Returns
    /// a sentence.
    ///
    /// # Errors
    /// [`Refused`] without a robot, or if the current motion cannot be braked.
    pub(crate) fn stop(&self) -> Result<String, Refused> {
        let stop = || self.output.stop(MotionCondition::None);
        let (_, time) = self.sources.stop(|| self.discard_targets(), stop)?;
        Ok(format!("the arm comes to rest in {time:.3} s"))
    }

    /// Ends a halt and a stop. A measured arm is first commanded to its measured configuration. Returns a sentence.
    ///
    /// # Errors
    /// [`Refused`] without a robot, if measurements are missing, or if the arm does not come to rest.
    pub(crate) async fn resume(&self) -> Result<String, Refused> {
        let message = if self.is_measured()? {
            self.command_measurement().await?;
            "the arm is commanded where it is measured; commands are accepted again"
        } else {
            self.output.resume(None);
            "commands are accepted again"
        };
        self.sources.lock().unblock();
        Ok(message.to_owned())
    }

    /// Returns to the measured configuration; without measurements, to the parameter `initial_posture`. Ends a halt
    /// and a stop. Returns a sentence.
    ///
    /// # Errors
    /// [`Refused`] without a robot, or if the arm does not come to rest.
    pub(crate) async fn reset(&self) -> Result<String, Refused> {
        self.discard_targets();
        let settings = self.settings();
        self.sources.lock().reset(Instant::now(), settings.servo.timeout);
        let loaded = self.configuration()?.loaded;
        let initial = settings.initial_positions(&loaded.robot).refuse_as("initial_posture")?;
        let message = match self.is_measured() {
            Ok(true) => {
                self.command_measurement().await?;
                return Ok("the robot is at the measured joint positions".to_owned());
            }
            Ok(false) => "the robot is at the initial joint positions".to_owned(),
            Err(refused) => format!("the robot is shown at the initial joint positions, but {}", refused.sentence),
        };
        self.output.set_configuration(&loaded, initial);
        Ok(message)
    }

    /// Waits until the command and the measured arm are at rest after the request of `ticket`.
    ///
    /// # Errors
    /// [`Refused`] if there was another request, or if the arm does not come to rest.
    pub(crate) async fn rest(&self, ticket: u64) -> Result<(), Refused> {
        let loaded = self.configuration()?.loaded;
        let mut at_rest_since = None;
        loop {
            let latest = self.output.check_latest(ticket);
            // An arm that a driver has stopped is measured away from the last command.
            if !self.output.is_reset() {
                latest?;
            }
            if self.output.is_at_rest() {
                // Not earlier: a driver that is just being stopped may be about to move the arm, and the measurement
                // does not count just after a command.
                let since = *at_rest_since.get_or_insert_with(Instant::now);
                if !self.is_measured()? || self.measured.is_at_rest(&loaded, REST_TIME, Some(since)) {
                    // The next motion starts there.
                    return self.output.take_measured().refuse_as(MEASURED_JOINT_STATES.short_name());
                }
                if since.elapsed() > DRIVER_PATIENCE {
                    return Err(Refused::invalid("rest", "the measured arm does not come to rest: check its driver"));
                }
            }
            tokio::time::sleep(self.settings().publish_period()).await;
        }
    }

    /// True if the arm is measured; false if no measurement is expected.
    ///
    /// # Errors
    /// [`Refused`] without a robot, or if measurements are missing.
    fn is_measured(&self) -> Result<bool, Refused> {
        let now = self.configuration()?;
        let measured = self.measured.configuration(self.settings().measured_timeout, &now.loaded, &now.positions);
        Ok(measured.refuse_as(MEASURED_JOINT_STATES.short_name())?.is_some())
    }

    /// Brakes, and commands the measured configuration for a while on all command topics. Commands are refused
    /// meanwhile.
    async fn command_measurement(&self) -> Result<(), Refused> {
        self.discard_targets();
        let sentence = "the arm is being synchronized with its measurement: send the command again in 0.5 s";
        let (ticket, time) = self.output.synchronize(Refused::invalid("synchronizing", sentence))?;
        let deadline = Instant::now() + Duration::from_secs_f64(time) + PATIENCE;
        let period = self.settings().publish_period();
        while !self.output.is_synchronized() && Instant::now() < deadline {
            tokio::time::sleep(period).await;
        }
        let is_synchronized = self.output.is_synchronized();
        if is_synchronized {
            tokio::time::sleep(TIME_AT_MEASUREMENT).await;
        }
        let is_resumed = self.output.resume(Some(ticket));
        if is_synchronized && is_resumed {
            return Ok(());
        }
        let sentence = "the arm did not come to rest, or its measurements stopped: call the service again";
        Err(Refused::invalid("synchronizing", sentence))
    }
}
