//! The status of the servo as MoveIt Servo publishes it.

use r2r::moveit_msgs::msg::ServoStatus as MoveItStatus;
use r2r::urdf_ik::msg::ServoStatus;

use crate::arm::steering::code;

/// The status with the code of MoveIt Servo that is nearest to ours, and our sentence. The arm of this node never halts near a singularity.
pub(super) fn of_moveit(status: &ServoStatus) -> MoveItStatus {
    let code = match status.code {
        code::OK | code::SPEED | code::TIMEOUT => MoveItStatus::NO_WARNING as i8,
        code::JOINT_LIMIT => MoveItStatus::JOINT_BOUND as i8,
        code::SINGULARITY => MoveItStatus::DECELERATE_FOR_APPROACHING_SINGULARITY as i8,
        code::COLLISION if status.scale <= 0.0 => MoveItStatus::HALT_FOR_COLLISION as i8,
        code::COLLISION => MoveItStatus::DECELERATE_FOR_COLLISION as i8,
        _ => MoveItStatus::INVALID as i8,
    };
    MoveItStatus { code, message: status.message.clone() }
}
