//! What the servo does, as a message.

use r2r::urdf_ik::msg::ServoStatus;

use super::around::Around;
use super::newest::Newest;
use crate::reports::Verdict;
use crate::reports::status::{Refused, bodies};
use crate::robot_in_use::description::LoadedRobot;
use crate::surroundings::avoidance::Avoidance;
use urdf_ik_motion::servo::{CommandError, Hold, Report};
use urdf_ik_text::names;

/// The codes of `ServoStatus` in the type of its field.
pub(crate) mod code {
    use r2r::urdf_ik::msg::ServoStatus;

    pub const OK: u8 = ServoStatus::OK as u8;
    pub const JOINT_LIMIT: u8 = ServoStatus::JOINT_LIMIT as u8;
    pub const SINGULARITY: u8 = ServoStatus::SINGULARITY as u8;
    pub const COLLISION: u8 = ServoStatus::COLLISION as u8;
    pub const SPEED: u8 = ServoStatus::SPEED as u8;
    pub const TIMEOUT: u8 = ServoStatus::TIMEOUT as u8;
    pub const INVALID: u8 = ServoStatus::INVALID as u8;
    pub const UNKNOWN_FRAME: u8 = ServoStatus::UNKNOWN_FRAME as u8;
    pub const NO_ROBOT: u8 = ServoStatus::NO_ROBOT as u8;
    pub const FOLLOWING_ERROR: u8 = ServoStatus::FOLLOWING_ERROR as u8;
}

/// The status of a step, without a header.
pub(super) fn of_step(stepped: &Result<&Report, CommandError>, newest: &Newest, around: &Around) -> ServoStatus {
    let tips = around.loaded.chain.tips();
    let mut status = ServoStatus {
        tip_links: newest.tips().into_iter().map(|tip| tips[tip].link.clone()).collect(),
        smallest_singular_value: f64::NAN,
        ..ServoStatus::default()
    };
    match (stepped, &around.avoidance, newest) {
        (_, Err(reason), _) => {
            status.code = code::COLLISION;
            status.message = format!("the arm waits: {reason}");
        }
        (_, _, Newest::Rest) => {
            status.code = code::TIMEOUT;
            status.message = "no command comes in: the arm comes to rest, or stands".into();
        }
        (Err(e), ..) => {
            status.code = code::INVALID;
            status.message = format!("the arm comes to rest: {e}");
        }
        (Ok(report), Ok(avoidance), _) => put_report(&mut status, report, around.loaded, *avoidance),
    }
    status
}

/// The status while, or because, commands are refused; without a header.
pub(crate) fn of_refusal(refused: &Refused) -> ServoStatus {
    ServoStatus {
        code: match refused.verdict {
            Verdict::UnknownFrame => code::UNKNOWN_FRAME,
            Verdict::NoRobot => code::NO_ROBOT,
            Verdict::FollowingError => code::FOLLOWING_ERROR,
            _ => code::INVALID,
        },
        message: refused.sentence.clone(),
        smallest_singular_value: f64::NAN,
        ..ServoStatus::default()
    }
}

/// Puts into `status` that a joint outside its limits comes inside first, where that holds the arm back.
pub(super) fn put_outside(status: &mut ServoStatus, joint: &str) {
    if status.code == code::JOINT_LIMIT {
        status.message = format!("joint '{}' is outside its limits, and comes inside first", names::short(joint));
    }
}

/// Puts into `status` that the parameter `speed_scale` makes the arm slower, where it does.
pub(crate) fn put_speed_scale(status: &mut ServoStatus, scale: f64) {
    status.scale *= scale;
    if scale < 1.0 {
        status.message = format!("{}; speed_scale is {scale:.3} now", status.message);
        if status.code == code::OK {
            status.code = code::SPEED;
        }
    }
}

/// Puts into `status` what holds the arm back.
fn put_report(status: &mut ServoStatus, report: &Report, loaded: &LoadedRobot, avoidance: Option<&Avoidance>) {
    (status.code, status.scale, status.sliding) = (code::OK, report.share, report.is_sliding);
    [status.position_off_line, status.orientation_off_line] = report.off_line;
    status.smallest_singular_value = report.smallest_singular_value.unwrap_or(f64::NAN);
    let mut sentences: Vec<String> = Vec::new();
    for hold in &report.holds {
        let (code, sentence) = put_hold(status, hold, loaded, avoidance);
        if sentences.is_empty() {
            status.code = code;
        }
        sentences.push(sentence);
    }
    status.message =
        if sentences.is_empty() { "the arm follows".to_owned() } else { names::sentence(&sentences.join("; ")).into() };
}

/// Puts into `status` the names of what holds the arm back. Gives the code and a sentence.
fn put_hold(
    status: &mut ServoStatus,
    hold: &Hold,
    loaded: &LoadedRobot,
    avoidance: Option<&Avoidance>,
) -> (u8, String) {
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
        Hold::TipSpeed { tip } => {
            let tip = names::short(&loaded.chain.tips()[tip].link);
            (code::SPEED, format!("{tip} has the speed of servo.linear_speed or servo.angular_speed"))
        }
    }
}
