//! Creates services and sends their responses.
//!
//! The spin thread starts the task of each request: r2r keeps ten requests and drops the others, and a task in another
//! thread wakes too late for twenty callers.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};
use tokio::runtime::Handle;

use super::spin::Spinner;
use super::task;
use crate::Result;

/// Queue depth of requests and responses. The default is ten, which twenty callers exceed.
const DEPTH: usize = 100;

/// Time for a response to wait until ROS has discovered the caller's reader.
const DISCOVERY: Duration = Duration::from_secs(10);

/// Pause between attempts to send a response. Each attempt blocks the requests of the service for 0.1 s.
const PAUSE: Duration = Duration::from_millis(50);

/// A service whose messages may pass between threads.
pub(crate) trait Service: WrappedServiceTypeSupport<Request: Send, Response: Send + Sync> + 'static {}
impl<S: WrappedServiceTypeSupport<Request: Send, Response: Send + Sync> + 'static> Service for S {}

/// Creates a service and answers each of its requests, with the `context`, in a task of its own. The spin thread
/// starts that task at once: r2r queues ten requests, and drops further ones until a task takes them.
pub(crate) fn answer_each<S, C, A>(
    spinner: &mut Spinner,
    context: &Arc<C>,
    name: &str,
    answer: impl Fn(Arc<C>, S::Request) -> A + Clone + Send + 'static,
) -> Result
where
    S: Service,
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

/// Sends a response. ROS discovers writer and reader of a new caller one after the other, and gives up after 0.1 s
/// without the reader: then the response is sent again. Any other failure is logged for debugging only: the caller has
/// gone.
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
