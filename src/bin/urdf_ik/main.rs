//! The command line: robots, forward and inverse kinematics without ROS.

mod evaluate;
mod generate;
mod info;
mod path;
mod query;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use urdf_ik::robot::{Chain, Robot};

/// The failure of a command: one line of text, and exit status 1.
type Failure = Box<dyn Error>;

/// Inverse kinematics for any robot with a URDF.
#[derive(Parser)]
#[command(version, max_term_width = 120)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows a robot: its tree, joints and limits, and the chain from base to tip with its reach.
    Info(RobotArguments),
    /// Forward kinematics: the pose of every link in the root link's frame, as JSON.
    Fk(query::FkArguments),
    /// Solves for one target pose, as JSON. The exit status is 1 when it cannot be met.
    Solve(query::SolveArguments),
    /// Moves the tip along straight lines: a joint trajectory, as JSON. The exit status is 1 when the path cannot be followed to its end.
    Path(path::Arguments),
    /// Solves the cases of a file and prints the solve rate and times, as JSON.
    Evaluate(evaluate::Arguments),
    /// Writes the URDF of a noodle: a long arm of many equal segments, for tests of solvers.
    Generate(generate::Arguments),
}

/// Which robot, and which chain of it.
#[derive(Args)]
struct RobotArguments {
    /// The robot's URDF
    #[arg(long, value_name = "FILE")]
    urdf: PathBuf,
    /// Base link [default: the root link]
    #[arg(long, value_name = "LINK")]
    base: Option<String>,
    /// Tip link; may be given several times [default: the only leaf link]
    #[arg(long = "tip", value_name = "LINK")]
    tips: Vec<String>,
}

impl RobotArguments {
    fn robot(&self) -> Result<Robot, Failure> {
        read_robot(&self.urdf)
    }

    fn chain(&self, robot: &Robot) -> Result<Chain, Failure> {
        let tips: Vec<&str> = self.tips.iter().map(String::as_str).collect();
        Ok(Chain::with_defaults(robot, self.base.as_deref(), &tips)?)
    }
}

/// Reads a robot. Warnings about its URDF go to standard error.
fn read_robot(path: &PathBuf) -> Result<Robot, Failure> {
    let robot = Robot::from_urdf_file(path).map_err(|e| format!("{}: {e}", path.display()))?;
    for warning in robot.warnings() {
        eprintln!("urdf_ik: {}: {warning}", path.display());
    }
    Ok(robot)
}

fn read_json<T: serde::de::DeserializeOwned>(path: &PathBuf) -> Result<T, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()).into())
}

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    let done = match CommandLine::parse().command {
        Command::Info(arguments) => info::run(&arguments, &mut out).map(|()| true),
        Command::Fk(arguments) => query::fk(&arguments, &mut out).map(|()| true),
        Command::Solve(arguments) => query::solve(&arguments, &mut out),
        Command::Path(arguments) => path::run(&arguments, &mut out),
        Command::Evaluate(arguments) => evaluate::run(&arguments, &mut out).map(|()| true),
        Command::Generate(arguments) => generate::run(&arguments, &mut out).map(|()| true),
    };
    match done.and_then(|solved| Ok(out.flush().map(|()| solved)?)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // A reader of the output may stop early, like `head`.
        Err(failure) if is_broken_pipe(&*failure) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("urdf_ik: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(failure: &(dyn Error + 'static)) -> bool {
    let kind = match failure.downcast_ref::<serde_json::Error>() {
        Some(e) => e.io_error_kind(),
        None => failure.downcast_ref::<io::Error>().map(io::Error::kind),
    };
    kind == Some(io::ErrorKind::BrokenPipe)
}
