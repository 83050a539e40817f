//! What all services do alike: a request that is refused is answered with a sentence, which is logged once; and queries are counted.

use std::sync::Arc;

use r2r::WrappedServiceTypeSupport;
use r2r::std_srvs::srv::Trigger;
use r2r::urdf_ik::srv::{ChangeObstacles, CheckCollisions, ForwardKinematics};

use super::status::Refused;
use crate::ros::interface::Interface;
use crate::ros::service_server;
use crate::ros::spin::Spinner;
use crate::{NodeError, Shared};

/// The response of a service, to requests that may be refused by an `E`.
pub(crate) trait Answer<Request, E = Refused>: Sized {
    /// The response to a request that is refused.
    fn refused(shared: &Shared, request: &Request, refusal: E) -> Self;

    /// The number of queries that it answers, and how many of them are solved.
    fn queries(&self) -> (u32, u32) {
        (0, 0)
    }
}

macro_rules! refuses_by_message {
    ($($service:ident),*) => {
        $(impl Answer<$service::Request> for $service::Response {
            fn refused(_: &Shared, _: &$service::Request, refused: Refused) -> Self {
                Self { message: refused.sentence, ..Self::default() }
            }
        })*
    };
}

refuses_by_message!(ChangeObstacles, CheckCollisions, ForwardKinematics, Trigger);

/// Creates a service and answers each of its requests, as [`service_server::answer_each`] does.
pub(crate) fn answer_each<S, A, E>(
    node: &mut r2r::Node,
    spinner: &mut Spinner,
    shared: &Arc<Shared>,
    service: Interface,
    answer: impl Fn(Arc<Shared>, S::Request) -> A + Clone + Send + 'static,
) -> Result<(), NodeError>
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone + Send,
    S::Response: Answer<S::Request, E> + Clone + Send,
    A: Future<Output = Result<S::Response, E>> + Send + 'static,
    E: AsRef<Refused> + Send,
{
    let finish = move |shared: &Shared, request: &S::Request, ended: Result<S::Response, E>| {
        shared.warnings.note(service.short_name(), &ended);
        let response = ended.unwrap_or_else(|refusal| S::Response::refused(shared, request, refusal));
        let (answered, solved) = response.queries();
        shared.counters.queries(answered, solved);
        response
    };
    service_server::answer_and_finish::<S, _, _, _>(node, spinner, shared, (service, service.name), answer, finish)
}
