//! Stop, reset and resume: how the command comes back to the arm.

use std::time::{Duration, Instant};

use super::Arm;
use super::progress::Synchronizing;
use super::sources::Shut;
use crate::reports::{RefuseAs, Refused};
use crate::ros::MEASURED_JOINT_STATES;

/// How long the measured configuration is commanded before commands are accepted again: controllers that just start miss no message.
const TIME_AT_MEASUREMENT: Duration = Duration::from_millis(500);
/// How long the arm may take to rest beyond the time of the stop.
const PATIENCE: Duration = Duration::from_secs(1);

impl Arm {
    /// Brakes to rest, within the limits of the joints. Streams under way are shut out until they pause, or until [`Arm::resume`]. Returns a
    /// sentence about it.
    ///
    /// # Errors
    /// [`Refused`] where the motion under way cannot be braked, or there is no robot.
    pub(crate) async fn stop(&self) -> Result<String, Refused> {
        self.forget_targets().await;
        self.sources.lock().shut(Shut::Stopped);
        let (_, time) = self.output.stop()?;
        Ok(format!("the arm comes to rest in {time:.3} s"))
    }

    /// Ends a halt and a stop. Where the arm is measured, its measured configuration is commanded first. Returns a sentence about it.
    ///
    /// # Errors
    /// [`Refused`] where there is no robot, measurements are missing, or the arm does not come to rest.
    pub(crate) async fn resume(&self) -> Result<String, Refused> {
        let is_measured = self.is_measured()?;
        if is_measured {
            self.command_measurement().await?;
        } else {
            self.output.resume(None);
        }
        self.sources.lock().open();
        Ok(if is_measured {
            "the arm is commanded where it is measured; commands count again"
        } else {
            "commands count again"
        }
        .to_owned())
    }

    /// Back to the measured configuration, where the arm is measured, and else to the parameter `initial_posture`. Ends a halt and a stop.
    /// Returns a sentence about it.
    ///
    /// # Errors
    /// [`Refused`] where there is no robot, or the arm does not come to rest.
    pub(crate) async fn reset(&self) -> Result<String, Refused> {
        self.forget_targets().await;
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

    /// Whether the arm is measured; false where no measurement is expected.
    ///
    /// # Errors
    /// [`Refused`] where there is no robot, or measurements are missing.
    fn is_measured(&self) -> Result<bool, Refused> {
        let now = self.configuration()?;
        let measured = self.measured.configuration(self.settings().measured_timeout, &now.loaded, &now.positions);
        Ok(measured.refuse_as(MEASURED_JOINT_STATES.short_name())?.is_some())
    }

    /// Brakes, and commands the measured configuration for a while, on every topic of commands. Commands are refused meanwhile.
    async fn command_measurement(&self) -> Result<(), Refused> {
        self.forget_targets().await;
        let sentence = "the arm is being synchronized with its measurement: send the command again in 0.5 s";
        let Synchronizing { ticket, time } = self.output.synchronize(Refused::invalid("synchronizing", sentence))?;
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
        Err(Refused::invalid(
            "synchronizing",
            "the arm did not come to rest, or its measurements stopped: call the service again",
        ))
    }
}
