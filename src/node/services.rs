//! The node's own services.

use std::future::Future;
use std::sync::Arc;

use futures::StreamExt;
use r2r::std_msgs::msg::Header;
use r2r::std_srvs::srv::Trigger;
use r2r::urdf_ik::srv::{ForwardKinematics, SolveIK, SolveIKBatch};
use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};

use super::choices::Choices;
use super::description::Loaded;
use super::frames::Located;
use super::query::{self, Question};
use super::status::{self, Refused, outcome};
use super::{NodeError, Shared, batch, convert, links};
use crate::solver::{Solution, Solver};

/// What stands before complaints about queries.
const SOLVE_IK: &str = "solve_ik";

pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    answer_each::<SolveIK::Service, _>(node, shared, "~/solve_ik", solve_ik)?;
    answer_each::<SolveIKBatch::Service, _>(node, shared, "~/solve_ik_batch", batch::solve_ik_batch)?;
    answer_each::<ForwardKinematics::Service, _>(node, shared, "~/forward_kinematics", forward_kinematics)?;
    answer_each::<Trigger::Service, _>(node, shared, "~/reset", reset)
}

/// Creates a service and answers each of its requests in a task of its own.
pub(super) fn answer_each<S, A>(
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
    let frame = shared.frames.of_request(&loaded, &settings, &request.pose.header).await?;
    let mut target = query::target(frame.in_base(&posture) * pose, &settings);
    let mut settings = (*settings).clone();
    Choices::from(&request).apply(&loaded.chain, &mut target, &mut settings)?;
    let question = Question { targets: vec![target], seed: loaded.chain.positions_from(&positions), settings };
    let header = Header { frame_id: frame.name, ..request.pose.header };
    let (question, solver, solution) = search(shared, &loaded, question).await?;
    let mut status = status::of_solution(&solver, &question.targets[0], &solution, header);
    loaded.chain.write_into(&loaded.robot, &solution.positions, &mut positions);
    let mut joint_state = convert::joint_state(&loaded.robot, &positions);
    joint_state.header.stamp = shared.clock.stamp();
    status.joint_state_stamp = joint_state.header.stamp.clone();
    let success = status.outcome == outcome::SOLVED;
    Ok(SolveIK::Response { success, message: status.message.clone(), joint_state, status })
}

/// Searches for the answer to a question, once it is its turn; gives the question back along with the solver and its answer.
pub(super) async fn search(
    shared: &Shared,
    loaded: &Arc<Loaded>,
    question: Question,
) -> Result<(Question, Solver, Solution), Refused> {
    // As many searches at once as there are cores; the others wait their turn.
    let turn = shared.searches.acquire().await;
    let loaded = Arc::clone(loaded);
    // A search may take its time; the targets' tasks must not wait for it.
    let work = tokio::task::spawn_blocking(move || {
        let (solver, solution) = question.answer(&loaded)?;
        Ok((question, solver, solution))
    });
    let answer = work.await.map_err(|e| Refused::invalid("solver", format!("the solver failed: {e}")))?;
    drop(turn);
    answer
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
    let frame = if request.frame_id.is_empty() { loaded.chain.base() } else { &request.frame_id };
    let link = links::index(&loaded, prefix, frame)?;
    let frame = Located::of_link(format!("{prefix}{}", loaded.robot.links()[link].name), link);
    let link_names = links::or_tips(&loaded, request.link_names);
    let poses = links::poses(&posture, prefix, &link_names, frame, shared.clock.stamp())?;
    Ok(ForwardKinematics::Response { success: true, message: String::new(), link_names, poses })
}

/// Back to where the robot was measured a moment ago, else to the initial posture.
async fn reset(shared: Arc<Shared>, _: Trigger::Request) -> Trigger::Response {
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
