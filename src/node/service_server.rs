//! Creates services and sends their responses.

use std::future::Future;
use std::sync::Arc;

use futures::StreamExt;
use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};

use super::interface::Interface;
use super::{NodeError, Shared};

/// Creates a service and answers each of its requests in a task of its own.
pub(super) fn answer_each<S, A>(
    node: &mut r2r::Node,
    shared: &Arc<Shared>,
    service: Interface,
    answer: fn(Arc<Shared>, S::Request) -> A,
) -> Result<(), NodeError>
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone + Send,
    S::Response: Send,
    A: Future<Output = S::Response> + Send + 'static,
{
    let mut requests = node.create_service::<S>(service.name, QosProfile::services_default())?;
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                let response = answer(shared, request.message.clone()).await;
                respond(request, response, service);
            });
        }
    });
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
