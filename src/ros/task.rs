//! Tasks of the runtime.

use std::future::Future;
use std::time::{Duration, Instant};

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

/// Time between two drawings for a person's eyes: at most 30 come in a second.
pub(crate) const DRAWING_PERIOD: Duration = Duration::from_millis(34);
/// How many times as long as its work took a task rests at least: so it takes no more than a tenth of a core.
const REST: u32 = 9;

/// Waits for `period` after work that began at `begun`, and longer where that took long.
pub(crate) async fn rest(begun: Instant, period: Duration) {
    tokio::time::sleep(period.max(REST * begun.elapsed())).await;
}
