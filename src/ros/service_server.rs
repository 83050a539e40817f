//! Creates services and sends their responses.

use std::future::{Future, ready};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use r2r::{Node, QosProfile, ServiceRequest, WrappedServiceTypeSupport};
use tokio::runtime::Handle;

use super::interface::Interface;
use super::spin::Spinner;
use super::task;
use crate::Result;

/// Requests, and responses, of a service that ROS keeps while they are under way. The default is ten, which twenty callers exceed.
const DEPTH: usize = 100;

/// How long a response may wait until ROS has found the half of its caller that hears.
const DISCOVERY: Duration = Duration::from_secs(10);

/// Pause between two tries to send a response. Each try holds up the requests of the service for 0.1 s.
const PAUSE: Duration = Duration::from_millis(50);

/// Creates a service and answers each of its requests by the `context` that it needs, in a task of its own. The spin thread starts that
/// task at once: r2r keeps ten requests, and drops those that come before a task of another thread has taken them.
pub(crate) fn answer_each<S, C, A>(
    node: &mut Node,
    spinner: &mut Spinner,
    context: &Arc<C>,
    service: Interface,
    answer: impl Fn(Arc<C>, S::Request) -> A + Clone + Send + 'static,
) -> Result
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone + Send,
    S::Response: Clone + Send,
    C: Send + Sync + 'static,
    A: Future<Output = S::Response> + Send + 'static,
{
    answer_and_finish::<S, C, A, _>(node, spinner, context, service, service.name, answer, |_, _, response| response)
}

/// Creates a service by its name or another one: below a namespace of its own, for instance. What `answer` gives, `finish` makes a
/// response.
pub(crate) fn answer_and_finish<S, C, A, T>(
    node: &mut Node,
    spinner: &mut Spinner,
    context: &Arc<C>,
    service: Interface,
    name: &str,
    answer: impl Fn(Arc<C>, S::Request) -> A + Clone + Send + 'static,
    finish: impl Fn(&C, &S::Request, T) -> S::Response + Clone + Send + 'static,
) -> Result
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone + Send,
    S::Response: Clone + Send,
    C: Send + Sync + 'static,
    T: Send,
    A: Future<Output = T> + Send + 'static,
{
    let quality = QosProfile::services_default().keep_last(DEPTH);
    let requests = node.create_service::<S>(name, quality)?;
    let (context, tasks) = (Arc::clone(context), Handle::current());
    spinner.run_locally(requests.for_each(move |request| {
        let (context, answer, finish) = (Arc::clone(&context), answer.clone(), finish.clone());
        task::start_in(&tasks, async move {
            let answered = answer(Arc::clone(&context), request.message.clone()).await;
            let response = finish(&context, &request.message, answered);
            respond(request, response, service).await;
        });
        ready(())
    }));
    Ok(())
}

/// Sends a response. ROS finds the two halves of a new caller one after the other, and gives up after 0.1 s if that which hears is missing:
/// then the response is sent again. Any other failure is logged for debugging only: the caller has gone.
pub(crate) async fn respond<S: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<S>,
    response: S::Response,
    service: Interface,
) {
    let deadline = Instant::now() + DISCOVERY;
    loop {
        match request.clone().respond(response.clone()) {
            Ok(()) => return,
            Err(r2r::Error::RCL_RET_TIMEOUT) if Instant::now() < deadline => tokio::time::sleep(PAUSE).await,
            Err(e) => return log::debug!("the response of {} was not sent: {e}", service.name),
        }
    }
}
