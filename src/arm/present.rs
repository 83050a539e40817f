//! The configuration of an arm at rest: commanded or measured.
//!
//! While the arm is at rest, the measurement counts: before the first command, and if the arm rests away from its
//! command. Queries, frames, handles and markers use it directly. The published configuration, where motions start,
//! adopts it with a dead band: some drivers take `~/joint_states` for commands, and an arm that sags would sink if
//! each measurement were sent back to it.

use std::sync::Arc;

use super::activity::REST_TIME;
use super::output::Output;
use super::resting::{Resting, RestingPositions};
use crate::reports::Fault;
use crate::robot_in_use::Configuration;

impl Output {
    /// The robot and its present configuration: measured where the measurement counts, otherwise as published last;
    /// `None` before a robot is known.
    pub(crate) fn present(&self) -> Option<Configuration> {
        let Some(resting) = self.resting() else { return self.configuration() };
        match self.locate(&resting) {
            Ok(Some(RestingPositions { present, .. })) => {
                Some(Configuration { end: present.clone(), positions: present, ..resting.published })
            }
            _ => Some(resting.published),
        }
    }

    /// Publishes the measured configuration if it replaces the one published last.
    ///
    /// # Errors
    /// [`Fault`] if the arm is at rest, and expected measurements are missing.
    pub(super) fn take_measured(&self) -> Result<(), Fault> {
        let Some(resting) = self.resting() else { return Ok(()) };
        if let Some(RestingPositions { published, .. }) = self.locate(&resting)?
            && published != resting.published.positions
        {
            self.take_over(&resting, published);
        }
        Ok(())
    }

    /// The positions of an arm at rest; `None` if no measurement is expected, and just after a command.
    fn locate(&self, resting: &Resting) -> Result<Option<RestingPositions>, Fault> {
        let settings = Arc::clone(&self.settings.lock());
        let Configuration { loaded, positions, .. } = &resting.published;
        let is_recent = resting.activity.last.is_some_and(|last| last.elapsed() < REST_TIME);
        if resting.activity.is_commanded && is_recent {
            return Ok(None);
        }
        let measured = self.measured.configuration(settings.measured_timeout, loaded, positions)?;
        let is_at_rest = || self.measured.is_at_rest(loaded, REST_TIME, resting.activity.last);
        Ok(measured.map(|measured| resting.locate(measured, settings.measured_tolerance, is_at_rest)))
    }
}
