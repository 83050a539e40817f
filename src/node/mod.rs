//! The ROS 2 node: a thin layer that puts robot and solver on the ROS graph.
//!
//! The r2r node lives in one thread that spins (`spin`); tokio tasks, one for each thing that can arrive, talk to it through
//! streams and publishers. What they share is in `Shared`: the settings, the robot and its posture (`output`), the frames of
//! TF (`frames`).

mod answers;
mod batch;
mod batch_report;
mod choices;
mod clock;
mod convert;
mod description;
mod diagnostics;
mod drive;
mod error;
mod frames;
mod links;
mod logging;
mod measured;
#[cfg(feature = "moveit")]
mod moveit;
mod output;
mod parameters;
mod paths;
mod plan;
mod publisher;
mod query;
mod services;
mod spin;
mod status;
mod targets;
mod tips;
mod wanted;

pub use error::NodeError;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use r2r::QosProfile;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;

use crate::parameters::{Settings, Values};
use answers::Answers;
use clock::Clock;
use diagnostics::Counters;
use frames::Frames;
use logging::Complaints;
use measured::Measured;
use output::Output;
use status::Refused;

r2r::assert_compiled_with_use_sim_time_support!();

/// Name of the node, unless ROS remaps it.
const NAME: &str = "urdf_ik";
/// Threads for the tasks: enough that what arrives is drained while targets are solved and a robot is loaded. r2r drops the
/// newest message where nobody drains.
const WORKERS: usize = 4;
/// How long tasks that are still at work when the node stops are waited for.
const PATIENCE: Duration = Duration::from_millis(100);

/// What the tasks share.
struct Shared {
    /// The node's name with its namespace.
    name: String,
    settings: RwLock<Arc<Settings>>,
    output: Output,
    frames: Frames,
    measured: Measured,
    complaints: Complaints,
    counters: Counters,
    answers: Answers,
    clock: Clock,
    /// Turns for the searches of queries.
    searches: Semaphore,
    /// The turn of a batch: one at a time has the cores.
    batches: Semaphore,
}

impl Shared {
    /// The settings as they stand.
    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace_settings(&self, settings: Settings) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }
}

/// What every target comes to.
impl Shared {
    /// Publishes a status and counts it.
    fn report(&self, report: &SolveStatus) {
        self.counters.answered(report);
        self.output.reporter.report(report);
    }

    /// The status of a target of `topic` that was refused, told once in the log.
    fn refuse(&self, topic: &str, tip: usize, header: Header, refused: Refused) {
        self.complaints.complain(topic, &refused.kind, &refused.sentence);
        let tips = self.output.posture().map(|now| now.loaded.chain.tip_names().get(tip).map(|tip| (*tip).to_owned()));
        self.report(&refused.status(header, tips.flatten().unwrap_or_default()));
    }
}

/// Quality of service of what is kept for those who come late.
fn latched() -> QosProfile {
    QosProfile::default().keep_last(1).transient_local()
}

/// Runs the node until SIGINT or SIGTERM.
///
/// # Errors
/// [`NodeError`] where it cannot start: ROS arguments that cannot be parsed, parameters that are refused, topics that cannot
/// be made.
pub fn run() -> Result<(), NodeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    let spinning = runtime.block_on(serve());
    // First the tasks, which would publish on, then the node.
    runtime.shutdown_timeout(PATIENCE);
    spinning?.stop();
    Ok(())
}

/// Starts the node and waits for a signal; gives the spinning node back.
async fn serve() -> Result<spin::Spinning, NodeError> {
    // Before anything of ROS: a signal that comes while the context is made must not kill the process.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut node = spin::create_node(NAME)?;
    logging::install(node.logger());
    let values = parameters::overrides(&node)?;
    let spinning = start(&mut node, values)?.run(node)?;
    tokio::select! {
        _ = interrupt.recv() => log::info!("stopping on SIGINT"),
        _ = terminate.recv() => log::info!("stopping on SIGTERM"),
    }
    Ok(spinning)
}

/// Creates every entity of the node and the tasks that serve them.
fn start(node: &mut r2r::Node, values: Values) -> Result<spin::Spinner, NodeError> {
    let settings = Settings::new(&values, None)?;
    let (mut spinner, commands) = spin::Spinner::new();
    spin::use_sim_time(settings.use_sim_time, node);
    let clock = Clock::new(node);
    let shared = Arc::new(Shared {
        name: node.fully_qualified_name()?,
        output: Output::new(node, clock.clone(), &settings)?,
        frames: Frames::new(),
        measured: Measured::default(),
        complaints: Complaints::default(),
        counters: Counters::default(),
        answers: Answers::default(),
        clock,
        searches: Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)),
        batches: Semaphore::new(1),
        settings: RwLock::new(Arc::new(settings)),
    });
    frames::serve(node, &shared)?;
    measured::serve(node, &shared)?;
    targets::serve(node, &shared, &mut spinner)?;
    paths::serve(node, &shared)?;
    services::serve(node, &shared)?;
    #[cfg(feature = "moveit")]
    moveit::serve(node, &shared)?;
    diagnostics::serve(node, &shared)?;
    parameters::serve(node, &shared, values, commands)?;
    description::serve(node, &shared)?;
    output::serve(&shared);
    Ok(spinner)
}
