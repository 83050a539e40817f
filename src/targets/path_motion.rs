//! The motion along a path, for the topic `target_path` and the action `follow_path`: checks, braking, planning, start.

use r2r::std_msgs::msg::Header;
use r2r::trajectory_msgs::msg::JointTrajectory;
use r2r::urdf_ik::srv::SolvePath::Request;
use tokio::sync::mpsc;

use crate::arm::{Arm, ArrivalReport, StartedPath, arrives};
use crate::messages::convert;
use crate::reports::{LatestTargets, Refused, Report, TargetOutcome};
use crate::robot_in_use::Configuration;
use crate::ros::Publisher;
use crate::services::path_query::PathQuery;
use crate::solving::{PathPlan, PathStart, PathToPlan, Searches};

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

/// The start of a motion along a path.
pub(super) struct PathStarted {
    pub report: Report,
    /// For [`Output::stop_on_path`](crate::arm::output::Output::stop_on_path); `None` if the arm does not move.
    pub ticket: Option<u64>,
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
        let (now, ticket) = arm.output.prepare_path(&present.loaded)?;
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
    /// Starts the motion along the path, if all of it or a part may be executed. `listener` receives the report on
    /// arrival.
    ///
    /// # Errors
    /// [`Refused`] if another motion was requested meanwhile.
    pub(super) fn start(
        self,
        arm: &Arm,
        trajectories: &Publisher<JointTrajectory>,
        listener: Option<mpsc::UnboundedSender<Report>>,
    ) -> Result<PathStarted, Refused> {
        let Self { plan, ticket, mut arrival, partial } = self;
        let mut report = arrival.report.clone();
        if plan.trajectory.points.is_empty() || (plan.stop.is_some() && !partial) {
            report.status.message = format!("the arm does not move: {}", report.status.message);
            return Ok(PathStarted { report, ticket: None });
        }
        arrival.report.listener = listener;
        let (length, arrives) = (plan.path.length(), arrives(plan.duration(), arm.settings().speed_scale));
        let message = convert::joint_trajectory(plan.solver.chain(), &plan.trajectory.points);
        let StartedPath { stamp, ticket } = arm.output.follow(ticket, plan.trajectory.points.into(), arrival)?;
        trajectories.publish(&message);
        LatestTargets::follow(&arm.reporter.latest, &report.status.tip_link, &plan.path);
        report.outcome = TargetOutcome::StepLimited;
        report.status.message =
            format!("the arm follows a path of {length:.4} m and {arrives}; then: {}", report.status.message);
        report.status.joint_state_stamp = stamp;
        Ok(PathStarted { report, ticket: Some(ticket) })
    }
}
