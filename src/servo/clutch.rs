//! The service `clutch` of each tip.

use r2r::std_srvs::srv::SetBool;

use crate::arm::Arm;
use crate::arm::sources::Clutch;
use crate::reports::Refused;
use urdf_ik_text::names;

/// Closes or opens the clutch of a tip.
pub(super) fn set(arm: &Arm, tip: usize, request: &SetBool::Request) -> SetBool::Response {
    let Some(now) = arm.output.configuration() else {
        return SetBool::Response { success: false, message: Refused::no_robot().sentence };
    };
    let tip_link = names::short(&now.loaded.chain.tips()[tip].link).into_owned();
    let (clutch, message) = if request.data {
        (Clutch::Closed, format!("the clutch is closed: {tip_link} follows the motion of its poses"))
    } else {
        let message = format!(
            "the clutch is open: poses do not move {tip_link}; ~/reset removes the clutch if no poses are received"
        );
        (Clutch::Open, message)
    };
    arm.sources.lock().set_clutch(tip, clutch);
    // The next pose starts at the current tip pose.
    arm.output.drop_servo_commands(Some(tip));
    SetBool::Response { success: true, message }
}
