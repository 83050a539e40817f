//! Where the next motion starts.

use crate::Shared;
use crate::reports::status::Refused;
use crate::robot_in_use::configuration::Configuration;
use crate::ros::interface::MEASURED_JOINT_STATES;

/// Where the next motion starts. At first, and after a pause in targets, that is where the robot is measured, which may have moved since.
///
/// # Errors
/// [`Refused`] where there is no robot, or where measurements are expected but missing then.
pub(crate) fn starting_configuration(shared: &Shared) -> Result<Configuration, Refused> {
    let now = shared.output.configuration().ok_or_else(Refused::no_robot)?;
    let timeout = shared.settings().measured_timeout;
    if !shared.output.may_stand_elsewhere(timeout) {
        return Ok(now);
    }
    let measured = shared.measured.configuration(timeout, &now.loaded, &now.positions);
    let measured = measured.map_err(|sentence| Refused::invalid(MEASURED_JOINT_STATES.short_name(), sentence))?;
    let Some(positions) = measured else { return Ok(now) };
    shared.output.set_configuration(&now.loaded, positions.clone());
    Ok(Configuration { end: positions.clone(), positions, ..now })
}
