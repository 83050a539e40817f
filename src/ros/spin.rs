//! The thread in which the r2r node lives.

use std::future::ready;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures::executor::LocalPool;
use futures::future::BoxFuture;
use futures::task::LocalSpawnExt;
use futures::{FutureExt, Stream, StreamExt};
use r2r::Node;
use tokio::sync::oneshot;

use crate::NodeError;
use crate::Result;

/// How long one spin waits for a message. A command or the stop may wait as long.
const SPIN_TIMEOUT: Duration = Duration::from_millis(20);

/// Makes the ROS context and the node.
///
/// # Errors
/// [`NodeError::Context`] with rcl's own words where it refuses the arguments. r2r panics then, and the panic is caught here.
pub(crate) fn create_node(name: &str) -> Result<Node> {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let context = panic::catch_unwind(r2r::Context::create);
    panic::set_hook(loud);
    let context = context.map_err(|cause| {
        let words = cause.downcast_ref::<String>().cloned();
        NodeError::Context(words.unwrap_or_else(|| "the arguments could not be read".into()))
    })?;
    Ok(Node::create(context?, name, "")?)
}

/// What only the thread that owns the node can do.
type Command = Box<dyn FnOnce(&mut Node) + Send>;

/// Sends commands to the spinning node.
#[derive(Clone)]
pub(crate) struct Commands(mpsc::Sender<Command>);

impl Commands {
    /// Takes the time from the topic `/clock`, or from the system again.
    pub(crate) fn use_sim_time(&self, on: bool) {
        // Sending fails only after the node has ended, when there is no time to keep.
        let _ = self.0.send(Box::new(move |node| use_sim_time(on, node)));
    }

    /// Number of publishers of a topic, whose name is complete.
    pub(crate) async fn count_publishers(&self, topic: String) -> usize {
        let (sender, count) = oneshot::channel();
        let command = move |node: &mut Node| {
            let publishers = node.get_publishers_info_by_topic(&topic, false);
            // Who asked may not wait any more.
            let _ = sender.send(publishers.map_or(0, |publishers| publishers.len()));
        };
        // After the node has ended nobody counts.
        let _ = self.0.send(Box::new(command));
        count.await.unwrap_or(0)
    }
}

/// The node and its thread before that starts.
pub(crate) struct Spinner {
    pub node: Node,
    commands: mpsc::Receiver<Command>,
    local_tasks: Vec<BoxFuture<'static, ()>>,
}

/// The spin thread at work.
pub(crate) struct Spinning {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Spinner {
    pub(crate) fn new(node: Node) -> (Self, Commands) {
        let (sender, commands) = mpsc::channel();
        (Self { node, commands, local_tasks: Vec::new() }, Commands(sender))
    }

    /// Does `work` with each message in the spin thread, right after it has arrived. No other thread has to wake up for it, but nothing
    /// else arrives while it works. So it must be short, and it has no timers.
    pub(crate) fn on_each<T>(
        &mut self,
        messages: impl Stream<Item = T> + Send + 'static,
        mut work: impl FnMut(T) + Send + 'static,
    ) {
        let task = messages.for_each(move |message| {
            work(message);
            ready(())
        });
        self.local_tasks.push(task.boxed());
    }

    /// Moves the node into its thread and spins it there until [`Spinning::stop`].
    pub(crate) fn run(mut self) -> Result<Spinning> {
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().name("spin".into()).spawn(move || {
            let mut local_tasks = LocalPool::new();
            for task in self.local_tasks {
                // This fails only after the pool has ended.
                let _ = local_tasks.spawner().spawn_local(task);
            }
            while !is_stopped.load(Ordering::Relaxed) {
                for command in self.commands.try_iter() {
                    command(&mut self.node);
                }
                self.node.spin_once(SPIN_TIMEOUT);
                local_tasks.run_until_stalled();
            }
        })?;
        Ok(Spinning { stop, thread })
    }
}

impl Spinning {
    /// Stops spinning and waits until the node is destroyed, so that it leaves the graph at once.
    pub(crate) fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        // An error means that the thread has panicked, so it has ended too.
        let _ = self.thread.join();
    }
}

/// Takes the node's time from the topic `/clock`, or from the system.
pub(crate) fn use_sim_time(on: bool, node: &mut Node) {
    let source = node.get_time_source();
    if !on {
        source.disable_sim_time();
        return;
    }
    match source.enable_sim_time(node) {
        Ok(()) => log::info!("the node waits for the time on the topic /clock"),
        Err(e) => log::error!("cannot take the time from the topic /clock: {e}"),
    }
}
