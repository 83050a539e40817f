//! Where an arm at rest is: as it was commanded last, or as it is measured.
//!
//! While nothing moves the arm, the measurement counts: before the first command, and again where the arm rests elsewhere than commanded.
//! Queries, frames, handles and markers use it as it is. The published configuration, where motions start, takes it over with a dead band:
//! drivers may take `~/joint_states` for commands, and an arm that sags would sink if each measurement came back to it as a command.

use std::sync::Arc;

use super::output::Output;
use super::resting::{Located, REST_TIME, Resting};
use crate::reports::Fault;
use crate::robot_in_use::{Configuration, Measured};
use crate::ros::Lock;
use urdf_ik_parameters::Settings;

/// What is known of where the arm is.
pub(crate) struct Whereabouts {
    pub output: Arc<Output>,
    pub measured: Arc<Measured>,
    /// What the parameters say now.
    pub settings: Arc<Lock<Arc<Settings>>>,
}

impl Whereabouts {
    /// The robot and its configuration; `None` before a robot is known.
    pub(crate) fn configuration(&self) -> Option<Configuration> {
        let Some(resting) = self.output.resting() else { return self.output.configuration() };
        match self.locate(&resting) {
            Ok(Some(Located { present, .. })) => {
                Some(Configuration { end: present.clone(), positions: present, ..resting.published })
            }
            _ => Some(resting.published),
        }
    }

    /// Publishes the measured configuration, where that takes the place of the one published last.
    ///
    /// # Errors
    /// [`Fault`] where the arm rests, and measurements are expected but missing.
    pub(crate) fn take_measured(&self) -> Result<(), Fault> {
        let Some(resting) = self.output.resting() else { return Ok(()) };
        if let Some(Located { published, .. }) = self.locate(&resting)?
            && published != resting.published.positions
        {
            self.output.take_over(&resting, published);
        }
        Ok(())
    }

    /// Where a resting arm is; `None` where no measurement is expected, and just after a command.
    fn locate(&self, resting: &Resting) -> Result<Option<Located>, Fault> {
        let settings = Arc::clone(&self.settings.lock());
        let Configuration { loaded, positions, .. } = &resting.published;
        let is_recent = resting.last_activity.is_some_and(|last| last.elapsed() < REST_TIME);
        if resting.is_commanded && is_recent {
            return Ok(None);
        }
        let measured = self.measured.configuration(settings.measured_timeout, loaded, positions)?;
        let is_at_rest = || self.measured.is_at_rest(loaded, REST_TIME, resting.last_activity);
        Ok(measured.map(|measured| resting.locate(measured, settings.measured_tolerance, is_at_rest)))
    }
}
