//! Tasks of the runtime.
//!
//! Tasks are boxed because tokio is compiled anew for each type of task.

use std::future::{Future, ready};
use std::time::{Duration, Instant};

use futures::{FutureExt, Stream, StreamExt};
use tokio::runtime::Handle;

/// Starts a task in the runtime of the caller.
pub(crate) fn start(task: impl Future<Output = ()> + Send + 'static) {
    start_in(&Handle::current(), task);
}

/// Starts a task in `runtime`. Boxed: tokio's scheduler is compiled for each task type, and one type saves a sixth of
/// the node's code.
pub(crate) fn start_in(runtime: &Handle, task: impl Future<Output = ()> + Send + 'static) {
    runtime.spawn(task.boxed());
}

/// Runs `work` for each of the messages.
pub(crate) fn for_each<T>(messages: impl Stream<Item = T>, mut work: impl FnMut(T)) -> impl Future<Output = ()> {
    messages.for_each(move |message| {
        work(message);
        ready(())
    })
}

/// Period of drawings: at most 30 per second.
pub(crate) const DRAWING_PERIOD: Duration = Duration::from_millis(34);
/// Minimum rest of a task as a multiple of its work time: it uses at most a tenth of a core.
const REST: u32 = 9;

/// Waits for `period` after work that started at `begun`, longer if it took long.
pub(crate) async fn rest(begun: Instant, period: Duration) {
    tokio::time::sleep(period.max(REST * begun.elapsed())).await;
}
