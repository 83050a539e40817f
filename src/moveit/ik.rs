//! `compute_ik`: one configuration for one or more link poses.

use std::slice;
use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::moveit_msgs::msg::{PositionIKRequest, RobotState};
use r2r::moveit_msgs::srv::GetPositionIK::{Request, Response};

use super::{apply_state, code, constraints, error_code, refusal};
use crate::arm::Arm;
use crate::messages::convert;
use crate::reports::{Fault, RefuseAs, Refused, Reporter, ServiceResponse, fault, refused};
use crate::robot_in_use::{Configuration, GoalReader, LoadedRobot, link_poses};
use crate::ros::COMPUTE_IK;
use crate::services::joint_overrides::JointOverrides;
use crate::services::query::Query;
use crate::services::query_context::QueryContext;
use crate::services::request_overrides;
use crate::solving::{Queries, problem};
use crate::surroundings::Avoidance;
use urdf_ik_parameters::{Settings, Value};
use urdf_ik_robot::Robot;
use urdf_ik_solver::{Outcome, Stop, Target, Tolerance};

impl ServiceResponse<Request> for Response {
    fn refused(reporter: &Reporter, _: &Request, refused: Refused) -> Self {
        Self { error_code: refusal(reporter, &refused), ..Self::default() }
    }

    fn queries(&self) -> (u32, u32) {
        (1, u32::from(self.error_code.val == code::SUCCESS))
    }
}

pub(super) async fn compute_ik(queries: Arc<Queries>, request: Request) -> Result<Response, Refused> {
    let Queries { arm, searches } = &*queries;
    let request = request.ik_request;
    let mut settings = (*arm.settings()).clone();
    let present = arm.configuration()?;
    // As in MoveIt, poses refer to links, not tools.
    let no_tools = vec![Isometry3::identity(); present.loaded.chain.tips().len()];
    let loaded = present.loaded.with_tools(&no_tools).refuse_as("tool")?;
    let configuration = Configuration { loaded: Arc::clone(&loaded), ..present.clone() };
    let timeout = f64::from(request.timeout.sec) + 1e-9 * f64::from(request.timeout.nanosec);
    request_overrides::replace(&mut settings.timeout, Settings::timeout(), Value::Double(timeout))?;
    let mut positions = present.positions.clone();
    let note = apply_state(&loaded.robot, &request.robot_state, &mut positions)?;
    let targets = targets(arm, &configuration, &settings, &request).await?;
    let reader = GoalReader { frames: &arm.frames, configuration: &present, settings: &settings };
    let goals = reader.locate(&constraints::goals(&request.constraints, loaded.chain.base())?).await?;
    let goals = goals.read(&loaded, &positions)?;
    // As in MoveIt, the request decides, not the parameter.
    settings.avoid_collisions = request.avoid_collisions;
    let joints = JointOverrides::default();
    let context = QueryContext::new(arm, &present, loaded, &positions, joints, settings).await?;
    let query = Query::new(context, &positions, targets, goals);
    let (_, solution) = query.solve(searches).await?;
    let loaded = &query.context.loaded;
    let scene = Avoidance::scene(query.context.avoidance.as_ref());
    let mut sentence = solution.sentence_in(&loaded.chain, scene);
    sentence.extend(note.map(|note| format!("; {note}")));
    let code = match solution.stop {
        _ if solution.is_solved() => code::SUCCESS,
        Stop::Deadline => code::TIMED_OUT,
        _ => code::NO_IK_SOLUTION,
    };
    let error_code = error_code(&arm.reporter, code, &sentence);
    if code != code::SUCCESS {
        log::debug!("{}: {sentence}", COMPUTE_IK.short_name());
    }
    // Positions that reach the position alone are returned too, but not as a success.
    if !matches!(solution.outcome, Outcome::Solved | Outcome::PositionOnly) {
        return Ok(Response { error_code, ..Response::default() });
    }
    loaded.chain.write_into(&loaded.robot, &solution.positions, &mut positions);
    let mut joint_state = convert::joint_state(&loaded.robot, &positions);
    joint_state.header.stamp = arm.clock.stamp();
    let solution = RobotState { joint_state, ..RobotState::default() };
    Ok(Response { solution, error_code })
}

