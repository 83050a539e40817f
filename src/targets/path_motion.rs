//! The motion along a path, for the topic `target_path` and the action `follow_path`: checks, braking, planning, start.

use r2r::QosProfile;
use r2r::std_msgs::msg::Header;
use r2r::trajectory_msgs::msg::JointTrajectory;
use r2r::urdf_ik::srv::SolvePath::Request;
use tokio::sync::mpsc;

use super::trajectory_driver::{DrivenPath, TrajectoryDriver};
use crate::Result;
use crate::arm::{Arm, ArrivalReport, arrives};
use crate::messages::convert;
use crate::reports::{LatestTargets, Refused, Report, TargetOutcome};
use crate::robot_in_use::Configuration;
use crate::ros::{JOINT_TRAJECTORY, Publisher, Spinner};
use crate::services::path_query::PathQuery;
use crate::solving::{PathPlan, PathStart, PathToPlan, Searches};
use urdf_ik_parameters::Settings;

/// A path of an arm that brakes or is at rest.
pub(super) struct PreparedPath {
    to_plan: PathToPlan,
    /// From [`Output::prepare_path`](crate::arm::output::Output::prepare_path): void once another source moves the
    /// arm.
    pub ticket: u64,
    /// With the frame in use.
    pub header: Header,
}

/// A planned path with the context of its execution.
pub(super) struct PlannedPath {
    pub plan: PathPlan,
    ticket: u64,
    /// The end of the path, and the report on the whole path without its stamp.
    pub arrival: ArrivalReport,
    /// True if a part of the path may be executed.
    partial: bool,
}

/// Where the trajectories of paths go: to the topic, and to the driver of the parameter `trajectory_action`.
pub(super) struct PathOutput {
    topic: Publisher<JointTrajectory>,
    driver: Option<TrajectoryDriver>,
}

/// The start of a motion along a path.
pub(super) struct PathStarted {
    pub report: Report,
    /// `None` if the arm does not move.
    pub moving: Option<MovingPath>,
}

/// A motion along a path.
pub(super) struct MovingPath {
    /// For [`Output::stop_on_path`](crate::arm::output::Output::stop_on_path).
    pub ticket: u64,
    /// `None` without a driver, and after its success.
    pub driven: Option<DrivenPath>,
    arrival: mpsc::UnboundedReceiver<Report>,
    /// The report of an arm that has arrived before the success of its driver.
    arrived: Option<Report>,
}

impl PathOutput {
    pub(super) fn new(spinner: &mut Spinner, settings: &Settings) -> Result<Self> {
        let topic = Publisher::new(spinner, JOINT_TRAJECTORY, QosProfile::default().keep_last(10))?;
        Ok(Self { topic, driver: TrajectoryDriver::new(spinner, settings)? })
    }
}

impl PreparedPath {
    /// Checks a request and brakes the arm. An invalid request does not stop it.
    ///
    /// # Errors
    /// [`Refused`] with the name of the field, or if the arm does not accept commands.
    pub(super) async fn new(arm: &Arm, request: &Request) -> Result<Self, Refused> {
        let present = arm.start()?;
        let query = PathQuery::new(arm, request, &present).await?;
        arm.discard_targets();
        let (mut now, mut ticket) = arm.output.prepare_path(&present.loaded)?;
        if arm.settings().trajectory_action.is_some() {
            arm.rest(ticket).await?;
            (now, ticket) = arm.output.prepare_path(&present.loaded)?;
        }
        let at_rest = Configuration { positions: now.end.clone(), ..now };
        let header = query.header.clone();
        let to_plan = query.at(arm, &at_rest, PathStart::Tip, request.period).await?;
        Ok(Self { to_plan, ticket, header })
    }

    /// # Errors
    /// [`Refused`] for invalid settings. A path that cannot be followed to its end is no error.
    pub(super) async fn plan(self, searches: &Searches) -> Result<PlannedPath, Refused> {
        let Self { to_plan, ticket, header } = self;
        let (pattern, partial) = (to_plan.pattern, to_plan.settings.path.partial);
        let plan = searches.run_interruptible(1, move |interruption| to_plan.plan(interruption)).await?;
        let tip_link = plan.solver.chain().tips()[pattern.tip].link.clone();
        let mut report = Report::new(plan.outcome(), plan.sentence(), header, tip_link);
        report.status.solver = plan.solver.method().kind().name().into();
        report.set_residual(plan.end);
        let target = pattern.with_pose(plan.path.pose_at(plan.path.length()));
        Ok(PlannedPath { plan, ticket, arrival: ArrivalReport { target, report }, partial })
    }
}

impl PlannedPath {
    /// Starts the motion along the path, if all of it or a part may be executed.
    ///
    /// # Errors
    /// [`Refused`] if another motion was requested meanwhile, or if the driver does not accept the path.
    pub(super) async fn start(self, arm: &Arm, output: &PathOutput) -> Result<PathStarted, Refused> {
        let Self { plan, ticket, mut arrival, partial } = self;
        let mut report = arrival.report.clone();
        if plan.trajectory.points.is_empty() || (plan.stop.is_some() && !partial) {
            report.status.message = format!("the arm does not move: {}", report.status.message);
            return Ok(PathStarted { report, moving: None });
        }
        let (listener, arrived) = mpsc::unbounded_channel();
        arrival.report.listener = Some(listener);
        let (length, arrives) = (plan.path.length(), arrives(plan.duration(), arm.settings().speed_scale));
        let (chain, points) = (plan.solver.chain(), plan.trajectory.points);
        let mut driven = None;
        if let Some(driver) = &output.driver {
            driven = Some(driver.start(arm, chain, &points).await?);
        }
        let message = convert::joint_trajectory(chain, &points);
        let (stamp, ticket) = arm.output.follow(ticket, points.into(), arrival, driven.is_some())?;
        output.topic.publish(&message);
        LatestTargets::follow(&arm.reporter.latest, &report.status.tip_link, &plan.path);
        report.outcome = TargetOutcome::StepLimited;
        report.status.message =
            format!("the arm follows a path of {length:.4} m and {arrives}; then: {}", report.status.message);
        report.status.joint_state_stamp = stamp;
        let moving = MovingPath { ticket, driven, arrival: arrived, arrived: None };
        Ok(PathStarted { report, moving: Some(moving) })
    }
}

impl MovingPath {
    /// Waits for the report on arrival and the success of the driver; `None` if another motion has replaced this one.
    ///
    /// # Errors
    /// [`Refused`] if the driver fails. Then the command brakes on the path.
    pub(super) async fn end(&mut self, arm: &Arm) -> Result<Option<Report>, Refused> {
        loop {
            if self.driven.is_none() && self.arrived.is_some() {
                return Ok(self.arrived.take());
            }
            let Self { driven, arrival, arrived, .. } = self;
            let succeeds = async {
                match driven {
                    Some(driven) => driven.success(arm).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                report = arrival.recv(), if arrived.is_none() => match report {
                    Some(report) if report.outcome != TargetOutcome::FollowingError => *arrived = Some(report),
                    ended => return Ok(ended),
                },
                succeeded = succeeds => {
                    *driven = None;
                    succeeded.map_err(|sentence| self.fail(arm, sentence))?;
                }
            }
        }
    }

    /// Brakes because the driver has failed; it no longer moves the arm.
    fn fail(&self, arm: &Arm, sentence: String) -> Refused {
        // Another request brakes it or moves it on.
        let _ = arm.output.stop_on_path(self.ticket);
        Refused { outcome: TargetOutcome::FollowingError, kind: "trajectory_action".into(), sentence }
    }
}
