//! The status of the servo as a message.

use r2r::urdf_ik::msg::ServoStatus;

use super::latest_commands::LatestCommands;
use super::step_context::StepContext;
use crate::messages::convert;
use crate::reports::status::bodies;
use crate::reports::{Refused, TargetOutcome};
use urdf_ik_goals::Goal;
use urdf_ik_motion::servo::{CommandError, Hold, Report};
use urdf_ik_text::names;

/// The codes of `ServoStatus`, with the type of its field.
pub(crate) mod code {
    crate::ros::constants! { pub u8: r2r::urdf_ik::msg::ServoStatus {
        OK, JOINT_LIMIT, SINGULARITY, COLLISION, SPEED, TIMEOUT, INVALID, UNKNOWN_FRAME, NO_ROBOT, FOLLOWING_ERROR,
    } }
}

/// The status of a step, without a header.
pub(super) fn of_step(
    stepped: &Result<&Report, CommandError>,
    latest: &LatestCommands,
    context: &StepContext,
    goals: &[Goal],
) -> ServoStatus {
    let tips = context.loaded.chain.tips();
    let mut status = ServoStatus {
        tip_links: latest.tips().into_iter().map(|tip| tips[tip].link.clone()).collect(),
        smallest_singular_value: f64::NAN,
        ..ServoStatus::default()
    };
    match (stepped, context.tick.avoidance) {
        (_, Err(reason)) => {
            status.code = code::COLLISION;
            status.message = format!("the arm waits: {reason}");
        }
        _ if latest.as_slice().is_empty() => {
            status.code = code::TIMEOUT;
            status.message = "no command is received: the arm brakes or is at rest".into();
        }
        (Err(e), _) => {
            status.code = code::INVALID;
            status.message = format!("the arm comes to rest: {e}");
        }
        (Ok(report), Ok(_)) => put_report(&mut status, report, context, goals),
    }
    if let Ok(report) = stepped {
        put_deviation(&mut status, report);
    }
    if let Some(ignored) = latest.ignored_pose() {
        (status.code, status.message) = (code::INVALID, ignored.to_string());
    }
    status
}

/// The status of a refused command, without a header.
pub(crate) fn of_refusal(refused: &Refused) -> ServoStatus {
    ServoStatus {
        code: match refused.outcome {
            TargetOutcome::UnknownFrame => code::UNKNOWN_FRAME,
            TargetOutcome::NoRobot => code::NO_ROBOT,
            TargetOutcome::FollowingError => code::FOLLOWING_ERROR,
            _ => code::INVALID,
        },
        message: refused.sentence.clone(),
        smallest_singular_value: f64::NAN,
        ..ServoStatus::default()
    }
}

/// Adds to a JOINT_LIMIT `status` that a joint outside its limits returns to them first.
pub(super) fn put_outside(status: &mut ServoStatus, joint: &str) {
    if status.code == code::JOINT_LIMIT {
        status.message = format!("joint '{}' is outside its limits, and returns to them first", names::short(joint));
    }
}

/// Applies the parameter `speed_scale` to `status`.
pub(crate) fn put_speed_scale(status: &mut ServoStatus, scale: f64) {
    status.scale *= scale;
    if scale < 1.0 {
        status.message = format!("{}; speed_scale is {scale:.3} now", status.message);
        if status.code == code::OK {
            status.code = code::SPEED;
        }
    }
}

/// Puts the limiting factors of the `report` into `status`.
fn put_report(status: &mut ServoStatus, report: &Report, context: &StepContext, goals: &[Goal]) {
    (status.code, status.scale) = (code::OK, report.share);
    status.singular_direction = report.singular_direction.iter().map(convert::twist_message).collect();
    status.smallest_singular_value = report.smallest_singular_value.unwrap_or(f64::NAN);
    let mut sentences: Vec<String> = Vec::new();
    for hold in &report.holds {
        let (code, sentence) = put_hold(status, hold, context, goals);
        if sentences.is_empty() {
            status.code = code;
        }
        sentences.push(sentence);
    }
    if sentences.is_empty() {
        sentences.push("the arm follows".to_owned());
    }
    if report.is_sliding {
        sentences.push(format!("sliding at an angle of {:.2} rad to the command", report.angle));
    }
    status.message = names::sentence(&sentences.join("; ")).into();
}

/// Puts the deviation from the commands into `status`, also while the arm comes to rest without one.
fn put_deviation(status: &mut ServoStatus, report: &Report) {
    (status.sliding, status.deviation_angle) = (report.is_sliding, report.angle);
    [status.position_off_line, status.orientation_off_line] = report.off_line;
}

/// Puts the names of a limiting factor into `status`. Returns its code and sentence.
fn put_hold(status: &mut ServoStatus, hold: &Hold, context: &StepContext, goals: &[Goal]) -> (u8, String) {
    let StepContext { loaded, tick, .. } = *context;
    let variable = |index: usize| loaded.chain.variables()[index].name.clone();
    match *hold {
        Hold::JointLimit { variable: index } => {
            status.joints.push(variable(index));
            (code::JOINT_LIMIT, format!("joint '{}' is at its limit", names::short(&variable(index))))
        }
        Hold::Singularity => {
            let smallest = names::number(status.smallest_singular_value);
            let sentence = "the arm is near a singularity, or cannot move so at all; the smallest singular value is";
            (code::SINGULARITY, format!("{sentence} {smallest}"))
        }
        Hold::Contact { pair, distance } => {
            let avoidance = tick.avoidance.ok().flatten();
            let bodies = avoidance.map(|avoidance| bodies(&avoidance.scene, pair)).unwrap_or_default();
            let sentence = format!("{} are {distance:.4} m apart", bodies.join(" and "));
            if status.nearest.is_empty() {
                (status.nearest, status.nearest_distance) = (bodies, distance);
            }
            (code::COLLISION, sentence)
        }
        Hold::JointSpeed { variable: index } => {
            status.joints.push(variable(index));
            (code::SPEED, format!("joint '{}' moves as fast as its limits allow", names::short(&variable(index))))
        }
        Hold::Goal { goal } => {
            let name = goals.get(goal).map_or("", Goal::name);
            (code::COLLISION, format!("the goal '{}' is at its bound", names::short(name)))
        }
        Hold::TipSpeed { tip } => {
            let tip = names::short(&loaded.chain.tips()[tip].link);
            (code::SPEED, format!("{tip} has the speed of servo.linear_speed or servo.angular_speed"))
        }
    }
}
