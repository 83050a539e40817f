//! An action server, made of the services and topics of the protocol of ROS 2 actions.
//!
//! The action server of r2r 0.9 keeps every goal and its result until the node ends, spins without a pause once a
//! result has expired, and lets no cancelled goal reach its final status.

use std::future::{Future, ready};
use std::sync::Arc;
use std::time::Duration;

use r2r::action_msgs::msg::{GoalInfo, GoalStatus, GoalStatusArray};
use r2r::action_msgs::srv::CancelGoal;
use r2r::builtin_interfaces::msg::Time;
use r2r::unique_identifier_msgs::msg::UUID;
use r2r::{QosProfile, WrappedActionTypeSupport, WrappedServiceTypeSupport};
use tokio::sync::watch;

use super::clock::Clock;
use super::constants;
use super::interface::Interface;
use super::lock::Lock;
use super::publisher::Publisher;
use super::quality::latched;
use super::service_server::{Service, answer_each};
use super::spin::Spinner;
use super::task;
use crate::Result;

/// Time for which the result of an ended goal is kept, as in rcl.
const RESULT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of goals, including those whose results are kept.
const MAX_GOALS: usize = 1000;

type GoalRequest<A> = <<A as WrappedActionTypeSupport>::SendGoal as WrappedServiceTypeSupport>::Request;
type GoalResponse<A> = <<A as WrappedActionTypeSupport>::SendGoal as WrappedServiceTypeSupport>::Response;
type ResultRequest<A> = <<A as WrappedActionTypeSupport>::GetResult as WrappedServiceTypeSupport>::Request;
type ResultResponse<A> = <<A as WrappedActionTypeSupport>::GetResult as WrappedServiceTypeSupport>::Response;

constants! {
    i8: GoalStatus { STATUS_UNKNOWN, STATUS_EXECUTING, STATUS_CANCELING, STATUS_SUCCEEDED, STATUS_CANCELED, STATUS_ABORTED }
}
constants! {
    i8: CancelGoal::Response { ERROR_NONE, ERROR_UNKNOWN_GOAL_ID, ERROR_GOAL_TERMINATED }
}

/// An action whose messages may pass between threads.
pub(crate) trait Action:
    WrappedActionTypeSupport<
        Goal: Send,
        Feedback: Send + Sync,
        Result: Send + Sync,
        FeedbackMessage: Send,
        SendGoal: Service,
        GetResult: Service,
    > + 'static
{
}

/// How a goal ended.
pub(crate) enum GoalEnd {
    Succeeded = STATUS_SUCCEEDED as isize,
    Canceled = STATUS_CANCELED as isize,
    Aborted = STATUS_ABORTED as isize,
}

/// The end of a goal with its result.
pub(crate) struct EndedGoal<A: Action> {
    pub end: GoalEnd,
    pub result: A::Result,
}

/// An accepted goal, for the task that executes it.
pub(crate) struct Goal<A: Action> {
    pub request: A::Goal,
    id: UUID,
    state: watch::Receiver<GoalState<A>>,
    feedback: Arc<Publisher<A::FeedbackMessage>>,
}

/// The state of a goal for its clients.
struct GoalState<A: Action> {
    status: i8,
    result: Option<ResultResponse<A>>,
}

struct KnownGoal<A: Action> {
    info: GoalInfo,
    state: watch::Sender<GoalState<A>>,
}

struct ActionServer<A: Action> {
    /// In the order of their acceptance.
    goals: Lock<Vec<KnownGoal<A>>>,
    statuses: Publisher<GoalStatusArray>,
    feedback: Arc<Publisher<A::FeedbackMessage>>,
    clock: Clock,
}

/// Creates an action server that accepts every goal, and executes each in a task of its own.
pub(crate) fn execute_each<A, F>(
    spinner: &mut Spinner,
    action: Interface,
    execute: impl Fn(Goal<A>) -> F + Clone + Send + Sync + 'static,
) -> Result
where
    A: Action,
    F: Future<Output = EndedGoal<A>> + Send + 'static,
{
    let part = |part: &str| format!("{}/_action/{part}", action.name);
    let server = Arc::new(ActionServer {
        goals: Lock::default(),
        statuses: Publisher::named(spinner, part("status"), latched())?,
        feedback: Arc::new(Publisher::named(spinner, part("feedback"), QosProfile::default().keep_last(10))?),
        clock: Clock::new(&spinner.node),
    });
    answer_each::<A::SendGoal, _, _>(spinner, &server, &part("send_goal"), move |server, request| {
        ready(server.accept(request, &execute))
    })?;
    answer_each::<CancelGoal::Service, _, _>(spinner, &server, &part("cancel_goal"), |server, request| {
        ready(server.cancel(&request.goal_info))
    })?;
    answer_each::<A::GetResult, _, _>(spinner, &server, &part("get_result"), |server, request| async move {
        server.result(request).await
    })
}

