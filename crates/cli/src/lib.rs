//! The command line `urdf_ik`: robots, forward and inverse kinematics without ROS. The Python module runs it, too.

#![forbid(unsafe_code)]

mod avoidance;
mod collisions;
mod evaluate;
mod evaluate_cases;
mod evaluate_plot;
mod fk;
mod generate;
mod info;
mod info_limits;
mod input;
mod options;
mod output;
mod path;
mod path_plot;
mod progress;
mod reach;
mod robot_config;
mod skeleton;
mod solve;

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

/// The failure of a command: one line of text, and exit status [`BAD_INPUT`].
type Failure = Box<dyn Error + Send + Sync>;
/// The result of a command or a part of it.
type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// Exit status of a command that is done.
const DONE: u8 = 0;
/// Exit status if a target cannot be met, or a path cannot be followed to its end.
const NOT_MET: u8 = 1;
/// Exit status for invalid arguments or files, also used by clap.
const BAD_INPUT: u8 = 2;
/// The exit statuses in the help.
const EXIT_STATUS: &str = "\
Exit status: 0 where it is done; 1 where a target cannot be met, or a path cannot be followed to its end; \
2 where an argument or a file is wrong.";

/// Inverse kinematics for any robot with a URDF.
#[derive(Parser)]
#[command(name = "urdf_ik", version, max_term_width = 120, after_help = EXIT_STATUS)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows a robot: its tree, joints and limits, and the chain from base to tip with its reach.
    Info(info::InfoArguments),
    /// Forward kinematics: the pose of every link in the root link's frame, as JSON.
    Fk(options::ConfigurationArguments),
    /// The smallest distance between links that may collide, at each given configuration, as JSON.
    Collisions(collisions::CollisionsArguments),
    /// Writes the node's parameter file for a real arm, as YAML: links, smooth motion, the controller's joints,
    /// limits of each joint.
    #[command(mut_arg("path", |urdf| urdf.long(None).value_name("URDF")))]
    RobotConfig(robot_config::RobotConfigArguments),
    /// Solves for a target of each tip link, as JSON. The exit status is 1 when they cannot be met.
    #[command(after_help = EXIT_STATUS)]
    Solve(solve::SolveArguments),
    /// Moves the tip along straight lines: a joint trajectory, as JSON. The exit status is 1 when the path cannot be
    /// followed to its end.
    #[command(after_help = EXIT_STATUS)]
    Path(path::PathArguments),
    /// Solves the cases of a file and prints the solve rate and times, as JSON.
    Evaluate(evaluate::EvaluateArguments),
    /// Maps the fraction of orientations that the tip reaches in each voxel, and prints a summary as JSON.
    Reach(reach::ReachArguments),
    /// Moves a skeleton to its targets, as JSON. The exit status is 1 when they cannot be met.
    #[command(after_help = EXIT_STATUS)]
    Skeleton(skeleton::SkeletonArguments),
    /// Writes the URDF of a noodle: a long arm of many equal segments, for tests of solvers.
    Generate(generate::GenerateArguments),
}

/// Runs a command. `arguments` begin with the name of the program. Returns the exit status: 0 if the command is done,
/// 1 if a target cannot be met or a path cannot be followed to its end, 2 if an argument or a file is invalid.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    run_to(arguments, &mut io::stdout().lock())
}

/// Runs a command as [`run`] does, but writes its answer to `out`.
pub fn run_to(arguments: impl IntoIterator<Item = OsString>, out: &mut impl Write) -> u8 {
    let command = match CommandLine::try_parse_from(arguments) {
        Ok(CommandLine { command }) => command,
        Err(error) => return answer_without_command(&error),
    };
    let done = match command {
        Command::Info(arguments) => info::run(&arguments, out).map(|()| true),
        Command::Fk(arguments) => fk::run(&arguments, out).map(|()| true),
        Command::Collisions(arguments) => collisions::run(&arguments, out).map(|()| true),
        Command::RobotConfig(arguments) => robot_config::run(&arguments, out).map(|()| true),
        Command::Solve(arguments) => solve::run(&arguments, out),
        Command::Path(arguments) => path::run(&arguments, out),
        Command::Evaluate(arguments) => evaluate::run(&arguments, out).map(|()| true),
        Command::Reach(arguments) => reach::run(&arguments, out).map(|()| true),
        Command::Skeleton(arguments) => skeleton::run(&arguments, out),
        Command::Generate(arguments) => generate::run(&arguments, out).map(|()| true),
    };
    match done.and_then(|solved| Ok(out.flush().map(|()| solved)?)) {
        Ok(true) => DONE,
        Ok(false) => NOT_MET,
        // A reader of the output may stop early, like `head`.
        Err(failure) if is_broken_pipe(&*failure) => DONE,
        Err(failure) => {
            eprintln!("urdf_ik: {failure}");
            BAD_INPUT
        }
    }
}

/// Prints the requested help or version, or in one line the error in the arguments.
fn answer_without_command(error: &clap::Error) -> u8 {
    // Help and version are answers on standard output. Help for a missing command is not shortened.
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // A reader of the output may stop early.
        let _ = error.print();
        return if error.use_stderr() { BAD_INPUT } else { DONE };
    }
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let reason: Vec<&str> =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more")).collect();
    let reason = reason.join(" ").replace(" tip: ", "; tip: ");
    eprintln!("urdf_ik: {} (--help explains the options)", reason.strip_prefix("error: ").unwrap_or(&reason));
    BAD_INPUT
}

fn is_broken_pipe(failure: &(dyn Error + 'static)) -> bool {
    let kind = match failure.downcast_ref::<serde_json::Error>() {
        Some(e) => e.io_error_kind(),
        None => failure.downcast_ref::<io::Error>().map(io::Error::kind),
    };
    kind == Some(io::ErrorKind::BrokenPipe)
}
