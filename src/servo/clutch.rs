//! The service `clutch` of each tip.

use r2r::std_srvs::srv::SetBool;

use super::intake::Intake;
use crate::arm::sources::Clutch;
use crate::reports::status::Refused;
use urdf_ik_text::names;

/// Closes or opens the clutch of a tip.
pub(super) fn set(intake: &Intake, tip: usize, request: &SetBool::Request) -> SetBool::Response {
    let Some(now) = intake.arm.output.configuration() else {
        return SetBool::Response { success: false, message: Refused::no_robot().sentence };
    };
    let tip_link = names::short(&now.loaded.chain.tips()[tip].link).into_owned();
    let (clutch, message) = if request.data {
        (Clutch::Closed, format!("the clutch is closed: {tip_link} moves as its poses move"))
    } else {
        let message = format!(
            "the clutch is open: poses do not move {tip_link}; ~/reset takes the clutch away, if no poses come in then"
        );
        (Clutch::Open, message)
    };
    intake.arm.sources.lock().set_clutch(tip, clutch);
    // The next pose begins from where the tip is.
    intake.arm.output.rest_servo(Some(tip));
    SetBool::Response { success: true, message }
}
