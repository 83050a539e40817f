//! The topics and services of MoveIt Servo for the first tip: programs written for Servo work unchanged.
//!
//! Commands are converted to the node's own, and its status to that of Servo (`servo_commands`).
//!
//! The adapter scales the commands and sends them through the intake of the node's own. It derives its status from
//! `~/servo_status`, to which it subscribes as any client does. The parameter `moveit_servo.enabled` exists because the
//! names are absolute: two nodes would share them.

use std::future::ready;
use std::sync::Arc;

use r2r::QosProfile;
use r2r::control_msgs::msg::JointJog;
use r2r::moveit_msgs::srv::ServoCommandType;
use r2r::std_srvs::srv::SetBool;
use r2r::urdf_ik::msg::ServoStatus;

use super::servo_commands::{self, CommandFilter, CommandKind};
use crate::Result;
use crate::arm::Arm;
use crate::arm::sources::Clutch;
use crate::messages::{TargetMessage, quality, target_message};
use crate::ros::{
    DELTA_JOINT_CMDS, DELTA_TWIST_CMDS, Interface, Lock, PAUSE_SERVO, POSE_TARGET_CMDS, Publisher, SERVO_STATUS,
    SERVO_STATUS_OF_MOVEIT, SWITCH_COMMAND_TYPE, Spinner, answer_each,
};
use crate::servo::{JogMessage, TwistMessage, intake};

/// The controlled tip.
const TIP: usize = 0;
/// Queue depth of statuses.
const QUEUE_DEPTH: usize = 10;

/// The command filter shared by all tasks.
type SharedFilter = Arc<Lock<CommandFilter>>;

pub(super) fn serve(spinner: &mut Spinner, arm: &Arc<Arm>) -> Result {
    let settings = arm.settings();
    if !settings.moveit_servo.enabled {
        return Ok(());
    }
    let filter = SharedFilter::default();
    let topics = [
        (DELTA_TWIST_CMDS, CommandKind::Twist),
        (DELTA_JOINT_CMDS, CommandKind::JointJog),
        (POSE_TARGET_CMDS, CommandKind::Pose),
    ];
    for (topic, kind) in topics {
        let messages = spinner.subscribe_raw(topic, topic.name, quality(&settings))?;
        let (arm, filter) = (Arc::clone(arm), filter.clone());
        spinner.on_each(messages, move |raw| receive(&arm, &filter, topic, kind, &raw));
    }
    let (of_switch, of_pause) = (filter.clone(), filter);
    answer_each::<ServoCommandType::Service, _, _>(spinner, arm, SWITCH_COMMAND_TYPE.name, move |arm, request| {
        ready(switch_command_type(&arm, &of_switch, &request))
    })?;
    answer_each::<SetBool::Service, _, _>(spinner, arm, PAUSE_SERVO.name, move |arm, request| {
        ready(pause(&arm, &of_pause, &request))
    })?;
    // Each status of the node is published as one of Servo too.
    let quality = QosProfile::default().keep_last(QUEUE_DEPTH);
    let publisher = Publisher::new(spinner, SERVO_STATUS_OF_MOVEIT, quality.clone())?;
    let statuses = spinner.subscribe::<ServoStatus>(SERVO_STATUS.name, quality)?;
    spinner.on_each(statuses, move |status| publisher.publish(&servo_commands::status(&status)));
    Ok(())
}

/// Forwards an accepted command.
fn receive(arm: &Arm, filter: &SharedFilter, topic: Interface, kind: CommandKind, raw: &[u8]) {
    let admitted = filter.lock().admits(kind);
    match (admitted, kind) {
        (Err(sentence), _) => {
            arm.reporter.warnings.warn_once(topic.name, "command type", &sentence);
        }
        (Ok(false), _) => {}
        (Ok(true), CommandKind::Twist) => twist(arm, raw),
        (Ok(true), CommandKind::JointJog) => jog(arm, raw),
        (Ok(true), CommandKind::Pose) => {
            if let Some(message) = TargetMessage::from_pose(raw) {
                intake::pose(arm, TIP, &TargetMessage { topic: topic.name, ..message }, Clutch::Absent);
            }
        }
    }
}

fn twist(arm: &Arm, raw: &[u8]) {
    let Some(message) = TwistMessage::read(DELTA_TWIST_CMDS.name, raw) else { return };
    let given = [message.linear, message.angular];
    let [linear, angular] = servo_commands::twist(&arm.settings().moveit_servo, given);
    intake::twist(arm, TIP, &TwistMessage { linear, angular, ..message });
}

fn jog(arm: &Arm, raw: &[u8]) {
    let topic = DELTA_JOINT_CMDS.name;
    let Some((message, _)) = target_message::read(raw, |message: &JointJog| &message.header) else { return };
    if !message.displacements.is_empty() {
        let sentence = "displacements are not used: send velocities";
        arm.reporter.warnings.warn_once(topic, "displacements", sentence);
    }
    let settings = &arm.settings().moveit_servo;
    let scaled = |velocity| servo_commands::velocity(settings, velocity);
    let velocities = message.velocities.into_iter().map(scaled).collect();
    intake::jog(arm, &JogMessage { topic, header: message.header, joints: message.joint_names, velocities });
}

/// Selects the accepted kind of command.
fn switch_command_type(
    arm: &Arm,
    filter: &SharedFilter,
    request: &ServoCommandType::Request,
) -> ServoCommandType::Response {
    let Some(kind) = CommandKind::of_code(request.command_type) else {
        let sentence = format!("there is no command type {}: 0 is JOINT_JOG, 1 TWIST, 2 POSE", request.command_type);
        arm.reporter.warnings.warn_once(SWITCH_COMMAND_TYPE.name, "command type", &sentence);
        return ServoCommandType::Response { success: false };
    };
    arm.reporter.warnings.recovered(SWITCH_COMMAND_TYPE.name);
    if filter.lock().expected.replace(kind) != Some(kind) {
        arm.output.drop_servo_commands(None);
    }
    ServoCommandType::Response { success: true }
}

/// Pauses or resumes all commands.
fn pause(arm: &Arm, filter: &SharedFilter, request: &SetBool::Request) -> SetBool::Response {
    filter.lock().is_paused = request.data;
    if request.data {
        arm.output.drop_servo_commands(None);
    }
    let message = if request.data { "paused: the arm comes to rest" } else { "commands are accepted again" };
    SetBool::Response { success: true, message: message.into() }
}