/// The request's poses as targets of tips, in the base link's frame.
async fn targets(
    arm: &Arm,
    configuration: &Configuration,
    settings: &Settings,
    request: &PositionIKRequest,
) -> Result<Vec<Target>, Refused> {
    let loaded = &configuration.loaded;
    let mut targets: Vec<Target> = Vec::new();
    for (link, PoseStamped { header, pose }) in links_and_poses(request)? {
        let pose = convert::pose(pose).refuse_as("pose_stamped")?;
        let frame = arm.frames.of_request(loaded, settings, header).await?;
        let target = target(loaded, settings, link, frame.in_base(configuration) * pose).refuse_as("ik_link_name")?;
        if targets.iter().any(|other| other.tip == target.tip) {
            let tip_link = &loaded.chain.tips()[target.tip].link;
            return Err(refused!("ik_link_names", "two poses are for links that are fixed to '{tip_link}'"));
        }
        targets.push(target);
    }
    Ok(targets)
}

/// The links of a request with their poses. As in MoveIt, the lists take precedence over the single fields.
fn links_and_poses(request: &PositionIKRequest) -> Result<impl Iterator<Item = (&str, &PoseStamped)>, Refused> {
    let (mut links, mut poses) = (request.ik_link_names.as_slice(), request.pose_stamped_vector.as_slice());
    if links.is_empty() {
        links = slice::from_ref(&request.ik_link_name);
    }
    if poses.is_empty() {
        poses = slice::from_ref(&request.pose_stamped);
    }
    if links.len() != poses.len() {
        return Err(refused!(
            "ik_link_names",
            "there are {} poses for {} links; ik_link_names must have one link for each pose of pose_stamped_vector",
            poses.len(),
            links.len()
        ));
    }
    Ok(links.iter().map(String::as_str).zip(poses))
}

/// The target of the tip to which `link` is fixed (empty: the first tip), for `link` at `pose` in the base link's
/// frame.
fn target(loaded: &LoadedRobot, settings: &Settings, link: &str, pose: Isometry3<f64>) -> Result<Target, Fault> {
    let target = problem::target(pose, settings);
    if link.is_empty() {
        return Ok(target);
    }
    let index = link_poses::index(loaded, &settings.frame_prefix, link)?;
    let known = || loaded.chain.tip_names().join(", ");
    let (tip, in_tip) = tip_of_link(loaded, index)
        .ok_or_else(|| fault!("'{link}' is neither a tip link nor fixed to one; the tip links are: {}", known()))?;
    if in_tip == Isometry3::identity() {
        return Ok(target.with_tip(tip));
    }
    if target.free_axes.contains(&true) {
        return Err(fault!(
            "the parameter free_axes is for tip links, and '{link}' is not one; the tip links are: {}",
            known()
        ));
    }
    // An orientation error of the tip also moves the link; both errors together must stay within the tolerance.
    let Tolerance { position, orientation } = target.tolerance;
    let fraction = position / (position + orientation * in_tip.translation.vector.norm());
    let tolerance = Tolerance { position: fraction * position, orientation: fraction * orientation };
    Ok(target.with_tip(tip).with_pose(pose * in_tip.inverse()).with_tolerance(tolerance))
}

/// The tip that equals `link` or is connected to it by fixed joints, and the pose of the link in the tip's frame;
/// `None` if there is none.
fn tip_of_link(loaded: &LoadedRobot, link: usize) -> Option<(usize, Isometry3<f64>)> {
    let robot = &loaded.robot;
    if let Some(tip) = loaded.chain.tip_index(&robot.links()[link].name) {
        return Some((tip, Isometry3::identity()));
    }
    let (body, in_body) = body_of(robot, link);
    loaded.chain.tips().iter().enumerate().find_map(|(index, tip)| {
        let (other, tip_in_body) = body_of(robot, robot.link_index(&tip.link)?);
        (other == body).then(|| (index, tip_in_body.inv_mul(&in_body)))
    })
}

/// The first link of the rigid body with `link`, and the pose of `link` in its frame.
fn body_of(robot: &Robot, link: usize) -> (usize, Isometry3<f64>) {
    let body = robot.rigid_body(link);
    let [_, between] = robot.joints_between([body, link]);
    let pose = between.iter().fold(Isometry3::identity(), |pose, &joint| robot.joints()[joint].transform(0.0) * pose);
    (body, pose)
}
