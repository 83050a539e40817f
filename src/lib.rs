//! The ROS 2 node: a thin layer that puts robot and solver on the ROS graph.
//!
//! The r2r node lives in one thread that spins (`ros::spin`). Tokio tasks, one for each topic or service, receive from it by streams and
//! send by publishers. They share the settings, the robot and its configuration (`arm::output`), the frames of TF (`robot_in_use::frames`).
//! `ros::interface` lists all topics and services.

#![forbid(unsafe_code)]

mod arm;
mod handle;
mod markers;
mod messages;
#[cfg(feature = "moveit")]
mod moveit;
mod obstacles;
mod reports;
mod robot_in_use;
mod ros;
mod services;
mod servo;
mod solving;
mod surroundings;
mod targets;

pub use ros::error::NodeError;

use std::io::Write;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use r2r::std_msgs::msg::Header;
use tokio::signal::unix::{SignalKind, signal};

use arm::output::{self, Output};
use reports::diagnostics::{self, Counters};
use reports::report::Report;
use reports::status::Refused;
use reports::warnings::Warnings;
use robot_in_use::description;
use robot_in_use::frames::{self, Frames};
use robot_in_use::measured::{self, Measured};
use ros::clock::Clock;
use ros::command_line::{Arguments, CommandLine};
use ros::logging;
use ros::spin;
use services::parameters;
use solving::searches::Searches;
use surroundings::{Surroundings, semantic};
use targets::target_path;
use targets::target_solver::{self, TargetSolver};
use urdf_ik::parameters::{Settings, Values};

r2r::assert_compiled_with_use_sim_time_support!();

/// Name of the node, unless ROS remaps it.
const DEFAULT_NAME: &str = "urdf_ik";
/// Threads for the tasks: enough to receive messages while targets are solved and a robot is loaded. r2r drops the newest message when
/// no task receives.
const WORKER_THREADS: usize = 4;
/// How long the end of the node waits for tasks that are still at work.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(100);

/// What the tasks share.
struct Shared {
    /// The node's name with its namespace.
    name: String,
    settings: RwLock<Arc<Settings>>,
    output: Arc<Output>,
    frames: Frames,
    measured: Measured,
    /// What surrounds the robot.
    world: Surroundings,
    warnings: Arc<Warnings>,
    counters: Counters,
    target_solver: TargetSolver,
    servo: servo::Intake,
    clock: Clock,
    searches: Searches,
}

impl Shared {
    /// The present settings.
    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace_settings(&self, settings: Settings) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }
}

/// Reports on targets.
impl Shared {
    /// Publishes a report and counts it.
    fn report(&self, report: Report) {
        self.counters.answered(&report);
        self.output.reporter.report(report);
    }

    /// Forgets the targets of all tips, because something else than a target moves the arm now.
    async fn forget_targets(&self) {
        self.target_solver.forget().await;
        self.output.reporter.latest.clear();
    }

    /// Publishes what became of a target of `topic`. A refusal is logged once; `header` and `tip` are those of the target.
    fn conclude(&self, topic: &str, tip: usize, header: Header, ended: Result<Report, Refused>) {
        self.warnings.note(topic, &ended);
        self.report(ended.unwrap_or_else(|refused| {
            let tip_link = self
                .output
                .configuration()
                .map(|now| now.loaded.chain.tip_names().get(tip).map(|tip| (*tip).to_owned()));
            refused.report(header, tip_link.flatten().unwrap_or_default())
        }));
    }
}

/// Runs the node with the arguments of the process until SIGINT or SIGTERM; or prints what `--help` and `--version` ask for.
///
/// # Errors
/// [`NodeError`] where it cannot start: arguments that cannot be read, parameters that are refused, a robot of a parameter that cannot
/// be used, topics that cannot be made.
pub fn run() -> Result<(), NodeError> {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    match CommandLine::read(arguments)? {
        CommandLine::Print(text) => print(&text),
        CommandLine::Start(arguments) => run_with(&arguments),
    }
}

