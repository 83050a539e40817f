//! Cartesian paths: the topics that make the arm follow one, and the service that only plans.

use std::sync::Arc;

use futures::StreamExt;
use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::PoseArray;
use r2r::std_msgs::msg::Header;
use r2r::trajectory_msgs::msg::JointTrajectory;
use r2r::urdf_ik::msg::SolveStatus;
use r2r::urdf_ik::srv::SolvePath;
use r2r::{QosProfile, WrappedTypesupport};
use tokio::sync::watch;

use super::choices::{self, Choices};
use super::drive::Posture;
use super::plan::{self, Plan, Route};
use super::publisher::Publisher;
use super::status::{Refused, outcome};
use super::targets::starting_posture;
use super::wanted::names_a_frame;
use super::{NodeError, Shared, convert, query, services, targets, tips};
use crate::parameters::Settings;
use crate::solver::Target;

/// What stands before complaints about requests.
const SOLVE_PATH: &str = "solve_path";
/// And about messages.
const TARGET_PATH: &str = "target_path";

/// A path as it arrived, and whether the name of its frame was no valid text.
type Wanted = (PoseArray, bool);

pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let trajectories = Arc::new(Publisher::new(node, "~/joint_trajectory", QosProfile::default().keep_last(10))?);
    for (tip, scopes) in tips::scopes(&shared.settings().tip_links)?.into_iter().enumerate() {
        let newest = watch::Sender::new(None);
        let wanted = newest.subscribe();
        let mut arrivals = futures::stream::SelectAll::new();
        for scope in scopes {
            let quality = targets::quality(&shared.settings());
            arrivals.push(
                node.subscribe_raw(&format!("{scope}target_path"), "geometry_msgs/msg/PoseArray", quality)?.boxed(),
            );
        }
        let counting = Arc::clone(shared);
        tokio::spawn(arrivals.for_each(move |raw| {
            counting.counters.arrived();
            if let Ok(path) = PoseArray::from_serialized_bytes(&raw) {
                newest.send_replace(Some((path, !names_a_frame(&raw))));
            }
            std::future::ready(())
        }));
        tokio::spawn(execute_each(Arc::clone(shared), tip, wanted, Arc::clone(&trajectories)));
    }
    Ok(())
}

/// Follows the newest path of a tip whenever there is one.
async fn execute_each(
    shared: Arc<Shared>,
    tip: usize,
    mut newest: watch::Receiver<Option<Wanted>>,
    trajectories: Arc<Publisher<JointTrajectory>>,
) {
    while newest.changed().await.is_ok() {
        let Some(wanted) = newest.borrow_and_update().clone() else { continue };
        let header = wanted.0.header.clone();
        let planned = match plan_wanted(&shared, tip, wanted).await {
            // A newer path takes its place.
            Ok(_) if newest.has_changed().unwrap_or(true) => continue,
            planned => planned,
        };
        match planned.and_then(|planned| execute(&shared, planned, &trajectories)) {
            Ok(report) => {
                shared.complaints.well(TARGET_PATH);
                shared.report(&report);
            }
            Err(refused) => shared.refuse(TARGET_PATH, tip, header, refused),
        }
    }
}

/// A plan with what it takes to execute it.
struct Planned {
    plan: Plan,
    /// Of the posture for which it was made.
    ticket: u64,
    /// Without its stamp.
    report: SolveStatus,
    partial: bool,
}

/// Checks the path, brakes the arm, and plans.
async fn plan_wanted(shared: &Shared, tip: usize, (path, damaged): Wanted) -> Result<Planned, Refused> {
    let settings = shared.settings();
    if damaged {
        return Err(Refused::damaged_frame());
    }
    let loaded = starting_posture(shared)?.loaded;
    let frame = shared.frames.of_request(&loaded, &settings, &path.header).await?;
    // Before anything moves.
    plan::poses(&path.poses, &Isometry3::identity())?;
    shared.answers.forget().await;
    let (posture, ticket) = shared.output.prepare_path(&loaded)?;
    let standing = Posture { positions: posture.end.clone(), ..posture };
    let poses = plan::poses(&path.poses, &frame.in_base(&standing))?;
    let pattern = Target { tip, ..query::target(Isometry3::identity(), &settings) };
    let start = loaded.chain.positions_from(&standing.end);
    let partial = settings.path.partial;
    let settings = (*settings).clone();
    let route = Route { loaded, poses, pattern, start, start_at_first_pose: false, settings };
    let plan = services::in_turn(shared, move || route.plan()).await?;
    let report = SolveStatus {
        outcome: plan.outcome(),
        message: plan.sentence(),
        header: Header { frame_id: frame.name, ..path.header },
        tip_link: plan.solver.chain().tips()[tip].link.clone(),
        solver: plan.solver.method().kind().name().into(),
        position_error: plan.end.position,
        orientation_error: plan.end.orientation,
        smallest_singular_value: f64::NAN,
        ..SolveStatus::default()
    };
    Ok(Planned { plan, ticket, report, partial })
}