impl<A: Action> Goal<A> {
    /// Waits until a client cancels the goal.
    pub(crate) async fn cancelled(&mut self) {
        // An error means that the goal has ended.
        let _ = self.state.wait_for(|state| state.status == STATUS_CANCELING).await.map(drop);
    }

    pub(crate) fn send_feedback(&self, feedback: A::Feedback) {
        self.feedback.publish(&A::make_feedback_msg(self.id.clone(), feedback));
    }
}

impl<A: Action> ActionServer<A> {
    fn accept<F>(self: &Arc<Self>, request: GoalRequest<A>, execute: impl Fn(Goal<A>) -> F) -> GoalResponse<A>
    where
        F: Future<Output = EndedGoal<A>> + Send + 'static,
    {
        let (id, request) = A::destructure_goal_request_msg(request);
        let info = GoalInfo { goal_id: id.clone(), stamp: self.clock.stamp() };
        let stamp = info.stamp.clone();
        let (sender, state) = watch::channel(GoalState { status: STATUS_EXECUTING, result: None });
        let mut goals = self.goals.lock();
        if goals.len() >= MAX_GOALS || goals.iter().any(|goal| goal.info.goal_id == id) {
            return A::make_goal_response_msg(false, stamp);
        }
        goals.push(KnownGoal { info, state: sender });
        self.publish_statuses(&goals);
        drop(goals);
        let feedback = Arc::clone(&self.feedback);
        let (server, ending) = (Arc::clone(self), execute(Goal { request, id: id.clone(), state, feedback }));
        task::start(async move {
            let ended = ending.await;
            server.end(&id, ended);
            tokio::time::sleep(RESULT_TIMEOUT).await;
            let mut goals = server.goals.lock();
            goals.retain(|goal| goal.info.goal_id != id);
            server.publish_statuses(&goals);
        });
        A::make_goal_response_msg(true, stamp)
    }

    fn end(&self, id: &UUID, EndedGoal { end, result }: EndedGoal<A>) {
        let goals = self.goals.lock();
        let status = end as i8;
        let state = GoalState { status, result: Some(A::make_result_response_msg(status, result)) };
        if let Some(goal) = goals.iter().find(|goal| goal.info.goal_id == *id) {
            goal.state.send_replace(state);
        }
        self.publish_statuses(&goals);
    }

    /// Cancels the goal with the id of `which`, and all goals accepted up to its stamp; all goals if both are zero.
    fn cancel(&self, which: &GoalInfo) -> CancelGoal::Response {
        let has_id = which.goal_id.uuid.iter().any(|&byte| byte != 0);
        let has_stamp = which.stamp != Time::default();
        let time = |info: &GoalInfo| (info.stamp.sec, info.stamp.nanosec);
        let is_old = |goal: &KnownGoal<A>| has_stamp && time(&goal.info) <= time(which);
        let is_meant =
            |goal: &&KnownGoal<A>| (!has_id && !has_stamp) || goal.info.goal_id == which.goal_id || is_old(goal);
        let goals = self.goals.lock();
        let meant: Vec<_> = goals.iter().filter(is_meant).collect();
        let cancel = |goal: &&&KnownGoal<A>| {
            goal.state.send_if_modified(|state| {
                let is_active = state.result.is_none();
                if is_active {
                    state.status = STATUS_CANCELING;
                }
                is_active
            })
        };
        let goals_canceling: Vec<_> = meant.iter().filter(cancel).map(|goal| goal.info.clone()).collect();
        let return_code = match (has_id && !has_stamp, meant.is_empty(), goals_canceling.is_empty()) {
            (true, true, _) => ERROR_UNKNOWN_GOAL_ID,
            (true, false, true) => ERROR_GOAL_TERMINATED,
            _ => ERROR_NONE,
        };
        self.publish_statuses(&goals);
        CancelGoal::Response { return_code, goals_canceling }
    }

    /// The result of a goal once it has ended.
    async fn result(&self, request: ResultRequest<A>) -> ResultResponse<A> {
        let id = A::destructure_result_request_msg(request);
        let state = self.goals.lock().iter().find(|goal| goal.info.goal_id == id).map(|goal| goal.state.subscribe());
        let mut result = None;
        if let Some(mut state) = state {
            let ended = state.wait_for(|state| state.result.is_some()).await;
            result = ended.ok().and_then(|state| state.result.clone());
        }
        result.unwrap_or_else(|| A::make_result_response_msg(STATUS_UNKNOWN, A::Result::default()))
    }

    fn publish_statuses(&self, goals: &[KnownGoal<A>]) {
        let status =
            |goal: &KnownGoal<A>| GoalStatus { goal_info: goal.info.clone(), status: goal.state.borrow().status };
        self.statuses.publish(&GoalStatusArray { status_list: goals.iter().map(status).collect() });
    }
}
