//! The ROS 2 node: a thin layer between the ROS graph and the libraries.
//!
//! The r2r node lives in one spinning thread (`ros::spin`). Tokio tasks, one for each topic or service, receive from
//! it by streams and send by publishers. They share the settings, the robot and its configuration (`arm::output`), and
//! the frames of TF (`robot_in_use::frames`). `ros::interface` lists all topics and services.

#![forbid(unsafe_code)]

mod arm;
mod goals;
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

/// The result of starting the node or a part of it.
type Result<T = (), E = NodeError> = std::result::Result<T, E>;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use r2r::Node;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;

use arm::sources::Sources;
use arm::{Arm, Deadman, Output, deadman, descriptions};
use reports::{Reporter, Warnings};
use robot_in_use::{Frames, Measured, StandingGoals, description, frames, measured};
use ros::command_line::{Arguments, CommandLine};
use ros::{Clock, Lock, MEASURED_JOINT_STATES, OrderedLock, Spinner, TopicNames, environment, logging, spin};
use services::{diagnostics, parameters};
use solving::{Queries, Searches};
use surroundings::{Surroundings, semantic};
use urdf_ik_collision::Srdf;
use urdf_ik_parameters::{Settings, Values};

r2r::assert_compiled_with_use_sim_time_support!();

/// Default name of the node.
const DEFAULT_NAME: &str = "urdf_ik";
/// Number of task threads: enough to receive messages while targets are solved and a robot is loaded. r2r drops the
/// latest message if no task receives.
const WORKER_THREADS: usize = 4;
/// Time for tasks to end at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(100);

/// Runs the node with the arguments of the process until SIGINT or SIGTERM; or prints the output of `--help` or
/// `--version`.
///
/// # Errors
/// [`NodeError`] if it cannot start: unreadable arguments, refused parameters, an unusable robot of a parameter,
/// topics that cannot be created.
pub fn run() -> Result<(), NodeError> {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    match CommandLine::read(arguments)? {
        CommandLine::Print(text) => print(&text),
        CommandLine::Start(arguments) => {
            environment::enter();
            run_with(&arguments)
        }
    }
}

/// Prints a text. The reader may close early, as `head` does.
fn print(text: &str) -> Result {
    match writeln!(std::io::stdout(), "{text}") {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed?),
    }
}

fn run_with(arguments: &Arguments) -> Result {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKER_THREADS).enable_all().build()?;
    let spinning = runtime.block_on(serve(arguments));
    // First the tasks end, because they still publish; then the node.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    spinning?.stop();
    Ok(())
}

/// Starts the node and waits for a signal. Returns the spinning node.
async fn serve(arguments: &Arguments) -> Result<spin::Spinning> {
    // Before any ROS call: a signal must not kill the process during the creation of the context.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut node = spin::create_node(DEFAULT_NAME)?;
    logging::install(&mut node, arguments)?;
    let values = parameters::overrides(&node)?;
    let spinning = start(node, values, arguments.remappings.clone())?.run()?;
    tokio::select! {
        _ = interrupt.recv() => log::info!("the node stops: it received SIGINT"),
        _ = terminate.recv() => log::info!("the node stops: it received SIGTERM"),
    }
    Ok(spinning)
}

/// Creates all topics and services of the node, and the tasks that serve them.
fn start(node: Node, values: Values, remappings: Vec<String>) -> Result<Spinner> {
    let settings = Settings::new(&values, None)?;
    // Invalid parameters end the node before it has clients.
    let robot = description::of_parameters(&settings)?;
    let srdf = semantic::of_parameter(&settings, robot.as_ref().map(|robot| &*robot.loaded))?;
    let names = TopicNames::new(&node, remappings)?;
    // Measurements are expected if this topic is remapped or a controller takes commands.
    let has_controller = !settings.command_joints.is_empty() || settings.trajectory_action.is_some();
    let is_measured = has_controller || names.is_remapped(MEASURED_JOINT_STATES.name);
    if is_measured && settings.measured_timeout.is_zero() {
        log::warn!(
            "measured_timeout is 0: the arm is assumed to be at initial_posture, and nothing checks whether it follows"
        );
    }
    let (mut spinner, commands) = Spinner::new(node, names);
    spin::use_sim_time(settings.use_sim_time, &mut spinner.node);
    let arm = Arc::new(make_arm(&mut spinner, settings, srdf, is_measured)?);
    let queries = Arc::new(Queries { arm: Arc::clone(&arm), searches: Searches::new() });
    let settings = arm.settings();
    frames::serve(&mut spinner, &arm.frames, &arm.clock, &arm.reporter.warnings)?;
    measured::serve(&mut spinner, &arm.measured)?;
    deadman::serve(&mut spinner, &arm.deadman, &settings)?;
    let store = parameters::serve(&mut spinner, &arm, values, commands.clone())?;
    goals::serve(&mut spinner, &store)?;
    let drags = handle::serve(&mut spinner, &store)?;
    targets::serve(&mut spinner, &queries, drags)?;
    servo::serve(&mut spinner, &arm, commands.clone())?;
    services::serve(&mut spinner, &queries)?;
    #[cfg(feature = "type_description")]
    if settings.start_type_description_service {
        ros::type_descriptions::serve(&mut spinner)?;
    }
    obstacles::serve(&mut spinner, &queries)?;
    semantic::serve(&mut spinner, &arm.surroundings, &settings)?;
    surroundings::serve(&arm.surroundings, &arm.settings_in_use);
    #[cfg(feature = "moveit")]
    moveit::serve(&mut spinner, &queries)?;
    if settings.moveit_servo.enabled && !cfg!(feature = "moveit_servo") {
        log::warn!(
            "moveit_servo.enabled is not used, because no moveit_msgs of ROS 2 Jazzy or newer was there when the node was \
             built: install ros-$ROS_DISTRO-moveit-msgs, and build again"
        );
    }
    markers::serve(&mut spinner, &arm)?;
    descriptions::serve(&mut spinner, &arm, robot)?;
    // After all subscriptions, which it checks.
    diagnostics::serve(&mut spinner, &arm, commands)?;
    arm::serve(&arm);
    spinner.qualities.warn_of_unused(&spinner.node);
    Ok(spinner)
}

/// The arm without a robot; `srdf` is that of the parameter.
fn make_arm(spinner: &mut Spinner, settings: Settings, srdf: Option<Srdf>, is_measured: bool) -> Result<Arm> {
    let clock = Clock::new(&spinner.node);
    let warnings = Arc::<Warnings>::default();
    let reporter = Arc::new(Reporter::new(spinner, Arc::clone(&warnings))?);
    let measured = Arc::new(Measured::new(is_measured, Arc::clone(&warnings)));
    let deadman = Arc::<Deadman>::default();
    let sources = OrderedLock::new(Sources::new(settings.tip_links.len().max(1)));
    let settings = Arc::new(Lock::new(Arc::new(settings)));
    let (watched, held, in_use) = (Arc::clone(&measured), Arc::clone(&deadman), Arc::clone(&settings));
    let output = Arc::new(Output::new(spinner, watched, held, Arc::clone(&reporter), clock.clone(), in_use)?);
    let present = Arc::clone(&output);
    let present = Box::new(move || present.present());
    Ok(Arm {
        output,
        sources,
        deadman,
        reporter,
        measured,
        frames: Arc::new(Frames::new()),
        goals: StandingGoals::default(),
        surroundings: Arc::new(Surroundings::new(srdf, warnings, present)),
        clock,
        settings_in_use: settings,
        solving: Mutex::default(),
    })
}
