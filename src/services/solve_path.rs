//! The service `solve_path`: a joint trajectory for a Cartesian path. Nothing moves.

use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::srv::SolvePath::{Request, Response};

use super::request_overrides::{self, RequestOverrides};
use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, Reporter, ServiceResponse, TargetOutcome};
use crate::robot_in_use::{Configuration, GoalReader};
use crate::solving::{PathPlan, PathStart, PathToPlan, Queries, path_plan, problem};
use crate::surroundings::Avoidance;
use urdf_ik_parameters::{PathSettings, Value};

impl ServiceResponse<Request> for Response {
    fn refused(_: &Reporter, request: &Request, refused: Refused) -> Self {
        Self {
            message: refused.sentence,
            outcome: refused.outcome.code(),
            header: request.header.clone(),
            tip_link: request.tip_link.clone(),
            position_deviation: f64::NAN,
            orientation_deviation: f64::NAN,
            ..Self::default()
        }
    }

    fn queries(&self) -> (u32, u32) {
        (1, u32::from(self.success))
    }
}

pub(crate) async fn solve_path(queries: Arc<Queries>, request: Request) -> Result<Response, Refused> {
    let Queries { arm, searches } = &*queries;
    let settings = arm.settings();
    let overrides = RequestOverrides::from(&request);
    let now = arm.configuration()?;
    let (loaded, mut start) = (Arc::clone(&now.loaded), now.end_inside());
    convert::overlay(&loaded.robot, "start", &request.start, &mut start).refuse_as("start")?;
    let mut pattern = problem::target(Isometry3::identity(), &settings);
    let mut settings = (*settings).clone();
    overrides.apply(&loaded.chain, &mut pattern, &mut settings)?;
    override_path(&request, &mut settings.path)?;
    let loaded = overrides.with_tools(&loaded, &[pattern.tip])?;
    let frame = arm.frames.of_request(&loaded, &settings, &request.header).await?;
    let at_start = Configuration { loaded: Arc::clone(&loaded), positions: start.clone(), end: start };
    let poses = path_plan::poses(&request.poses, &frame.in_base(&at_start))?;
    let reader = GoalReader { frames: &arm.frames, configuration: &at_start, settings: &settings };
    let requested = reader.parse(&request.goals).await?;
    let mut goals = requested.read(&loaded, &at_start.end)?;
    goals.extend_from_slice(&arm.standing_goals(&now, &settings)?);
    let period = if request.period == 0.0 { settings.publish_period().as_secs_f64() } else { request.period };
    let start = loaded.chain.positions_from(&at_start.end);
    let from = match (request.free_start, request.start_at_first_pose) {
        (true, _) => PathStart::Free,
        (false, true) => PathStart::FirstPose,
        (false, false) => PathStart::Tip,
    };
    let avoidance = Avoidance::of(&arm.surroundings, &loaded, &at_start.end, &settings).await?;
    let to_plan =
        PathToPlan { loaded: Arc::clone(&loaded), poses, pattern, goals, start, from, avoidance, period, settings };
    let plan = searches.run_long(1, move || to_plan.plan()).await?;
    let tip_link = loaded.chain.tips()[pattern.tip].link.clone();
    let header = Header { frame_id: frame.name, ..request.header };
    Ok(Response { header, tip_link, ..response(&plan, request.goals.len()) })
}

/// The response to a request with so many goals, without header and tip link.
fn response(plan: &PathPlan, goals: usize) -> Response {
    let ends = plan.trajectory.points.last().map_or(0.0, |last| last.length);
    let mut goal_violations = plan.trajectory.violations.clone();
    // The standing goals follow those of the request.
    goal_violations.truncate(goals);
    Response {
        success: plan.outcome() == TargetOutcome::Solved,
        message: plan.sentence(),
        outcome: plan.outcome().code(),
        solver: plan.solver.method().kind().name().into(),
        trajectory: convert::joint_trajectory(plan.solver.chain(), &plan.trajectory.points),
        fraction: plan.fraction,
        length: plan.path.length(),
        end: convert::pose_message(&plan.path.pose_at(ends)),
        stop_index: u32::try_from(plan.stop_index).unwrap_or(u32::MAX),
        position_deviation: plan.trajectory.deviation.position,
        orientation_deviation: plan.trajectory.deviation.orientation,
        goal_violations,
        ..Response::default()
    }
}

/// Applies the request's path fields to the settings.
fn override_path(request: &Request, path: &mut PathSettings) -> Result<(), Refused> {
    for (value, parameter, given) in [
        (&mut path.speed, PathSettings::speed(), request.speed),
        (&mut path.acceleration, PathSettings::acceleration(), request.acceleration),
        (&mut path.blend_radius, PathSettings::blend_radius(), request.blend_radius),
        (&mut path.position_deviation, PathSettings::position_deviation(), request.position_deviation),
        (&mut path.orientation_deviation, PathSettings::orientation_deviation(), request.orientation_deviation),
    ] {
        request_overrides::replace(value, parameter, Value::Double(given))?;
    }
    Ok(())
}
