//! Tasks of the runtime.

use std::future::Future;

use futures::FutureExt;
use tokio::runtime::Handle;

/// Starts a task in the runtime of the caller.
pub(crate) fn start(task: impl Future<Output = ()> + Send + 'static) {
    start_in(&Handle::current(), task);
}

/// Starts a task in `runtime`. Tokio compiles its scheduler anew for each type of task. Boxed, all of them have one type, which spares a
/// sixth of the node's code.
pub(crate) fn start_in(runtime: &Handle, task: impl Future<Output = ()> + Send + 'static) {
    runtime.spawn(task.boxed());
}
