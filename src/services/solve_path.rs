//! The service `solve_path`: a joint trajectory for a Cartesian path. Nothing moves.

use std::sync::Arc;

use r2r::urdf_ik::srv::SolvePath::{Request, Response};

use super::path_query::PathQuery;
use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, Reporter, ServiceResponse, TargetOutcome};
use crate::robot_in_use::Configuration;
use crate::solving::{PathPlan, PathStart, Queries};

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
    let now = arm.configuration()?;
    let mut start = now.end_inside();
    convert::overlay(&now.loaded.robot, "start", &request.start, &mut start).refuse_as("start")?;
    let at_start = Configuration { loaded: Arc::clone(&now.loaded), positions: start.clone(), end: start };
    let from = match (request.free_start, request.start_at_first_pose) {
        (true, _) => PathStart::Free,
        (false, true) => PathStart::FirstPose,
        (false, false) => PathStart::Tip,
    };
    let query = PathQuery::new(arm, &request, &at_start).await?;
    let (tip_link, header) = (query.tip_link(), query.header.clone());
    let to_plan = query.at(arm, &at_start, from, request.period).await?;
    let plan = searches.run_interruptible(1, move |interruption| to_plan.plan(interruption)).await?;
    Ok(Response { header, tip_link, ..response(&plan, request.goals.len()) })
}

/// The response to a request with so many goals, without header and tip link.
pub(crate) fn response(plan: &PathPlan, goals: usize) -> Response {
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