/// Prints a text. A reader may stop early, as `head` does.
fn print(text: &str) -> Result<(), NodeError> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed?),
    }
}

fn run_with(arguments: &Arguments) -> Result<(), NodeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKER_THREADS).enable_all().build()?;
    let spinning = runtime.block_on(serve(arguments));
    // First the tasks end, because they would still publish; then the node.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    spinning?.stop();
    Ok(())
}

/// Starts the node and waits for a signal. Gives the spinning node back.
async fn serve(arguments: &Arguments) -> Result<spin::Spinning, NodeError> {
    // Before anything of ROS: a signal must not kill the process while the context is made.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut node = spin::create_node(DEFAULT_NAME)?;
    logging::install(&mut node, &arguments.log)?;
    let values = parameters::overrides(&node)?;
    let spinning = start(&mut node, values, arguments.has_measured_topic)?.run(node)?;
    tokio::select! {
        _ = interrupt.recv() => log::info!("the node stops: it received SIGINT"),
        _ = terminate.recv() => log::info!("the node stops: it received SIGTERM"),
    }
    Ok(spinning)
}

/// Creates every topic and service of the node, and the tasks that serve them.
fn start(node: &mut r2r::Node, values: Values, is_measured: bool) -> Result<spin::Spinner, NodeError> {
    let settings = Settings::new(&values, None)?;
    // A mistake in the parameters ends the node before anybody can call it.
    let robot = description::of_parameters(&settings)?;
    let srdf = semantic::of_parameter(&settings, robot.as_ref().map(|robot| &*robot.loaded))?;
    let (mut spinner, commands) = spin::Spinner::new();
    spin::use_sim_time(settings.use_sim_time, node);
    let clock = Clock::new(node);
    let warnings = Arc::<Warnings>::default();
    let output = Arc::new(Output::new(node, clock.clone(), &settings)?);
    let present = Arc::clone(&output);
    let shared = Arc::new(Shared {
        name: node.fully_qualified_name()?,
        output,
        frames: Frames::new(),
        measured: Measured::new(is_measured, Arc::clone(&warnings)),
        world: Surroundings::new(srdf, Arc::clone(&warnings), Box::new(move || present.configuration())),
        warnings,
        counters: Counters::default(),
        target_solver: TargetSolver::default(),
        servo: servo::Intake::new(settings.tip_links.len().max(1)),
        clock,
        searches: Searches::new(),
        settings: RwLock::new(Arc::new(settings)),
    });
    frames::serve(node, &shared)?;
    measured::serve(node, &shared)?;
    let asking = commands.clone();
    let setter = parameters::serve(node, &shared, values, commands)?;
    let drags = handle::serve(node, &mut spinner, &shared, setter)?;
    targets::serve(node, &shared, &mut spinner, drags)?;
    servo::serve(node, &mut spinner, &shared, asking)?;
    target_path::serve(node, &shared)?;
    services::serve(node, &mut spinner, &shared)?;
    obstacles::serve(node, &mut spinner, &shared)?;
    semantic::serve(node, &shared)?;
    surroundings::serve(&shared);
    #[cfg(feature = "moveit")]
    moveit::serve(node, &mut spinner, &shared)?;
    if shared.settings().moveit_servo.enabled && !cfg!(feature = "moveit_servo") {
        log::warn!(
            "moveit_servo.enabled is not used, because moveit_msgs or control_msgs was missing when the node was built: \
             install ros-$ROS_DISTRO-moveit-msgs and ros-$ROS_DISTRO-control-msgs, and build again"
        );
    }
    diagnostics::serve(node, &shared)?;
    markers::serve(node, &shared)?;
    description::serve(node, &shared, robot)?;
    output::serve(&shared);
    target_solver::serve(&shared);
    Ok(spinner)
}
