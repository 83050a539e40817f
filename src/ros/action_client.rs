//! An action client, made of the services and the feedback topic of the protocol of ROS 2 actions.
//!
//! The futures of the action client of r2r 0.9 cannot leave their thread, and it cannot cancel a goal that is accepted
//! after its client has stopped waiting.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use r2r::action_msgs::msg::{GoalInfo, GoalStatus};
use r2r::action_msgs::srv::CancelGoal;
use r2r::unique_identifier_msgs::msg::UUID;
use r2r::{Client, QosProfile, WrappedActionTypeSupport, WrappedServiceTypeSupport};
use tokio::sync::{oneshot, watch};

use super::action_server::Action;
use super::constants;
use super::spin::Spinner;
use super::task;
use crate::Result;

/// Time for a server to accept or reject a goal, and to end a canceled one.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

constants! { i8: GoalStatus { STATUS_UNKNOWN, STATUS_SUCCEEDED } }

type ResultResponse<A> = <<A as WrappedActionTypeSupport>::GetResult as WrappedServiceTypeSupport>::Response;
type Feedback<A> = Option<(UUID, <A as WrappedActionTypeSupport>::Feedback)>;

/// A client of one action server.
pub(crate) struct ActionClient<A: Action> {
    send_goal: Client<A::SendGoal>,
    cancel_goal: Client<CancelGoal::Service>,
    get_result: Client<A::GetResult>,
    feedback: watch::Receiver<Feedback<A>>,
}

/// Why a goal was not accepted.
pub(crate) enum NotAccepted {
    NoAnswer,
    Rejected,
}

/// News of an accepted goal.
pub(crate) enum GoalNews<A: Action> {
    Feedback(A::Feedback),
    Succeeded,
    /// The goal was aborted or canceled.
    Failed(A::Result),
    /// The server does not know the goal, or the node is stopping.
    Unknown,
}

/// An accepted goal. It is canceled when it is dropped before its end.
pub(crate) struct AcceptedGoal<A: Action> {
    client: Arc<ActionClient<A>>,
    id: UUID,
    feedback: watch::Receiver<Feedback<A>>,
    /// `None` after the end.
    result: Option<BoxFuture<'static, r2r::Result<ResultResponse<A>>>>,
}

impl<A: Action> ActionClient<A> {
    /// A client of the action `name`, whose server may start later.
    pub(crate) fn new(spinner: &mut Spinner, name: &str) -> Result<Arc<Self>> {
        let part = |part: &str| format!("{name}/_action/{part}");
        let quality = QosProfile::services_default();
        let messages =
            spinner.subscribe::<A::FeedbackMessage>(&part("feedback"), QosProfile::default().keep_last(10))?;
        let (sender, feedback) = watch::channel(None);
        spinner.on_each(messages, move |message| {
            sender.send_replace(Some(A::destructure_feedback_msg(message)));
        });
        Ok(Arc::new(Self {
            send_goal: spinner.node.create_client::<A::SendGoal>(&part("send_goal"), quality.clone())?,
            cancel_goal: spinner.node.create_client::<CancelGoal::Service>(&part("cancel_goal"), quality.clone())?,
            get_result: spinner.node.create_client::<A::GetResult>(&part("get_result"), quality)?,
            feedback,
        }))
    }

    /// Sends a goal and waits until it is accepted. A goal that is accepted later, or after this future was dropped, is
    /// canceled.
    pub(crate) async fn send(self: &Arc<Self>, goal: A::Goal) -> Result<AcceptedGoal<A>, NotAccepted> {
        let id = UUID { uuid: uuid::Uuid::new_v4().as_bytes().to_vec() };
        let request = A::make_goal_request_msg(id.clone(), goal);
        let response = self.send_goal.request(&request).map_err(|_| NotAccepted::NoAnswer)?;
        let (sender, accepted) = oneshot::channel();
        let client = Arc::clone(self);
        task::start(async move {
            let Ok(response) = response.await else { return };
            let (is_accepted, _) = A::destructure_goal_response_msg(response);
            // Without a receiver the goal is dropped.
            let _ = sender.send(is_accepted.then(|| client.accepted(id)));
        });
        match tokio::time::timeout(ANSWER_TIMEOUT, accepted).await {
            Ok(Ok(goal)) => goal.ok_or(NotAccepted::Rejected),
            _ => Err(NotAccepted::NoAnswer),
        }
    }

    fn accepted(self: Arc<Self>, id: UUID) -> AcceptedGoal<A> {
        let result = self.get_result.request(&A::make_result_request_msg(id.clone()));
        let result = result.map_or_else(|error| std::future::ready(Err(error)).boxed(), FutureExt::boxed);
        AcceptedGoal { feedback: self.feedback.clone(), client: self, id, result: Some(result) }
    }
}

impl<A: Action> AcceptedGoal<A> {
    /// Waits for the next feedback or the end. After the end there are no news.
    pub(crate) async fn next(&mut self) -> GoalNews<A> {
        let Self { id, feedback, result, .. } = self;
        let Some(ending) = result else { return std::future::pending().await };
        tokio::select! {
            biased;
            response = ending => {
                *result = None;
                let Ok(response) = response else { return GoalNews::Unknown };
                match A::destructure_result_response_msg(response) {
                    (STATUS_SUCCEEDED, _) => GoalNews::Succeeded,
                    (STATUS_UNKNOWN, _) => GoalNews::Unknown,
                    (_, result) => GoalNews::Failed(result),
                }
            }
            feedback = next_of(feedback, id) => GoalNews::Feedback(feedback),
        }
    }

    /// Requests that the server cancel the goal, unless it has ended.
    pub(crate) fn cancel(&self) {
        if self.result.is_some() {
            let goal_info = GoalInfo { goal_id: self.id.clone(), ..GoalInfo::default() };
            // The end of the goal shows whether it was canceled.
            let _ = self.client.cancel_goal.request(&CancelGoal::Request { goal_info }).map(drop);
        }
    }
}

impl<A: Action> Drop for AcceptedGoal<A> {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Waits for the next feedback on the goal `id`.
async fn next_of<F: Clone>(feedback: &mut watch::Receiver<Option<(UUID, F)>>, id: &UUID) -> F {
    // An error means that the node is stopping.
    while feedback.changed().await.is_ok() {
        let latest =
            feedback.borrow_and_update().as_ref().filter(|(of, _)| of == id).map(|(_, feedback)| feedback.clone());
        if let Some(latest) = latest {
            return latest;
        }
    }
    std::future::pending().await
}