/// Sends the arm along the path, if all of it can be followed or that is no matter; gives the status for now.
fn execute(
    shared: &Shared,
    planned: Planned,
    trajectories: &Publisher<JointTrajectory>,
) -> Result<SolveStatus, Refused> {
    let Planned { plan, ticket, mut report, partial } = planned;
    if plan.trajectory.points.is_empty() || (plan.stop.is_some() && !partial) {
        report.message = format!("the arm stays where it is: {}", report.message);
        return Ok(report);
    }
    let (length, time) = (plan.path.length(), plan.duration());
    let message = convert::joint_trajectory(plan.solver.chain(), &plan.trajectory.points);
    let stamp = shared.output.follow(ticket, plan.trajectory.points.into(), report.clone())?;
    trajectories.publish(&message);
    report.outcome = outcome::STEP_LIMITED;
    report.message = format!("on its way along a path of {length:.4} m, there in {time:.3} s; then {}", report.message);
    report.joint_state_stamp = stamp;
    Ok(report)
}

pub(super) async fn solve_path(shared: Arc<Shared>, request: SolvePath::Request) -> SolvePath::Response {
    let (header, tip_link) = (request.header.clone(), request.tip_link.clone());
    match answer(&shared, request).await {
        Ok(response) => {
            shared.complaints.well(SOLVE_PATH);
            shared.counters.queries(1, u32::from(response.success));
            response
        }
        Err(Refused { outcome, sentence, kind }) => {
            shared.complaints.complain(SOLVE_PATH, &kind, &sentence);
            shared.counters.queries(1, 0);
            let (position_deviation, orientation_deviation) = (f64::NAN, f64::NAN);
            SolvePath::Response {
                message: sentence,
                outcome,
                header,
                tip_link,
                position_deviation,
                orientation_deviation,
                ..SolvePath::Response::default()
            }
        }
    }
}

async fn answer(shared: &Shared, request: SolvePath::Request) -> Result<SolvePath::Response, Refused> {
    let settings = shared.settings();
    let Posture { loaded, end, .. } = shared.output.posture().ok_or_else(Refused::no_robot)?;
    let mut start = end;
    convert::overlay(&loaded.robot, "start", &request.start, &mut start)
        .map_err(|sentence| Refused::invalid("start", sentence))?;
    let frame = shared.frames.of_request(&loaded, &settings, &request.header).await?;
    let standing = Posture { loaded: Arc::clone(&loaded), positions: start.clone(), end: start };
    let poses = plan::poses(&request.poses, &frame.in_base(&standing))?;
    let mut pattern = query::target(Isometry3::identity(), &settings);
    let mut settings = (*settings).clone();
    Choices::from(&request).apply(&loaded.chain, &mut pattern, &mut settings)?;
    choose(&request, &mut settings)?;
    let start = loaded.chain.positions_from(&standing.end);
    let start_at_first_pose = request.start_at_first_pose;
    let route = Route { loaded: Arc::clone(&loaded), poses, pattern, start, start_at_first_pose, settings };
    let plan = services::in_turn(shared, move || route.plan()).await?;
    let ends = plan.trajectory.points.last().map_or(0.0, |last| last.length);
    Ok(SolvePath::Response {
        success: plan.outcome() == outcome::SOLVED,
        message: plan.sentence(),
        outcome: plan.outcome(),
        header: Header { frame_id: frame.name, ..request.header },
        tip_link: loaded.chain.tips()[pattern.tip].link.clone(),
        solver: plan.solver.method().kind().name().into(),
        trajectory: convert::joint_trajectory(&loaded.chain, &plan.trajectory.points),
        fraction: plan.fraction,
        length: plan.path.length(),
        end: convert::pose_message(&plan.path.pose_at(ends)),
        stop_index: u32::try_from(plan.stop_index).unwrap_or(u32::MAX),
        position_deviation: plan.trajectory.deviation.position,
        orientation_deviation: plan.trajectory.deviation.orientation,
    })
}

/// Puts what only paths have in place of the parameters.
fn choose(request: &SolvePath::Request, settings: &mut Settings) -> Result<(), Refused> {
    let path = &mut settings.path;
    choices::replace(&mut path.timing.speed, "path.speed", request.speed)?;
    choices::replace(&mut path.timing.acceleration, "path.acceleration", request.acceleration)?;
    choices::replace(&mut path.blend_radius, "path.blend_radius", request.blend_radius)?;
    let deviation = &mut path.follow.deviation;
    choices::replace(&mut deviation.position, "path.position_deviation", request.position_deviation)?;
    choices::replace(&mut deviation.orientation, "path.orientation_deviation", request.orientation_deviation)?;
    if request.period != 0.0 {
        path.timing.period = request.period;
    }
    Ok(())
}
