//! Common behaviour of all services: refused requests are answered with a sentence, which is logged once, and queries
//! are counted.

use std::sync::Arc;

use r2r::std_srvs::srv::Trigger;
use r2r::urdf_ik::srv::{ChangeGoals, ChangeObstacles, CheckCollisions, ForwardKinematics};

use super::reporter::Reporter;
use super::status::Refused;
use crate::Result;
use crate::ros::{Interface, Service, Spinner, service_server};

/// The response of a service whose requests may be refused.
pub(crate) trait ServiceResponse<Request>: Sized {
    /// The response to a refused request; `reporter` is that of the node.
    fn refused(reporter: &Reporter, request: &Request, refused: Refused) -> Self;

    /// The number of queries in the response, and how many are solved.
    fn queries(&self) -> (u32, u32) {
        (0, 0)
    }
}

macro_rules! refuses_by_message {
    ($($service:ident),*) => {
        $(impl ServiceResponse<$service::Request> for $service::Response {
            fn refused(_: &Reporter, _: &$service::Request, refused: Refused) -> Self {
                Self { message: refused.sentence, ..Self::default() }
            }
        })*
    };
}

refuses_by_message!(ChangeGoals, ChangeObstacles, CheckCollisions, ForwardKinematics, Trigger);

/// Creates a service that answers each request, as [`service_server::answer_each`].
pub(crate) fn answer_each<S, C, A>(
    spinner: &mut Spinner,
    context: &Arc<C>,
    service: Interface,
    answer: impl Fn(Arc<C>, S::Request) -> A + Clone + Send + 'static,
) -> Result
where
    S: Service<Response: ServiceResponse<S::Request>>,
    A: Future<Output = Result<S::Response, Refused>> + Send + 'static,
    C: AsRef<Reporter> + Send + Sync + 'static,
{
    service_server::answer_each::<S, _, _>(spinner, context, service.name, move |context, request| {
        let answer = answer.clone();
        async move {
            let ended = answer(Arc::clone(&context), request.clone()).await;
            let reporter: &Reporter = (*context).as_ref();
            reporter.warnings.note(service.short_name(), &ended);
            let response = ended.unwrap_or_else(|refused| S::Response::refused(reporter, &request, refused));
            let (answered, solved) = response.queries();
            reporter.counts.lock().add_queries(answered, solved);
            response
        }
    })
}
