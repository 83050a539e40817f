//! Creates services and sends their responses.

use std::future::{Future, ready};
use std::sync::Arc;

use futures::StreamExt;
use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};
use tokio::runtime::Handle;

use super::interface::Interface;
use super::spin::Spinner;
use super::{NodeError, Shared};

/// Requests, and responses, of a service that ROS keeps while they are under way. The default is ten, which twenty callers exceed.
const DEPTH: usize = 100;

/// Creates a service and answers each of its requests in a task of its own. The spin thread starts that task at once: r2r keeps ten
/// requests, and drops those that come before a task of another thread has taken them.
pub(super) fn answer_each<S, A>(
    node: &mut r2r::Node,
    spinner: &mut Spinner,
    shared: &Arc<Shared>,
    service: Interface,
    answer: impl Fn(Arc<Shared>, S::Request) -> A + Clone + Send + 'static,
) -> Result<(), NodeError>
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone + Send,
    S::Response: Send,
    A: Future<Output = S::Response> + Send + 'static,
{
    answer_each_as::<S, A>(node, spinner, shared, (service, service.name), answer)
}

/// The same for a service by another name: below a namespace of its own, for instance.
pub(super) fn answer_each_as<S, A>(
    node: &mut r2r::Node,
    spinner: &mut Spinner,
    shared: &Arc<Shared>,
    (service, name): (Interface, &str),
    answer: impl Fn(Arc<Shared>, S::Request) -> A + Clone + Send + 'static,
) -> Result<(), NodeError>
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone + Send,
    S::Response: Send,
    A: Future<Output = S::Response> + Send + 'static,
{
    let quality = QosProfile::services_default().keep_last(DEPTH);
    let requests = node.create_service::<S>(name, quality)?;
    let (shared, tasks) = (Arc::clone(shared), Handle::current());
    spinner.run_locally(requests.for_each(move |request| {
        let (shared, answer) = (Arc::clone(&shared), answer.clone());
        tasks.spawn(async move {
            let response = answer(shared, request.message.clone()).await;
            respond(request, response, service);
        });
        ready(())
    }));
    Ok(())
}

/// Sends a response. A failure is logged for debugging only: the caller has gone.
pub(super) fn respond<S: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<S>,
    response: S::Response,
    service: Interface,
) {
    if let Err(e) = request.respond(response) {
        log::debug!("the response of {} was not sent: {e}", service.name);
    }
}
