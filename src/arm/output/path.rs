//! Motion along a planned path: preparation, start and stop.

use std::sync::Arc;

use r2r::builtin_interfaces::msg::Time;

use super::Output;
use crate::arm::ArrivalReport;
use crate::arm::activity::{Activity, RESET};
use crate::arm::configuration_motion::ConfigurationMotion;
use crate::arm::state::ArmState;
use crate::reports::{RefuseAs, Refused, refused};
use crate::robot_in_use::{Configuration, LoadedRobot};
use urdf_ik_motion::TrajectoryPoint;

impl Output {
    /// Brakes before a path is planned for `loaded`; joints outside their limits return to them. Returns the
    /// configuration, whose `end` is the position of rest, and a ticket for [`Output::follow`]. A driver stops
    /// elsewhere: [`Arm::rest`](crate::arm::Arm::rest) waits for it.
    ///
    /// # Errors
    /// [`Refused`] if `loaded` is no longer in use, or the motion cannot be braked.
    pub(crate) fn prepare_path(&self, loaded: &Arc<LoadedRobot>) -> Result<(Configuration, u64), Refused> {
        let mut state = self.state.lock();
        let motion = state.permitted_motion_of(loaded)?;
        motion.stop_inside().refuse_as("motion")?;
        let (configuration, moves) = (motion.configuration(), !motion.is_at_rest());
        let moves_by_command = moves && !state.is_driven;
        state.note_request("another path");
        state.activity.is_commanded |= moves_by_command;
        state.smooth |= moves;
        self.state.update_snapshot(&state);
        Ok((configuration, state.activity.requests))
    }

    /// Follows a trajectory, unless there was a request after the [`Output::prepare_path`] of `ticket`. `arrival` has
    /// the status for the end. `is_driven` is true if a driver executes the trajectory. Returns the stamp of the
    /// current joint state, and a ticket for [`Output::stop_on_path`].
    ///
    /// # Errors
    /// [`Refused`] if there was another request.
    pub(crate) fn follow(
        &self,
        ticket: u64,
        points: Arc<[TrajectoryPoint]>,
        arrival: ArrivalReport,
        is_driven: bool,
    ) -> Result<(Time, u64), Refused> {
        let mut state = self.state.lock();
        let motion = motion_of(&mut state, ticket)?;
        motion.follow(points, arrival).refuse_as("path")?;
        state.note_request("another path");
        (state.activity.is_commanded, state.smooth, state.is_driven) = (true, true, is_driven);
        self.state.update_snapshot(&state);
        Ok((state.last_stamp.clone(), state.activity.requests))
    }

    /// Brakes to rest on the path of [`Output::follow`], unless there was a request after its `ticket`. Returns a new
    /// ticket.
    ///
    /// # Errors
    /// [`Refused`] if there was another request, or if the motion cannot be braked; it continues.
    pub(crate) fn stop_on_path(&self, ticket: u64) -> Result<u64, Refused> {
        let mut state = self.state.lock();
        motion_of(&mut state, ticket)?.stop_on_path().refuse_as("path")?;
        state.note_request("a stop");
        self.state.update_snapshot(&state);
        Ok(state.activity.requests)
    }

    /// # Errors
    /// [`Refused`] if there was a request after that `ticket`.
    pub(crate) fn check_latest(&self, ticket: u64) -> Result<(), Refused> {
        // Not the snapshot: a motion that is being replaced closes its listener earlier.
        check_latest(&self.state.lock().activity, ticket)
    }

    /// True if the latest request was a reset; that of a measured arm is its displacement at rest.
    pub(in crate::arm) fn is_reset(&self) -> bool {
        self.state.snapshot().activity.latest == RESET
    }

    /// Length that the command has covered of the path that the arm follows, or followed until its present rest \[m\],
    /// and the configuration then.
    pub(crate) fn path_progress(&self) -> Option<(f64, Configuration)> {
        let snapshot = self.state.snapshot();
        Some((snapshot.covered?, snapshot.configuration.clone()?))
    }
}

/// The motion of the request with this ticket.
fn motion_of(state: &mut ArmState, ticket: u64) -> Result<&mut ConfigurationMotion, Refused> {
    check_latest(&state.activity, ticket)?;
    state.motion.as_mut().ok_or_else(Refused::no_robot)
}

fn check_latest(activity: &Activity, ticket: u64) -> Result<(), Refused> {
    if activity.requests == ticket {
        return Ok(());
    }
    Err(refused!("path", "{} was requested before the end of the path", activity.latest))
}
