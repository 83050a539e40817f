//! `urdf_ik skeleton`: inverse kinematics of skeletons, as JSON.

mod answer;
mod checked;
mod describe;
mod json;
mod links;
mod pitch_yaw;
mod request;
mod session;
mod stream;
mod switches;
mod task;
mod tree;
mod urdf_out;

use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use urdf_ik::files::MAX_URDF_BYTES;
use urdf_ik::robot::UrdfOptions;
use urdf_ik::skeleton::file::{Model, ModelError};

use self::answer::AnswerOut;
use self::json::Object;
use self::links::LinkedArmSession;
use self::pitch_yaw::PitchYawSession;
use self::request::OptionsEntry;
use self::session::Session;
use self::switches::Switches;
use self::tree::SkeletonSession;
use super::Result;
use super::input::{place, read_json, read_text, robot_from};
use super::output::{OutputFile, write_pretty};

#[derive(Args)]
pub struct SkeletonArguments {
    /// The model: YAML of a skeleton or of a pitch-yaw arm, or the URDF of an arm of two or three links;
    /// -: standard input
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// JSON: a list of {"point", "position", "orientation", "weight"}; the last two may be left out; -: standard input
    #[arg(long, value_name = "FILE.json", required_unless_present_any = ["stream", "urdf_out"])]
    targets: Option<PathBuf>,
    #[command(flatten)]
    switches: Switches,
    #[command(flatten)]
    options: OptionsEntry,
    /// Draw the passes and the solution of a skeleton
    #[arg(long, value_name = "FILE.svg", value_parser = OutputFile::svg, requires = "targets")]
    figure: Option<OutputFile>,
    /// Write a skeleton of hinges and fixed segments as a URDF, with the root of the answer; without targets, at rest
    #[arg(long, value_name = "FILE.urdf", value_parser = OutputFile::any)]
    urdf_out: Option<OutputFile>,
    /// Answer requests on standard input, a line of JSON each, until it ends
    #[arg(long, conflicts_with_all = ["targets", "figure", "Switches", "OptionsEntry"])]
    stream: bool,
}

impl SkeletonArguments {
    /// Writes the URDF where --urdf-out is given.
    fn write_urdf(&self, session: &dyn Session) -> Result {
        self.urdf_out.as_ref().map_or(Ok(()), |file| file.write(session.urdf()?))
    }
}

/// Prints the answer. Returns true if it meets the targets.
///
/// # Errors
/// A message if an argument, a file or a target is invalid, or the answer cannot be written.
pub fn run(arguments: &SkeletonArguments, out: &mut impl Write) -> Result<bool> {
    if arguments.stream && arguments.model.as_os_str() == "-" {
        return Err("--model - reads standard input to its end, where --stream reads requests; give a file".into());
    }
    let mut session = open(&arguments.model)?;
    let Some(targets) = &arguments.targets else {
        arguments.write_urdf(&*session)?;
        if arguments.stream {
            stream::run(&mut *session, BufReader::new(std::io::stdin()), out)?;
        }
        return Ok(true);
    };
    let description = session.description();
    let mut request = arguments.switches.request(&description)?;
    request.options = Object(arguments.options);
    request.targets = read_json(targets)?;
    if let Some(file) = &arguments.figure {
        file.write(session.figure(&request)?)?;
    }
    let mut answer = AnswerOut::default();
    for pass in arguments.switches.passes() {
        request.pass = pass;
        answer = session.answer(&request)?;
        request.seed = request::StartEntry::Previous;
    }
    arguments.write_urdf(&*session)?;
    let is_done = answer.is_solved || request.pass.is_some();
    write_pretty(out, &by_name(&answer, &description.points)?)?;
    Ok(is_done)
}

/// The answer with points and orientations by name.
fn by_name(answer: &AnswerOut, names: &[String]) -> Result<Value> {
    let points: BTreeMap<_, _> = names.iter().zip(&answer.pose.points).collect();
    let orientations: BTreeMap<_, _> = names.iter().zip(&answer.pose.orientations).collect();
    let mut value = serde_json::to_value(answer)?;
    if let Value::Object(all) = &mut value {
        all.insert("points".to_owned(), json!(points));
        all.insert("orientations".to_owned(), json!(orientations));
    }
    Ok(value)
}

/// Opens the model of a file: YAML of a skeleton or of a pitch-yaw arm, or the URDF of an arm of two or three links.
fn open(path: &Path) -> Result<Box<dyn Session>> {
    let text = read_text(path, MAX_URDF_BYTES)?;
    if text.trim_start().starts_with('<') {
        return Ok(Box::new(LinkedArmSession::new(robot_from(&text, path, UrdfOptions::default())?)?));
    }
    Ok(match Model::from_yaml(&text).map_err(|e| ModelError { place: place(path), ..e })? {
        Model::Skeleton(model) => Box::new(SkeletonSession::new(model)?),
        Model::PitchYaw(model) => Box::new(PitchYawSession::new(model)?),
    })
}
