//! The action `follow_path`: the motion of `target_path` with feedback, cancellation and a result.
//!
//! Every goal is accepted, because only a result has a message that names an invalid field. A goal replaces the motion
//! of an earlier one as a path of the topic does, when the arm brakes for it.

use std::pin::pin;
use std::sync::Arc;

use r2r::urdf_ik::action::FollowPath::{self, Result as PathResult};
use r2r::urdf_ik::msg::SolveStatus;
use r2r::urdf_ik::srv::SolvePath::{Request, Response};

use super::FEEDBACK_PERIOD;
use super::path_deviation::{NearestPlace, nearest};
use super::path_motion::{MovingPath, PathOutput, PathStarted, PlannedPath, PreparedPath};
use crate::Result;
use crate::arm::Arm;
use crate::messages::{convert, copied};
use crate::reports::{Refused, Report, ServiceResponse, TargetOutcome};
use crate::ros::{Action, EndedGoal, FOLLOW_PATH, Goal, GoalEnd, Spinner, action_server};
use crate::services::solve_path;
use crate::solving::Queries;
use urdf_ik_motion::Path;
use urdf_ik_robot::ChainPoses;
use urdf_ik_solver::Target;

impl Action for FollowPath::Action {}

/// Greatest lag of a measured arm behind its command \[s\] that does not count as deviation.
const MAX_LAG: f64 = 1.0;

/// A goal that ends before a motion along its path.
enum Stopped {
    Refused(Refused),
    Canceled,
}

impl From<Refused> for Stopped {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

/// The end of a goal with its result.
type Ended = EndedGoal<FollowPath::Action>;

pub(super) fn serve(spinner: &mut Spinner, queries: &Arc<Queries>, output: &Arc<PathOutput>) -> Result {
    let (queries, output) = (Arc::clone(queries), Arc::clone(output));
    action_server::execute_each::<FollowPath::Action, _>(spinner, FOLLOW_PATH, move |goal| {
        execute(Arc::clone(&queries), Arc::clone(&output), goal)
    })
}

async fn execute(queries: Arc<Queries>, output: Arc<PathOutput>, mut goal: Goal<FollowPath::Action>) -> Ended {
    let arm = &queries.arm;
    arm.reporter.counts.lock().arrived += 1;
    let request = request_of(&goal.request);
    let ended = match plan(&queries, &request, &mut goal).await {
        Ok(planned) => follow(arm, planned, &request, &output, &mut goal).await,
        Err(stopped) => Err(stopped),
    };
    ended.unwrap_or_else(|stopped| without_motion(arm, &request, stopped))
}

/// The end of a goal without a motion along its path.
fn without_motion(arm: &Arm, request: &Request, stopped: Stopped) -> Ended {
    let (end, refused) = match stopped {
        Stopped::Canceled => {
            let refused = Refused::invalid("canceled", "the goal was canceled before the arm moved along the path");
            (GoalEnd::Canceled, Refused { outcome: TargetOutcome::StepLimited, ..refused })
        }
        Stopped::Refused(refused) => {
            let now = arm.output.configuration();
            let tip = now.and_then(|now| now.loaded.chain.tip_index(&request.tip_link));
            // An unknown link has no index.
            let tip = tip.unwrap_or(if request.tip_link.is_empty() { 0 } else { usize::MAX });
            arm.report_outcome(FOLLOW_PATH.short_name(), tip, request.header.clone(), Err(refused.clone()));
            (GoalEnd::Aborted, refused)
        }
    };
    Ended { end, result: result_of(Response::refused(&arm.reporter, request, refused)) }
}

/// Checks and plans the path of a goal.
async fn plan(
    queries: &Queries,
    request: &Request,
    goal: &mut Goal<FollowPath::Action>,
) -> Result<PlannedPath, Stopped> {
    let Queries { arm, searches } = queries;
    let prepared = tokio::select! {
        biased;
        () = goal.cancelled() => return Err(Stopped::Canceled),
        prepared = PreparedPath::new(arm, request) => prepared?,
    };
    let ticket = prepared.ticket;
    let mut planning = pin!(prepared.plan(searches));
    loop {
        tokio::select! {
            biased;
            () = goal.cancelled() => return Err(Stopped::Canceled),
            planned = &mut planning => return Ok(planned?),
            () = tokio::time::sleep(FEEDBACK_PERIOD) => {
                arm.output.check_latest(ticket)?;
                goal.send_feedback(FollowPath::Feedback::default());
            }
        }
    }
}

/// Moves the arm along a planned path until it has arrived, another motion replaces this one, or the goal is canceled
/// and the arm rests.
async fn follow(
    arm: &Arm,
    planned: PlannedPath,
    request: &Request,
    output: &PathOutput,
    goal: &mut Goal<FollowPath::Action>,
) -> Result<Ended, Stopped> {
    let mut motion = Following::new(arm, &planned, request);
    let (tip, topic) = (motion.pattern.tip, FOLLOW_PATH.short_name());
    let PathStarted { report, moving } = tokio::select! {
        biased;
        () = goal.cancelled() => return Err(Stopped::Canceled),
        started = planned.start(arm, output) => started?,
    };
    let sentence = report.status.message.clone();
    arm.report_outcome(topic, tip, request.header.clone(), Ok(report));
    let Some(mut moving) = moving else {
        motion.response.message = sentence;
        return Ok(motion.end_early(GoalEnd::Aborted));
    };
    motion.is_driven = moving.driven.is_some();
    loop {
        tokio::select! {
            biased;
            ended = moving.end(arm) => return Ok(match ended {
                Ok(report) => motion.end(&moving, report),
                Err(refused) => {
                    arm.report_outcome(topic, tip, request.header.clone(), Err(refused.clone()));
                    motion.fail(&moving, refused)
                }
            }),
            () = goal.cancelled() => return Ok(motion.cancel(moving, goal).await),
            () = tokio::time::sleep(FEEDBACK_PERIOD) => goal.send_feedback(motion.progress(&moving)),
        }
    }
}

/// A motion along a path, with its result so far.
struct Following<'a> {
    arm: &'a Arm,
    path: Path,
    /// The tip and its free axes.
    pattern: Target,
    /// Path length behind the command within which the arm may be \[m\].
    reach: f64,
    /// Path length that the command has covered; with a driver, the arm \[m\].
    covered: f64,
    /// True if a driver executes the path.
    is_driven: bool,
    response: Response,
}

