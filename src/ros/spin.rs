//! The thread of the r2r node.

use std::future::ready;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures::executor::LocalPool;
use futures::future::LocalBoxFuture;
use futures::task::LocalSpawnExt;
use futures::{FutureExt, Stream};
use r2r::{Node, QosProfile, WrappedTypesupport};
use tokio::sync::oneshot;

use super::interface::Interface;
use super::quality_overrides::{QualityParameters, Role};
use super::remapping::TopicNames;
use super::task;
use crate::NodeError;
use crate::Result;

/// Timeout of one spin, and the maximum delay of commands and of the stop.
const SPIN_TIMEOUT: Duration = Duration::from_millis(20);

/// Creates the ROS context and the node.
///
/// # Errors
/// [`NodeError::Context`] with rcl's message if it refuses the arguments. r2r panics in this case.
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

/// An operation that needs the node itself.
type NodeOperation = Box<dyn FnOnce(&mut Node) + Send>;

/// Starts a task of the spin thread, in that thread.
type StartTask = Box<dyn FnOnce(&mut Node) -> LocalBoxFuture<'static, ()> + Send>;

/// Sends commands to the spinning node.
#[derive(Clone)]
pub(crate) struct Commands {
    sender: mpsc::Sender<NodeOperation>,
    pub names: Arc<TopicNames>,
}

/// A publisher on the graph.
pub(crate) struct Endpoint {
    /// The full name of its node.
    pub node: String,
    pub quality: QosProfile,
}

/// A topic that the node subscribes to.
#[derive(Clone)]
pub(crate) struct Subscribed {
    /// The name before remapping.
    pub topic: String,
    pub quality: QosProfile,
}

impl Commands {
    /// Selects the time of the topic `/clock` or of the system.
    pub(crate) fn use_sim_time(&self, on: bool) {
        // Sending only fails after the node has ended.
        let _ = self.sender.send(Box::new(move |node| use_sim_time(on, node)));
    }

    /// The publishers of a topic, by its name before remapping.
    pub(crate) async fn publishers(&self, topic: &str) -> Vec<Endpoint> {
        let (sender, found) = oneshot::channel();
        let topic = self.names.resolve(topic);
        let command = move |node: &mut Node| {
            let publishers = node.get_publishers_info_by_topic(&topic, false).unwrap_or_default().into_iter();
            let endpoints = publishers.map(|publisher| Endpoint {
                node: format!("{}/{}", publisher.node_namespace.trim_end_matches('/'), publisher.node_name),
                quality: publisher.qos_profile,
            });
            // The requester may have stopped waiting.
            let _ = sender.send(endpoints.collect());
        };
        // After the node has ended there are none.
        let _ = self.sender.send(Box::new(command));
        found.await.unwrap_or_default()
    }
}

/// The node and its thread before the start.
pub(crate) struct Spinner {
    pub node: Node,
    /// All subscribed topics.
    pub subscribed: Vec<Subscribed>,
    pub qualities: Arc<QualityParameters>,
    names: Arc<TopicNames>,
    commands: mpsc::Receiver<NodeOperation>,
    local_tasks: Vec<StartTask>,
}

/// The running spin thread.
pub(crate) struct Spinning {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Spinner {
    pub(crate) fn new(node: Node, names: TopicNames) -> (Self, Commands) {
        let (sender, commands) = mpsc::channel();
        let names = Arc::new(names);
        let commanding = Commands { sender, names: Arc::clone(&names) };
        let (subscribed, qualities, local_tasks) = (Vec::new(), Arc::default(), Vec::new());
        (Self { node, subscribed, qualities, names, commands, local_tasks }, commanding)
    }

    /// `quality` with the overrides of the parameters for the topic `name`.
    ///
    /// # Errors
    /// [`NodeError::Parameter`] for an invalid override.
    pub(super) fn quality(&self, name: &str, role: Role, quality: QosProfile) -> Result<QosProfile> {
        Ok(self.qualities.apply(&self.node, &self.names.resolve(name), role, quality)?)
    }

    /// Subscribes to the topic `name`.
    pub(crate) fn subscribe<T: WrappedTypesupport + 'static>(
        &mut self,
        name: &str,
        quality: QosProfile,
    ) -> Result<impl Stream<Item = T> + Unpin + use<T>> {
        let quality = self.noted(name, quality)?;
        Ok(self.node.subscribe(name, quality)?)
    }

    /// Subscribes to the topic `name` with the type of `topic`; messages stay serialized. r2r keeps a buffer of the
    /// largest message, so this is for small ones.
    pub(crate) fn subscribe_raw(
        &mut self,
        topic: Interface,
        name: &str,
        quality: QosProfile,
    ) -> Result<impl Stream<Item = Vec<u8>> + Unpin + use<>> {
        let quality = self.noted(name, quality)?;
        Ok(self.node.subscribe_raw(name, topic.ros_type, quality)?)
    }

    /// The quality of service of a subscription, with the overrides of the parameters.
    fn noted(&mut self, topic: &str, quality: QosProfile) -> Result<QosProfile> {
        let quality = self.quality(topic, Role::Subscription, quality)?;
        self.subscribed.push(Subscribed { topic: topic.to_owned(), quality: quality.clone() });
        Ok(quality)
    }

    /// Runs `work` for each message in the spin thread, right after its arrival. This avoids a thread switch, but
    /// blocks all other messages: `work` must be short, and has no timers.
    pub(crate) fn on_each<T: 'static>(
        &mut self,
        messages: impl Stream<Item = T> + Send + 'static,
        work: impl FnMut(T) + Send + 'static,
    ) {
        self.local_tasks.push(Box::new(|_| task::for_each(messages, work).boxed_local()));
    }

    /// Subscribes to the topic `name` and, as [`Spinner::on_each`], runs `work` for each message, as ROS 2 has it.
    pub(crate) fn on_each_native<T: WrappedTypesupport + 'static>(
        &mut self,
        name: String,
        quality: QosProfile,
        mut work: impl FnMut(&T::CStruct) + Send + 'static,
    ) -> Result {
        let quality = self.noted(&name, quality)?;
        self.local_tasks.push(Box::new(move |node| match node.subscribe_native::<T>(&name, quality) {
            Ok(messages) => task::for_each(messages, move |message| work(&message)).boxed_local(),
            Err(e) => {
                log::error!("the node does not receive {name}: {e}");
                ready(()).boxed_local()
            }
        }));
        Ok(())
    }

    /// Subscribes to a topic, and runs `work` for each message in a task; `work` may take long.
    pub(crate) fn on_each_in_task<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: Interface,
        quality: QosProfile,
        work: impl FnMut(T) + Send + 'static,
    ) -> Result {
        let messages = self.subscribe(topic.name, quality)?;
        task::start(task::for_each(messages, work));
        Ok(())
    }

    /// Moves the node into its thread and spins until [`Spinning::stop`].
    pub(crate) fn run(mut self) -> Result<Spinning> {
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().name("spin".into()).spawn(move || {
            let mut local_tasks = LocalPool::new();
            for start in self.local_tasks {
                // This only fails after the pool has ended.
                let _ = local_tasks.spawner().spawn_local(start(&mut self.node));
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
        // An error means that the thread has panicked and ended.
        let _ = self.thread.join();
    }
}

/// Selects the time of the topic `/clock` or of the system.
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
