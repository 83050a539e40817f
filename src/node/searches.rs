//! Searches of services take turns, so that targets on the topics do not wait for them.

use super::Shared;
use super::status::Refused;

/// Does `work`, which may take long, in a thread of its own when it is its turn: as many at a time as there are cores.
pub(super) async fn in_turn<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let turn = shared.searches.acquire().await;
    let done = tokio::task::spawn_blocking(work).await;
    drop(turn);
    done.map_err(|e| Refused::invalid("solver", format!("the solver failed: {e}")))?
}
