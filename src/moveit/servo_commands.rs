//! Conversion of MoveIt Servo commands, their filter, and the conversion of the node's status.

use nalgebra::Vector3;
use r2r::moveit_msgs::msg::ServoStatus as MoveItStatus;
use r2r::urdf_ik::msg::ServoStatus;

use crate::arm::steering::status::code;
use crate::reports::{Fault, fault};
use urdf_ik_parameters::{CommandUnits, MoveItServoSettings};
use urdf_ik_text::named_values;

named_values! {
    /// A kind of command, in the order of the codes of `ServoCommandType`, which begin at 0.
    pub enum CommandKind("command type", "command types") {
        /// Velocities of joints.
        JointJog = "JOINT_JOG",
        /// A velocity of the tip.
        Twist = "TWIST",
        /// A pose of the tip.
        Pose = "POSE",
    }
}

/// The accepted commands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommandFilter {
    /// The selected kind; `None` accepts all kinds.
    pub expected: Option<CommandKind>,
    pub is_paused: bool,
}

impl CommandFilter {
    /// True if a command is accepted; false during a pause.
    /// # Errors
    /// [`Fault`] if another kind is selected.
    pub(super) fn admits(self, kind: CommandKind) -> Result<bool, Fault> {
        match self.expected {
            Some(expected) if expected != kind => Err(fault!(
                "the command type is {}, so this is not used: call /servo_node/switch_command_type to change it",
                expected.name()
            )),
            _ => Ok(!self.is_paused),
        }
    }
}

impl CommandKind {
    /// The kind with this code in `ServoCommandType`.
    pub(super) fn of_code(code: i8) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

/// Linear and angular velocity \[m/s, rad/s\] of a command: unitless commands are multiplied by `scale`, others
/// limited to it.
pub(super) fn twist(settings: &MoveItServoSettings, [linear, angular]: [Vector3<f64>; 2]) -> [Vector3<f64>; 2] {
    let (linear_scale, angular_scale) = (settings.scale.linear, settings.scale.rotational);
    match settings.command_in_type {
        CommandUnits::Unitless => [linear_scale * linear, angular_scale * angular],
        CommandUnits::SpeedUnits => [linear.cap_magnitude(linear_scale), angular.cap_magnitude(angular_scale)],
    }
}

/// Velocity of a joint \[rad/s or m/s\] of a command.
pub(super) fn velocity(settings: &MoveItServoSettings, velocity: f64) -> f64 {
    match settings.command_in_type {
        CommandUnits::Unitless => settings.scale.joint * velocity,
        CommandUnits::SpeedUnits => velocity,
    }
}

/// The status with the closest code of MoveIt Servo, and our message. At a singularity the arm halts only if its line
/// ends there.
pub(super) fn status(status: &ServoStatus) -> MoveItStatus {
    let code = match status.code {
        code::OK | code::SPEED | code::TIMEOUT => MoveItStatus::NO_WARNING as i8,
        code::JOINT_LIMIT => MoveItStatus::JOINT_BOUND as i8,
        code::SINGULARITY if status.scale <= 0.0 => MoveItStatus::HALT_FOR_SINGULARITY as i8,
        code::SINGULARITY => MoveItStatus::DECELERATE_FOR_APPROACHING_SINGULARITY as i8,
        code::COLLISION if status.scale <= 0.0 => MoveItStatus::HALT_FOR_COLLISION as i8,
        code::COLLISION => MoveItStatus::DECELERATE_FOR_COLLISION as i8,
        _ => MoveItStatus::INVALID as i8,
    };
    MoveItStatus { code, message: status.message.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use urdf_ik_parameters::Values;

    fn settings(command_in_type: CommandUnits) -> MoveItServoSettings {
        let mut settings = MoveItServoSettings::new(&Values::default(), None).unwrap();
        settings.command_in_type = command_in_type;
        let scale = &mut settings.scale;
        (scale.linear, scale.rotational, scale.joint) = (0.4, 0.8, 0.5);
        settings
    }

    #[test]
    fn without_units_commands_are_shares_of_the_scale() {
        let settings = settings(CommandUnits::Unitless);
        let [linear, angular] = twist(&settings, [Vector3::new(0.5, 0.0, -1.0), Vector3::new(0.0, 1.0, 0.0)]);
        assert_eq!((linear, angular), (Vector3::new(0.2, 0.0, -0.4), Vector3::new(0.0, 0.8, 0.0)));
        assert_eq!(velocity(&settings, -0.5), -0.25);
    }

    #[test]
    fn with_units_the_scale_is_the_greatest_speed() {
        let settings = settings(CommandUnits::SpeedUnits);
        let [linear, angular] = twist(&settings, [Vector3::new(0.3, 0.0, 0.0), Vector3::new(0.0, 4.0, 3.0)]);
        assert_eq!(linear, Vector3::new(0.3, 0.0, 0.0));
        assert!((angular - Vector3::new(0.0, 0.64, 0.48)).norm() < 1e-15);
        assert_eq!(velocity(&settings, 1.5), 1.5);
    }

    #[test]
    fn the_kind_that_was_chosen_counts_and_none_in_a_pause() {
        let kinds = [CommandKind::JointJog, CommandKind::Twist, CommandKind::Pose];
        let mut filter = CommandFilter::default();
        assert!(kinds.iter().all(|kind| filter.admits(*kind) == Ok(true)));
        filter.expected = Some(CommandKind::Twist);
        assert_eq!(filter.admits(CommandKind::Twist), Ok(true));
        assert!(filter.admits(CommandKind::Pose).is_err_and(|sentence| sentence.contains("TWIST")));
        filter.is_paused = true;
        assert_eq!(filter.admits(CommandKind::Twist), Ok(false));
    }
}
