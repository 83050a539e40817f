//! The topic `target_path` of each tip: the latest path is planned and followed.

use std::sync::Arc;

use futures::StreamExt;
use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::PoseArray;
use r2r::std_msgs::msg::Header;
use r2r::trajectory_msgs::msg::JointTrajectory;
use r2r::{QosProfile, WrappedTypesupport};
use tokio::sync::watch;

use crate::Result;
use crate::arm::{Arm, ArrivalReport, arrives};
use crate::messages::{convert, has_valid_frame, quality};
use crate::reports::{LatestTargets, Refused, Report, TargetOutcome};
use crate::robot_in_use::Configuration;
use crate::ros::{JOINT_TRAJECTORY, Publisher, Spinner, TARGET_PATH, task, tip_namespaces};
use crate::solving::{PathPlan, PathStart, PathToPlan, Queries, path_plan, problem};
use crate::surroundings::Avoidance;

/// A received path.
#[derive(Clone)]
struct PathMessage {
    poses: PoseArray,
    /// True if the frame name was not valid UTF-8.
    frame_is_damaged: bool,
}

pub(crate) fn serve(spinner: &mut Spinner, queries: &Arc<Queries>) -> Result {
    let settings = queries.arm.settings();
    let trajectories =
        Arc::new(Publisher::new(&mut spinner.node, JOINT_TRAJECTORY, QosProfile::default().keep_last(10))?);
    for (tip, namespaces) in tip_namespaces::of_tips(&settings.tip_links)?.into_iter().enumerate() {
        let sender = watch::Sender::new(None);
        let newest = sender.subscribe();
        let mut arrivals = futures::stream::SelectAll::new();
        for namespace in namespaces {
            let quality = quality(&settings);
            arrivals.push(spinner.subscribe_raw(TARGET_PATH, &TARGET_PATH.name_in(&namespace), quality)?.boxed());
        }
        let arm = Arc::clone(&queries.arm);
        task::start(arrivals.for_each(move |raw| {
            arm.reporter.counts.lock().arrived += 1;
            if let Ok(poses) = PoseArray::from_serialized_bytes(&raw) {
                sender.send_replace(Some(PathMessage { poses, frame_is_damaged: !has_valid_frame(&raw) }));
            }
            std::future::ready(())
        }));
        task::start(execute_each(Arc::clone(queries), tip, newest, Arc::clone(&trajectories)));
    }
    Ok(())
}

/// Plans and executes each latest path of a tip.
async fn execute_each(
    queries: Arc<Queries>,
    tip: usize,
    mut newest: watch::Receiver<Option<PathMessage>>,
    trajectories: Arc<Publisher<JointTrajectory>>,
) {
    let arm = &queries.arm;
    while newest.changed().await.is_ok() {
        let Some(message) = newest.borrow_and_update().clone() else { continue };
        let header = message.poses.header.clone();
        let planned = match plan(&queries, tip, message).await {
            // A newer path has arrived during planning: it replaces this one.
            Ok(_) if newest.has_changed().unwrap_or(true) => continue,
            planned => planned,
        };
        let ended = planned.and_then(|planned| execute(arm, planned, &trajectories));
        arm.report_outcome(TARGET_PATH.short_name(), tip, header, ended);
    }
}

/// A planned path with the context of its execution.
struct Planned {
    plan: PathPlan,
    /// From [`Output::prepare_path`](crate::arm::output::Output::prepare_path): void once another source moves the
    /// arm.
    ticket: u64,
    /// The end of the path, and the report on the whole path without its stamp.
    arrival: ArrivalReport,
    /// True if a part of the path may be executed.
    partial: bool,
}

/// Checks the path, brakes the arm, and plans.
async fn plan(queries: &Queries, tip: usize, message: PathMessage) -> Result<Planned, Refused> {
    let Queries { arm, searches } = queries;
    let settings = arm.settings();
    let PathMessage { poses: PoseArray { header, poses }, frame_is_damaged } = message;
    if frame_is_damaged {
        return Err(Refused::damaged_frame());
    }
    let loaded = arm.start()?.loaded;
    let frame = arm.frames.of_request(&loaded, &settings, &header).await?;
    // Checked before the arm brakes: an invalid path must not stop it.
    path_plan::poses(&poses, &Isometry3::identity())?;
    arm.discard_targets().await;
    let (now, ticket) = arm.output.prepare_path(&loaded)?;
    let at_rest = Configuration { positions: now.end.clone(), ..now };
    let poses = path_plan::poses(&poses, &frame.in_base(&at_rest))?;
    let pattern = problem::target(Isometry3::identity(), &settings).with_tip(tip);
    let start = loaded.chain.positions_from(&at_rest.end);
    let partial = settings.path.partial;
    let goals = arm.standing_goals(&at_rest, &settings)?.to_vec();
    let settings = (*settings).clone();
    let avoidance = Avoidance::of(&arm.surroundings, &loaded, &at_rest.end, &settings).await?;
    let period = settings.publish_period().as_secs_f64();
    let to_plan =
        PathToPlan { loaded, poses, pattern, goals, start, from: PathStart::Tip, avoidance, period, settings };
    let plan = searches.run_long(1, move || to_plan.plan()).await?;
    let header = Header { frame_id: frame.name, ..header };
    let tip_link = plan.solver.chain().tips()[tip].link.clone();
    let mut report = Report::new(plan.outcome(), plan.sentence(), header, tip_link);
    report.status.solver = plan.solver.method().kind().name().into();
    report.set_residual(plan.end);
    let target = pattern.with_pose(plan.path.pose_at(plan.path.length()));
    Ok(Planned { plan, ticket, arrival: ArrivalReport { target, report }, partial })
}

/// Starts the motion along the path, if all of it or a part may be executed. Returns the report on the start.
fn execute(arm: &Arm, planned: Planned, trajectories: &Publisher<JointTrajectory>) -> Result<Report, Refused> {
    let Planned { plan, ticket, arrival, partial } = planned;
    let mut report = arrival.report.clone();
    if plan.trajectory.points.is_empty() || (plan.stop.is_some() && !partial) {
        report.status.message = format!("the arm does not move: {}", report.status.message);
        return Ok(report);
    }
    let (length, arrives) = (plan.path.length(), arrives(plan.duration(), arm.settings().speed_scale));
    let message = convert::joint_trajectory(plan.solver.chain(), &plan.trajectory.points);
    let stamp = arm.output.follow(ticket, plan.trajectory.points.into(), arrival)?;
    trajectories.publish(&message);
    LatestTargets::follow(&arm.reporter.latest, &report.status.tip_link, &plan.path);
    report.outcome = TargetOutcome::StepLimited;
    report.status.message =
        format!("the arm follows a path of {length:.4} m and {arrives}; then: {}", report.status.message);
    report.status.joint_state_stamp = stamp;
    Ok(report)
}
