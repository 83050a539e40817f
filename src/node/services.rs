//! The node's own services.

use std::future::Future;
use std::sync::Arc;

use futures::StreamExt;
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Header;
use r2r::std_srvs::srv::Trigger;
use r2r::urdf_ik::msg::SolveStatus;
use r2r::urdf_ik::srv::{ForwardKinematics, SolveIK, SolveIKBatch, SolvePath};
use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};
use tokio::time::Instant;

use super::choices::Choices;
use super::query::{self, Question};
use super::status::{self, Refused, outcome};
use super::{NodeError, Shared, batch, convert, paths};
use crate::names;

/// What stands before complaints about queries.
const SOLVE_IK: &str = "solve_ik";

pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    answer_each::<SolveIK::Service, _>(node, shared, "~/solve_ik", solve_ik)?;
    answer_each::<SolveIKBatch::Service, _>(node, shared, "~/solve_ik_batch", batch::solve_ik_batch)?;
    answer_each::<SolvePath::Service, _>(node, shared, "~/solve_path", paths::solve_path)?;
    answer_each::<ForwardKinematics::Service, _>(node, shared, "~/forward_kinematics", forward_kinematics)?;
    answer_each::<Trigger::Service, _>(node, shared, "~/stop", stop)?;
    answer_each::<Trigger::Service, _>(node, shared, "~/reset", reset)
}

/// Creates a service and answers each of its requests in a task of its own.
fn answer_each<S, A>(
    node: &mut r2r::Node,
    shared: &Arc<Shared>,
    name: &str,
    answer: fn(Arc<Shared>, S::Request) -> A,
) -> Result<(), NodeError>
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone + Send,
    S::Response: Send,
    A: Future<Output = S::Response> + Send + 'static,
{
    let mut requests = node.create_service::<S>(name, QosProfile::services_default())?;
    let (shared, name) = (Arc::clone(shared), name.to_owned());
    tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let (shared, name) = (Arc::clone(&shared), name.clone());
            tokio::spawn(async move {
                let response = answer(shared, request.message.clone()).await;
                respond(request, response, &name);
            });
        }
    });
    Ok(())
}

/// Sends a response; a caller that is gone is no matter.
pub(super) fn respond<S: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<S>,
    response: S::Response,
    name: &str,
) {
    if let Err(e) = request.respond(response) {
        log::debug!("the answer of {name} did not go out: {e}");
    }
}

async fn solve_ik(shared: Arc<Shared>, request: SolveIK::Request) -> SolveIK::Response {
    let (header, tip) = (request.pose.header.clone(), request.tip_link.clone());
    match answer_query(&shared, request).await {
        Ok(response) => {
            shared.complaints.well(SOLVE_IK);
            shared.counters.queries(1, u32::from(response.success));
            response
        }
        Err(refused) => {
            shared.complaints.complain(SOLVE_IK, &refused.kind, &refused.sentence);
            let status = refused.status(header, tip);
            shared.counters.queries(1, 0);
            SolveIK::Response { message: status.message.clone(), status, ..SolveIK::Response::default() }
        }
    }
}

async fn answer_query(shared: &Shared, request: SolveIK::Request) -> Result<SolveIK::Response, Refused> {
    let settings = shared.settings();
    let posture = shared.output.posture().ok_or_else(Refused::no_robot)?;
    let loaded = Arc::clone(&posture.loaded);
    let pose = convert::pose(&request.pose.pose).map_err(|sentence| Refused::invalid("pose", sentence))?;
    let mut positions = posture.positions.clone();
    convert::overlay(&loaded.robot, "the seed", &request.seed, &mut positions)
        .map_err(|sentence| Refused::invalid("seed", sentence))?;
    let name = (request.pose.header.frame_id.as_str(), &request.pose.header.stamp);
    let deadline = Instant::now() + settings.transform_timeout;
    let frame = shared.frames.locate(&loaded, &settings.frame_prefix, name, deadline).await;
    let frame = frame.map_err(|sentence| Refused::unknown_frame(name.0, sentence))?;
    let mut target = query::target(frame.in_base(&posture) * pose, &settings);
    let mut settings = (*settings).clone();
    Choices::from(&request).apply(&loaded.chain, &mut target, &mut settings)?;
    let question = Question { target, seed: loaded.chain.positions_from(&positions), settings };
    let header = Header { frame_id: frame.name, ..request.pose.header };
    // As many searches at once as there are cores; the others wait their turn.
    let turn = shared.searches.acquire().await;
    // A search may take its time; the targets' tasks must not wait for it.
    let work = tokio::task::spawn_blocking(move || {
        let (solver, solution) = question.answer(&loaded)?;
        let status = status::of_solution(&solver, &[question.target], 0, &solution, header);
        loaded.chain.write_into(&loaded.robot, &solution.positions, &mut positions);
        Ok((status, convert::joint_state(&loaded.robot, &positions)))
    });
    let (mut status, mut joint_state): (SolveStatus, JointState) =
        work.await.map_err(|e| Refused::invalid("solver", format!("the solver failed: {e}")))??;
    drop(turn);
    joint_state.header.stamp = shared.clock.stamp();
    status.joint_state_stamp = joint_state.header.stamp.clone();
    let success = status.outcome == outcome::SOLVED;
    Ok(SolveIK::Response { success, message: status.message.clone(), joint_state, status })
}

