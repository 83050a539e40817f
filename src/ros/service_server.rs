//! Creates services and sends their responses.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};
use tokio::runtime::Handle;

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
    spinner: &mut Spinner,
    context: &Arc<C>,
    name: &str,
    answer: impl Fn(Arc<C>, S::Request) -> A + Clone + Send + 'static,
) -> Result
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone + Send,
    S::Response: Clone + Send,
    C: Send + Sync + 'static,
    A: Future<Output = S::Response> + Send + 'static,
{
    let requests = spinner.node.create_service::<S>(name, QosProfile::services_default().keep_last(DEPTH))?;
    let (context, name, tasks) = (Arc::clone(context), name.to_owned(), Handle::current());
    spinner.on_each(requests, move |mut request| {
        let (context, name, answer) = (Arc::clone(&context), name.clone(), answer.clone());
        task::start_in(&tasks, async move {
            let response = answer(context, std::mem::take(&mut request.message)).await;
            respond(request, response, &name).await;
        });
    });
    Ok(())
}

/// Sends a response. ROS finds the two halves of a new caller one after the other, and gives up after 0.1 s if that which hears is missing:
/// then the response is sent again. Any other failure is logged for debugging only: the caller has gone.
pub(crate) async fn respond<S: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<S>,
    response: S::Response,
    service: &str,
) {
    let deadline = Instant::now() + DISCOVERY;
    loop {
        match request.clone().respond(response.clone()) {
            Ok(()) => return,
            Err(r2r::Error::RCL_RET_TIMEOUT) if Instant::now() < deadline => tokio::time::sleep(PAUSE).await,
            Err(e) => return log::debug!("the response of {service} was not sent: {e}"),
        }
    }
}
