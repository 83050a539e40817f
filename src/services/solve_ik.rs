//! The service `solve_ik`: one query, for one or several tips.

use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::srv::SolveIK::{Request, Response};

use super::joint_overrides::JointOverrides;
use super::query::Query;
use super::query_context::QueryContext;
use super::request_overrides;
use crate::arm::{Arm, CollisionCheck};
use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, Reporter, ServiceResponse, refused, status};
use crate::robot_in_use::{GoalReader, LoadedRobot};
use crate::solving::{Queries, problem};
use crate::surroundings::Avoidance;
use urdf_ik_parameters::OnUnreachable;
use urdf_ik_robot::Chain;
use urdf_ik_solver::Solution;

impl ServiceResponse<Request> for Response {
    fn refused(_: &Reporter, request: &Request, refused: Refused) -> Self {
        let status = refused.report(request.pose.header.clone(), request.tip_link.clone()).message();
        Self { message: status.message.clone(), status, ..Self::default() }
    }

    fn queries(&self) -> (u32, u32) {
        (1, u32::from(self.success))
    }
}

/// A prepared query.
struct PreparedQuery {
    /// The seed (one entry for each joint of the robot).
    positions: Vec<f64>,
    query: Arc<Query>,
    /// Header of each target, with the frame in use.
    headers: Vec<Header>,
}

pub(crate) async fn solve_ik(queries: Arc<Queries>, request: Request) -> Result<Response, Refused> {
    let Queries { arm, searches } = &*queries;
    let PreparedQuery { mut positions, query, headers } = prepare_query(arm, &request).await?;
    let (solver, solution) = query.solve(searches).await?;
    let (loaded, avoidance) = (&query.context.loaded, query.context.avoidance.as_ref());
    let mut joint_state = JointState::default();
    if solution.is_solved() || query.context.settings.on_unreachable != OnUnreachable::Hold {
        loaded.chain.write_into(&loaded.robot, &solution.positions, &mut positions);
        joint_state = convert::joint_state(&loaded.robot, &positions);
        joint_state.header.stamp = arm.clock.stamp();
    }
    let scene = Avoidance::scene(avoidance);
    let mut collision_check = CollisionCheck::default();
    let mut statuses = headers.into_iter().enumerate().map(|(index, header)| {
        let mut report = status::of_solution(&solver, &query.targets, index, &solution, scene, header);
        report.status.joint_state_stamp = joint_state.header.stamp.clone();
        if let Some(avoidance) = avoidance {
            collision_check.report_nearest(&mut report, avoidance, &solution.positions);
        }
        report.message()
    });
    let status = statuses.next().unwrap_or_default();
    let mut response = Response {
        success: solution.is_solved(),
        message: status.message.clone(),
        status,
        other_statuses: statuses.collect(),
        goal_violations: solution.violations.clone(),
        ..Response::default()
    };
    response.goal_violations.truncate(request.goals.len());
    if request.all_solutions {
        let max_turns = usize::try_from(request.max_turns).unwrap_or(usize::MAX);
        let all = query.all_solutions(searches, max_turns).await?;
        response.all_joint_states = joint_states(loaded, &all.solutions, &positions, &joint_state.header);
        response.turns_count = all.count;
    }
    Ok(Response { joint_state, ..response })
}

/// Prepares the query of a request.
async fn prepare_query(arm: &Arm, request: &Request) -> Result<PreparedQuery, Refused> {
    let mut settings = (*arm.settings()).clone();
    let present = arm.configuration()?;
    let loaded = &present.loaded;
    let mut positions = present.positions.clone();
    convert::overlay(&loaded.robot, "the seed", &request.seed, &mut positions).refuse_as("seed")?;
    let mut pattern = problem::target(Isometry3::identity(), &settings);
    request_overrides::apply(request, &loaded.chain, &mut pattern, &mut settings)?;
    let joints = JointOverrides::read(&loaded.chain, &request.bounds, &request.move_weights)?;
    let asked = tips_and_poses(request, &loaded.chain, pattern.tip)?;
    let tips: Vec<usize> = asked.iter().map(|(tip, ..)| *tip).collect();
    let loaded = request_overrides::with_tools(&request.tools, loaded, &tips)?;
    let reader = GoalReader { frames: &arm.frames, configuration: &present, settings: &settings };
    let goals = reader.parse(&request.goals).await?.read(&loaded, &positions)?;
    let has_pose = problem::has_pose(&pattern, goals.len());
    let (mut targets, mut headers) = (Vec::new(), Vec::new());
    for (tip, field, stamped) in asked {
        if !has_pose {
            targets.push(pattern.with_tip(tip));
            headers.push(Header { frame_id: loaded.base_frame(&settings), ..stamped.header.clone() });
            continue;
        }
        let pose = convert::pose(&stamped.pose);
        let pose = pose.map_err(|sentence| refused!(&field, "{field}: {sentence}"))?;
        let frame = arm.frames.of_request(&loaded, &settings, &stamped.header).await?;
        targets.push(pattern.with_tip(tip).with_pose(frame.in_base(&present) * pose));
        headers.push(Header { frame_id: frame.name, ..stamped.header.clone() });
    }
    let context = QueryContext::new(arm, &present, loaded, &positions, joints, settings).await?;
    let query = Query::new(context, &positions, targets, goals);
    Ok(PreparedQuery { positions, query, headers })
}

/// A joint state for each solution. Joints outside the chain are as in `positions` (one entry a joint).
fn joint_states(loaded: &LoadedRobot, solutions: &[Solution], positions: &[f64], header: &Header) -> Vec<JointState> {
    let joint_state = |solution: &Solution| {
        let mut positions = positions.to_vec();
        loaded.chain.write_into(&loaded.robot, &solution.positions, &mut positions);
        JointState { header: header.clone(), ..convert::joint_state(&loaded.robot, &positions) }
    };
    solutions.iter().map(joint_state).collect()
}

/// The tips of a request, each with the field name of its pose and the pose. The first tip has the index `first`.
fn tips_and_poses<'a>(
    request: &'a Request,
    chain: &Chain,
    first: usize,
) -> Result<Vec<(usize, String, &'a PoseStamped)>, Refused> {
    let (links, poses) = (&request.other_tip_links, &request.other_poses);
    if links.len() != poses.len() {
        return Err(refused!(
            "other_poses",
            "there are {} other_poses for {} other_tip_links; the two lists must have the same length",
            poses.len(),
            links.len()
        ));
    }
    let mut all = vec![(first, "pose".to_owned(), &request.pose)];
    for (index, (link, pose)) in links.iter().zip(poses).enumerate() {
        all.push((request_overrides::tip(chain, link)?, format!("other_poses[{index}]"), pose));
    }
    Ok(all)
}
