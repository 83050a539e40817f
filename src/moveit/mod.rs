//! MoveIt's interfaces: the services `compute_ik`, `compute_fk` and `check_state_validity`, the topics of obstacles,
//! and the topics and services of MoveIt Servo.
//!
//! Constraints of `compute_ik` become goals. Group names are ignored. Collisions are those with the world of the node,
//! not with MoveIt's planning scene.

mod collision_objects;
mod constraints;
mod fk;
mod ik;
#[cfg(feature = "moveit_servo")]
mod servo;
#[cfg(feature = "moveit_servo")]
mod servo_commands;
mod state_validity;

use std::sync::Arc;

use r2r::geometry_msgs::msg::Transform;
use r2r::moveit_msgs::msg::{MoveItErrorCodes, RobotState};
use r2r::moveit_msgs::srv::{GetPositionFK, GetPositionIK, GetStateValidity};
use serde_json::json;

use crate::Result;
use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, Reporter, TargetOutcome, answer_each};
use crate::ros::{CHECK_STATE_VALIDITY, COMPUTE_FK, COMPUTE_IK, Spinner};
use crate::solving::Queries;
use urdf_ik_robot::Robot;

pub(crate) fn serve(spinner: &mut Spinner, queries: &Arc<Queries>) -> Result {
    answer_each::<GetPositionIK::Service, _, _>(spinner, queries, COMPUTE_IK, ik::compute_ik)?;
    answer_each::<GetPositionFK::Service, _, _>(spinner, queries, COMPUTE_FK, fk::compute_fk)?;
    let check = state_validity::check_state_validity;
    answer_each::<GetStateValidity::Service, _, _>(spinner, queries, CHECK_STATE_VALIDITY, check)?;
    #[cfg(feature = "moveit_servo")]
    servo::serve(spinner, &queries.arm)?;
    collision_objects::serve(spinner, queries)
}

/// The values of `MoveItErrorCodes` in use.
mod code {
    crate::ros::constants! { pub i32: r2r::moveit_msgs::msg::MoveItErrorCodes {
        SUCCESS, FAILURE, TIMED_OUT, INVALID_GOAL_CONSTRAINTS, INVALID_ROBOT_STATE, INVALID_LINK_NAME, FRAME_TRANSFORM_FAILURE,
        NO_IK_SOLUTION,
    } }
}

/// The field `error_code` of a refused request.
fn refusal(reporter: &Reporter, refused: &Refused) -> MoveItErrorCodes {
    let code = match (refused.outcome, &*refused.kind) {
        (TargetOutcome::UnknownFrame, _) => code::FRAME_TRANSFORM_FAILURE,
        (_, "pose_stamped" | "goals" | "constraints") => code::INVALID_GOAL_CONSTRAINTS,
        (_, "robot_state") => code::INVALID_ROBOT_STATE,
        (_, "ik_link_name" | "ik_link_names" | "fk_link_names") => code::INVALID_LINK_NAME,
        _ => code::FAILURE,
    };
    error_code(reporter, code, &refused.sentence)
}

/// The field `error_code`. It is filled by field names, because the message of ROS 2 Humble only has `val`.
fn error_code(reporter: &Reporter, val: i32, message: &str) -> MoveItErrorCodes {
    let fields = json!({ "val": val, "message": message, "source": reporter.node });
    serde_json::from_value(fields).unwrap_or_default()
}

/// Writes the joints in `state` to `positions` (one entry a joint). Returns a note on an ignored part of the state.
fn apply_state(robot: &Robot, state: &RobotState, positions: &mut [f64]) -> Result<Option<&'static str>, Refused> {
    convert::overlay(robot, "robot_state.joint_state", &state.joint_state, positions).refuse_as("robot_state")?;
    let moves_the_robot = state.multi_dof_joint_state.transforms.iter().any(|transform| !is_identity(transform));
    let carries_something = !state.attached_collision_objects.is_empty();
    let place = "robot_state.multi_dof_joint_state is not used: TF says where the robot is";
    let attached = "robot_state.attached_collision_objects is not used: attach them to the node's robot";
    Ok(moves_the_robot.then_some(place).or(carries_something.then_some(attached)))
}

/// True for an identity or default transform.
fn is_identity(Transform { translation: t, rotation: r }: &Transform) -> bool {
    [t.x, t.y, t.z, r.x, r.y, r.z] == [0.0; 6]
}
