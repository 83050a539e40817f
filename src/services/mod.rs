//! Registers the node's services and answers the small ones; parameters and MoveIt have their own files.

mod batch_response;
pub(crate) mod check_collisions;
pub(crate) mod diagnostics;
pub(crate) mod joint_overrides;
pub(crate) mod parameters;
pub(crate) mod path_query;
pub(crate) mod query;
pub(crate) mod query_context;
pub(crate) mod request_overrides;
mod solve_ik;
mod solve_ik_batch;
pub(crate) mod solve_path;

pub(crate) use parameters::ParameterStore;

use std::sync::Arc;

use r2r::std_srvs::srv::Trigger;
use r2r::urdf_ik::srv::{CheckCollisions, ForwardKinematics, SolveIK, SolveIKBatch, SolvePath};

use crate::Result;
use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, answer_each};
use crate::robot_in_use::{LocatedFrame, link_poses};
use crate::ros::{
    CHECK_COLLISIONS, FORWARD_KINEMATICS, RESET, RESUME, SOLVE_IK, SOLVE_IK_BATCH, SOLVE_PATH, STOP, Spinner,
};
use crate::solving::Queries;
use check_collisions::check_collisions;
use solve_ik::solve_ik;
use solve_ik_batch::solve_ik_batch;
use solve_path::solve_path;

pub(crate) fn serve(spinner: &mut Spinner, queries: &Arc<Queries>) -> Result {
    answer_each::<SolveIK::Service, _, _>(spinner, queries, SOLVE_IK, solve_ik)?;
    answer_each::<SolveIKBatch::Service, _, _>(spinner, queries, SOLVE_IK_BATCH, solve_ik_batch)?;
    answer_each::<SolvePath::Service, _, _>(spinner, queries, SOLVE_PATH, solve_path)?;
    answer_each::<ForwardKinematics::Service, _, _>(spinner, queries, FORWARD_KINEMATICS, forward_kinematics)?;
    answer_each::<CheckCollisions::Service, _, _>(spinner, queries, CHECK_COLLISIONS, check_collisions)?;
    let stop = |queries: Arc<Queries>, _| async move { queries.arm.stop().map(done) };
    let reset = |queries: Arc<Queries>, _| async move { queries.arm.reset().await.map(done) };
    let resume = |queries: Arc<Queries>, _| async move { queries.arm.resume().await.map(done) };
    answer_each::<Trigger::Service, _, _>(spinner, queries, STOP, stop)?;
    answer_each::<Trigger::Service, _, _>(spinner, queries, RESET, reset)?;
    answer_each::<Trigger::Service, _, _>(spinner, queries, RESUME, resume)
}

fn done(message: String) -> Trigger::Response {
    Trigger::Response { success: true, message }
}

async fn forward_kinematics(
    queries: Arc<Queries>,
    request: ForwardKinematics::Request,
) -> Result<ForwardKinematics::Response, Refused> {
    let arm = &queries.arm;
    let settings = arm.settings();
    let mut configuration = arm.configuration()?;
    let loaded = Arc::clone(&configuration.loaded);
    convert::overlay(&loaded.robot, "joint_state", &request.joint_state, &mut configuration.positions)
        .refuse_as("joint_state")?;
    let prefix = settings.frame_prefix.as_str();
    let frame = if request.frame_id.is_empty() { loaded.chain.base() } else { &request.frame_id };
    let link = link_poses::index(&loaded, prefix, frame).refuse_as("link")?;
    let frame = LocatedFrame::of_link(format!("{prefix}{}", loaded.robot.links()[link].name), link);
    let stamp = arm.clock.stamp();
    let poses = link_poses::poses(&configuration, prefix, &request.link_names, frame, stamp).refuse_as("link")?;
    let link_names = link_poses::or_tips(&loaded, request.link_names);
    Ok(ForwardKinematics::Response { success: true, message: String::new(), link_names, poses })
}