async fn forward_kinematics(shared: Arc<Shared>, request: ForwardKinematics::Request) -> ForwardKinematics::Response {
    link_poses(&shared, request)
        .unwrap_or_else(|message| ForwardKinematics::Response { message, ..ForwardKinematics::Response::default() })
}

fn link_poses(shared: &Shared, request: ForwardKinematics::Request) -> Result<ForwardKinematics::Response, String> {
    let settings = shared.settings();
    let mut posture = shared.output.posture().ok_or_else(|| Refused::no_robot().sentence)?;
    let loaded = Arc::clone(&posture.loaded);
    convert::overlay(&loaded.robot, "joint_state", &request.joint_state, &mut posture.positions)?;
    let prefix = settings.frame_prefix.as_str();
    let link = |name: &str| {
        let name = name.strip_prefix('/').unwrap_or(name);
        let bare = name.strip_prefix(prefix).unwrap_or(name);
        let index = loaded.robot.link_index(bare).or_else(|| loaded.robot.link_index(name));
        index.ok_or_else(|| {
            let known: Vec<&str> = loaded.robot.links().iter().map(|link| link.name.as_str()).collect();
            format!("the robot has no link '{name}'; it has {}", names::list(&known))
        })
    };
    let frame = if request.frame_id.is_empty() { loaded.chain.base().to_owned() } else { request.frame_id };
    let links = if request.link_names.is_empty() {
        loaded.chain.tips().iter().map(|tip| tip.link.clone()).collect()
    } else {
        request.link_names
    };
    let poses = loaded.robot.link_poses(&posture.positions);
    let origin = poses[link(&frame)?].inverse();
    let bare = frame.strip_prefix('/').unwrap_or(&frame);
    let frame_id = format!("{prefix}{}", bare.strip_prefix(prefix).unwrap_or(bare));
    let header = Header { stamp: shared.clock.stamp(), frame_id };
    let mut answers = Vec::with_capacity(links.len());
    for name in &links {
        let pose = convert::pose_message(&(origin * poses[link(name)?]));
        answers.push(PoseStamped { header: header.clone(), pose });
    }
    Ok(ForwardKinematics::Response { success: true, message: String::new(), link_names: links, poses: answers })
}

/// To rest, within the limits of the joints.
async fn stop(shared: Arc<Shared>, _: Trigger::Request) -> Trigger::Response {
    shared.answers.forget().await;
    match shared.output.stop() {
        Ok((_, time)) => Trigger::Response { success: true, message: format!("at rest in {time:.3} s") },
        Err(refused) => Trigger::Response { success: false, message: refused.sentence },
    }
}

/// Back to where the robot was measured a moment ago, else to the initial posture.
async fn reset(shared: Arc<Shared>, _: Trigger::Request) -> Trigger::Response {
    shared.answers.forget().await;
    let back = shared.output.posture().ok_or_else(|| Refused::no_robot().sentence).and_then(|now| {
        let settings = shared.settings();
        let initial = settings.initial_posture.apply(&now.loaded.robot).map_err(|e| format!("initial_posture: {e}"))?;
        let measured = shared.measured.posture(&shared, &now.loaded, &initial);
        let whither = if measured.is_some() { "measured" } else { "initial" };
        shared.output.set_posture(&now.loaded, measured.unwrap_or(initial));
        Ok(format!("at the {whither} posture"))
    });
    let success = back.is_ok();
    Trigger::Response { success, message: back.unwrap_or_else(|sentence| sentence) }
}