impl<'a> Following<'a> {
    fn new(arm: &'a Arm, planned: &PlannedPath, request: &Request) -> Self {
        let PlannedPath { plan, arrival, .. } = planned;
        let SolveStatus { header, tip_link, .. } = arrival.report.status.clone();
        let response = Response { header, tip_link, ..solve_path::response(plan, request.goals.len()) };
        let speed = if request.speed == 0.0 { arm.settings().path.speed } else { request.speed };
        Self {
            arm,
            path: plan.path.clone(),
            pattern: arrival.target,
            reach: speed * MAX_LAG,
            covered: 0.0,
            is_driven: false,
            response,
        }
    }

    /// Measures progress and deviation.
    fn progress(&mut self, moving: &MovingPath) -> FollowPath::Feedback {
        let mut feedback = FollowPath::Feedback { is_planned: true, ..FollowPath::Feedback::default() };
        if let Some((covered, now)) = self.arm.output.path_progress() {
            let timeout = self.arm.settings().measured_timeout;
            let measured = || self.arm.measured.configuration(timeout, &now.loaded, &now.positions).ok().flatten();
            let positions = moving.driven.as_ref().and_then(|driven| driven.actual(&now)).or_else(measured);
            let chain = &now.loaded.chain;
            let mut poses = ChainPoses::new(chain);
            chain.forward_kinematics(&chain.positions_from(&positions.unwrap_or(now.positions)), &mut poses);
            let tip = poses.tips()[self.pattern.tip];
            // A driver may lag behind the command, or lead.
            let first = if self.is_driven { self.covered } else { covered - self.reach };
            let last = if self.is_driven { covered + self.reach } else { covered };
            let NearestPlace { length, deviation } = nearest(&self.path, &self.pattern, [first, last], &tip);
            self.covered = if self.is_driven { length } else { covered };
            (feedback.position_deviation, feedback.orientation_deviation) = (deviation.position, deviation.orientation);
            // Before the start of the path the arm may still brake.
            if covered > 0.0 {
                let Response { position_deviation, orientation_deviation, .. } = &mut self.response;
                *position_deviation = position_deviation.max(deviation.position);
                *orientation_deviation = orientation_deviation.max(deviation.orientation);
            }
        }
        feedback.progress = self.fraction();
        feedback
    }

