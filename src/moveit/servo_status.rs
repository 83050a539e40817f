//! The status of the servo as MoveIt Servo publishes it.

use r2r::moveit_msgs::msg::ServoStatus as MoveItStatus;
use r2r::urdf_ik::msg::ServoStatus;

/// The codes of the node's statuses in the type of their field.
mod code {
    use r2r::urdf_ik::msg::ServoStatus;

    pub const OK: u8 = ServoStatus::OK as u8;
    pub const JOINT_LIMIT: u8 = ServoStatus::JOINT_LIMIT as u8;
    pub const SINGULARITY: u8 = ServoStatus::SINGULARITY as u8;
    pub const COLLISION: u8 = ServoStatus::COLLISION as u8;
    pub const SPEED: u8 = ServoStatus::SPEED as u8;
    pub const TIMEOUT: u8 = ServoStatus::TIMEOUT as u8;
}

/// The status with the code of MoveIt Servo that is nearest to ours, and our sentence. It halts at a singularity only
/// where its line ends there.
pub(super) fn of_moveit(status: &ServoStatus) -> MoveItStatus {
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
