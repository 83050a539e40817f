//! The node's own services.

use std::future::Future;
use std::sync::Arc;

use futures::StreamExt;
use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Header;
use r2r::std_srvs::srv::Trigger;
use r2r::urdf_ik::msg::SolveStatus;
use r2r::urdf_ik::srv::{ForwardKinematics, SolveIK, SolveIKBatch, SolvePath};
use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};

use super::choices::{self, Choices};
use super::description::Loaded;
use super::frames::Located;
use super::query::{self, Question};
use super::status::{self, Refused};
use super::{NodeError, Shared, batch, convert, links, paths};
use crate::robot::Chain;
use crate::solver::{Solution, Solver, Target};

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
    let mut settings = (*shared.settings()).clone();
    let posture = shared.output.posture().ok_or_else(Refused::no_robot)?;
    let loaded = Arc::clone(&posture.loaded);
    let mut positions = posture.positions.clone();
    convert::overlay(&loaded.robot, "the seed", &request.seed, &mut positions)
        .map_err(|sentence| Refused::invalid("seed", sentence))?;
    let mut pattern = query::target(Isometry3::identity(), &settings);
    Choices::from(&request).apply(&loaded.chain, &mut pattern, &mut settings)?;
    let (mut targets, mut headers) = (Vec::new(), Vec::new());
    for (tip, what, stamped) in tips_and_poses(&request, &loaded.chain, pattern.tip)? {
        let pose = convert::pose(&stamped.pose);
        let pose = pose.map_err(|sentence| Refused::invalid(&what, format!("{what}: {sentence}")))?;
        let frame = shared.frames.of_request(&loaded, &settings, &stamped.header).await?;
        targets.push(Target { tip, pose: frame.in_base(&posture) * pose, ..pattern });
        headers.push(Header { frame_id: frame.name, ..stamped.header.clone() });
    }
    let question = Question { targets, seed: loaded.chain.positions_from(&positions), settings };
    let (question, solver, solution) = search(shared, &loaded, question).await?;
    loaded.chain.write_into(&loaded.robot, &solution.positions, &mut positions);
    let mut joint_state = convert::joint_state(&loaded.robot, &positions);
    joint_state.header.stamp = shared.clock.stamp();
    let mut statuses = headers.into_iter().enumerate().map(|(index, header)| SolveStatus {
        joint_state_stamp: joint_state.header.stamp.clone(),
        ..status::of_solution(&solver, &question.targets, index, &solution, header)
    });
    let status = statuses.next().unwrap_or_default();
    let other_statuses = statuses.collect();
    let message = status.message.clone();
    let all_joint_states = if request.all_solutions {
        all_joint_states(shared, &loaded, question, &positions, &joint_state.header).await?
    } else {
        Vec::new()
    };
    let success = solution.is_solved();
    Ok(SolveIK::Response { success, message, joint_state, status, other_statuses, all_joint_states })
}

/// Every distinct solution; joints outside the chain stand as in `positions` (one entry a joint).
async fn all_joint_states(
    shared: &Shared,
    loaded: &Arc<Loaded>,
    question: Question,
    positions: &[f64],
    header: &Header,
) -> Result<Vec<JointState>, Refused> {
    let asked = Arc::clone(loaded);
    let found = in_turn(shared, move || question.all_solutions(&asked)).await?;
    let joint_state = |solution: Vec<f64>| {
        let mut positions = positions.to_vec();
        loaded.chain.write_into(&loaded.robot, &solution, &mut positions);
        JointState { header: header.clone(), ..convert::joint_state(&loaded.robot, &positions) }
    };
    Ok(found.into_iter().map(joint_state).collect())
}

/// The tips that a request is about, each with what its pose is called and the pose; the first has index `first`.
fn tips_and_poses<'a>(
    request: &'a SolveIK::Request,
    chain: &Chain,
    first: usize,
) -> Result<Vec<(usize, String, &'a PoseStamped)>, Refused> {
    let (links, poses) = (&request.other_tip_links, &request.other_poses);
    if links.len() != poses.len() {
        let sentence = format!(
            "there are {} other_poses for {} other_tip_links; there must be as many of each",
            poses.len(),
            links.len()
        );
        return Err(Refused::invalid("other_poses", sentence));
    }
    let mut all = vec![(first, "pose".to_owned(), &request.pose)];
    for (index, (link, pose)) in links.iter().zip(poses).enumerate() {
        all.push((choices::tip(chain, link)?, format!("other_poses[{index}]"), pose));
    }
    Ok(all)
}

/// Searches for the answer to a question, once it is its turn; gives the question back along with the solver and its answer.
pub(super) async fn search(
    shared: &Shared,
    loaded: &Arc<Loaded>,
    question: Question,
) -> Result<(Question, Solver, Solution), Refused> {
    let loaded = Arc::clone(loaded);
    in_turn(shared, move || {
        let (solver, solution) = question.answer(&loaded)?;
        Ok((question, solver, solution))
    })
    .await
}

/// Does work that may take its time, once it is its turn: as many searches at once as there are cores, and the targets do not wait
/// for them.
pub(super) async fn in_turn<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let turn = shared.searches.acquire().await;
    let done = tokio::task::spawn_blocking(work).await;
    drop(turn);
    done.map_err(|e| Refused::invalid("solver", format!("the solver failed: {e}")))?
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