    /// Covered fraction of the path.
    fn fraction(&self) -> f64 {
        let length = self.path.length();
        // The arm may already be at the only pose.
        if length > 0.0 { (self.covered / length).min(1.0) } else { 1.0 }
    }

    /// The end with the report on arrival; `None` if another motion has replaced this one.
    fn end(mut self, moving: &MovingPath, report: Option<Report>) -> Ended {
        let planned = self.response.outcome;
        if let Some(Report { outcome, status, .. }) = report {
            (self.response.outcome, self.response.message) = (outcome.code(), status.message);
            self.response.success = outcome == TargetOutcome::Solved;
            self.progress(moving);
            if self.response.success {
                return Ended { end: GoalEnd::Succeeded, result: result_of(self.response) };
            }
            if self.response.outcome == planned {
                return Ended { end: GoalEnd::Aborted, result: result_of(self.response) };
            }
        } else {
            let replaced = self.arm.output.check_latest(moving.ticket).err();
            self.response.message = replaced.map_or_else(String::new, |refused| refused.sentence);
            self.response.outcome = TargetOutcome::StepLimited.code();
        }
        self.end_early(GoalEnd::Aborted)
    }

    /// The end after a failure of the driver.
    fn fail(mut self, moving: &MovingPath, refused: Refused) -> Ended {
        self.progress(moving);
        (self.response.outcome, self.response.message) = (refused.outcome.code(), refused.sentence);
        self.end_early(GoalEnd::Aborted)
    }

    /// The end before the end of the planned motion.
    fn end_early(mut self, end: GoalEnd) -> Ended {
        self.response.success = false;
        self.response.fraction = self.fraction();
        self.response.end = convert::pose_message(&self.path.pose_at(self.covered));
        Ended { end, result: result_of(self.response) }
    }

    /// Brakes the arm on the path, and waits until it rests.
    async fn cancel(mut self, mut moving: MovingPath, goal: &Goal<FollowPath::Action>) -> Ended {
        self.response.outcome = TargetOutcome::StepLimited.code();
        let stopped = match self.arm.output.stop_on_path(moving.ticket) {
            Ok(stopped) => stopped,
            Err(refused) => {
                self.response.message = refused.sentence;
                return self.end_early(GoalEnd::Aborted);
            }
        };
        if let Some(driven) = moving.driven.take() {
            driven.stop().await;
            self.progress(&moving);
        }
        while !self.arm.output.is_at_rest() && self.arm.output.check_latest(stopped).is_ok() {
            tokio::time::sleep(self.arm.settings().publish_period().min(FEEDBACK_PERIOD)).await;
            goal.send_feedback(self.progress(&moving));
        }
        self.progress(&moving);
        self.response.message =
            format!("the goal was canceled: the arm stops after {:.1} % of the path", 100.0 * self.fraction());
        self.end_early(GoalEnd::Canceled)
    }
}

/// The request of `solve_path` for the path of a goal.
fn request_of(goal: &FollowPath::Goal) -> Request {
    copied!(&goal => Request {
        header, poses, tip_link, free_axes, goals, solver, position_tolerance, orientation_tolerance, speed,
        acceleration, blend_radius, position_deviation, orientation_deviation, avoid_collisions,
    } Request::default())
}

fn result_of(response: Response) -> PathResult {
    copied!(response => PathResult {
        success, message, outcome, header, tip_link, solver, trajectory, fraction, length, end, stop_index,
        position_deviation, orientation_deviation, goal_violations,
    })
}
