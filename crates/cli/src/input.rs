//! Input of the commands: robots, JSON and joint positions; `-` as a path is standard input.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::de::DeserializeOwned;
use serde_json::Value;
use urdf_ik::UniqueKeys;
use urdf_ik::collision::{LinkShapes, MissingShapes, Srdf, SrdfError, World, world_from_json};
use urdf_ik::config::NamedPositions;
use urdf_ik::files::{self, MAX_DATA_BYTES, MAX_SETTINGS_BYTES, MAX_URDF_BYTES, ReadError};
use urdf_ik::goals::{Goal, GoalContext};
use urdf_ik::motion::JointLimits;
use urdf_ik::parameters;
use urdf_ik::robot::{Chain, MeshFolders, Robot, UrdfOptions};
use urdf_ik_text::names::{plain_words, sentence};

use super::Result;

/// Path argument for standard input.
const STANDARD_INPUT: &str = "-";

/// The file of a robot and the options for reading it.
#[derive(Args)]
pub struct RobotFile {
    /// The robot's URDF; -: standard input
    #[arg(long = "urdf", value_name = "FILE")]
    pub path: PathBuf,
    /// Keep to the soft limits of <safety_controller> as well
    #[arg(long)]
    pub soft_limits: bool,
}

impl RobotFile {
    /// Reads the robot. Warnings about it go to standard error.
    pub fn robot(&self) -> Result<Robot> {
        Ok(self.robot_and_text()?.0)
    }

    /// Reads the robot and the text of its URDF.
    pub fn robot_and_text(&self) -> Result<(Robot, String)> {
        let urdf = read_text(&self.path, MAX_URDF_BYTES)?;
        Ok((robot_from(&urdf, &self.path, UrdfOptions { soft_limits: self.soft_limits })?, urdf))
    }

    /// Reads the robot and the shapes of its links. Missing shapes are an error, or named on standard error.
    pub fn robot_with_shapes(&self, missing: MissingShapes) -> Result<(Robot, LinkShapes)> {
        let (path, (robot, urdf)) = (&*self.path, self.robot_and_text()?);
        let folders = MeshFolders::from_environment((!is_standard_input(path)).then_some(path));
        let shapes = LinkShapes::of_urdf(&urdf, &robot, &folders)?;
        missing.check(shapes.missing().as_ref()).map_err(|e| format!("{}: {e}", place(path)))?;
        for fault in shapes.faults() {
            eprintln!("urdf_ik: {}: {fault}", place(path));
        }
        Ok((robot, shapes))
    }

    /// Reads the robot, and the shapes of its links if a policy for missing ones is given.
    pub fn robot_and_shapes(&self, missing: Option<MissingShapes>) -> Result<(Robot, Option<LinkShapes>)> {
        match missing {
            Some(missing) => self.robot_with_shapes(missing).map(|(robot, shapes)| (robot, Some(shapes))),
            None => Ok((self.robot()?, None)),
        }
    }
}

/// Reads a joint_limits.yaml of `robot`; without a path there are no limits.
pub fn read_joint_limits(path: Option<&Path>, robot: &Robot) -> Result<JointLimits> {
    let Some(path) = path else { return Ok(JointLimits::default()) };
    let text = read_text(path, MAX_SETTINGS_BYTES)?;
    JointLimits::from_yaml(&text, robot).map_err(|e| format!("{}: {e}", place(path)).into())
}

/// Reads an SRDF of `robot`, if a path is given. Its unknown links are named on standard error.
pub fn read_srdf(path: Option<&Path>, robot: &Robot) -> Result<Option<Srdf>> {
    let Some(path) = path else { return Ok(None) };
    let of_file = |e: SrdfError| format!("{}: {e}", place(path));
    let srdf = Srdf::from_text(&read_text(path, MAX_URDF_BYTES)?).map_err(of_file)?;
    let unknown = srdf.unknown_links(robot).map_err(of_file)?;
    if !unknown.is_empty() {
        eprintln!("urdf_ik: {}: the robot has no links of these names: {}", place(path), unknown.join(", "));
    }
    Ok(Some(srdf))
}

/// Reads a list of obstacles in JSON; without a path there are none. Meshes are searched for beside the file.
pub fn read_world(path: Option<&Path>) -> Result<World> {
    let Some(path) = path else { return Ok(World::default()) };
    let folders = MeshFolders::from_environment((!is_standard_input(path)).then_some(path));
    let list: Value = read_json(path)?;
    world_from_json(&list, &folders).map_err(|e| format!("{}: {e}", place(path)).into())
}

/// The robot of a URDF from the file at `path`. Warnings about it go to standard error.
pub fn robot_from(urdf: &str, path: &Path, options: UrdfOptions) -> Result<Robot> {
    let place = place(path);
    let robot = Robot::from_urdf_with(urdf, options).map_err(|e| format!("{place}: {e}"))?;
    for warning in robot.warnings() {
        eprintln!("urdf_ik: {place}: {warning}");
    }
    Ok(robot)
}

/// Reads a file of JSON.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = read_text(path, MAX_DATA_BYTES)?;
    let read = serde_json::from_str::<UniqueKeys>(&text).and_then(|_| serde_json::from_str(&text));
    read.map_err(|e| {
        // Python writes these numbers, which are invalid JSON.
        let at = text.lines().nth(e.line().saturating_sub(1)).and_then(|line| line.get(e.column().saturating_sub(1)..));
        let is_no_number = at.is_some_and(|rest| rest.starts_with("NaN") || rest.starts_with("Infinity"));
        let hint = if is_no_number { ": give a finite number" } else { "" };
        format!("{}: {}{hint}", place(path), in_words(&e.to_string())).into()
    })
}

/// An error message of the JSON reader, cut if it quotes a long text.
pub fn in_words(text: &str) -> String {
    sentence(&plain_words(text)).into_owned()
}

/// The text of a file, or of standard input.
pub fn read_text(path: &Path, max_bytes: usize) -> Result<String, ReadError> {
    if is_standard_input(path) { files::read_standard_input(max_bytes) } else { files::read_text(path, max_bytes) }
}

/// The positions of all joints of the robot from YAML or JSON, from the path of such a file, or from
/// `joint=position,joint=position`. Unnamed joints are at 0, or in the middle of their range if 0 is outside.
pub fn read_positions(text: &str, robot: &Robot) -> Result<Vec<f64>> {
    let is_list = text.contains('=') && !text.contains([':', '{']) && !Path::new(text).exists();
    let positions = if is_list {
        format!("{{{}}}", text.replace('=', ": ")).parse::<NamedPositions>()?
    } else {
        text.parse::<NamedPositions>()?
    };
    Ok(positions.apply(robot)?)
}

/// The seed of a search: positions of the chain's variables by [`read_positions`], by default the middle of each range.
pub fn read_start(text: Option<&str>, robot: &Robot, chain: &Chain) -> Result<Vec<f64>> {
    match text {
        Some(text) => Ok(chain.positions_from(&read_positions(text, robot)?)),
        None => Ok(chain.nominal_positions()),
    }
}

/// Positions of all joints of the robot by [`read_positions`], by default the neutral ones.
pub fn read_rest(text: Option<&str>, robot: &Robot) -> Result<Vec<f64>> {
    text.map_or_else(|| Ok(robot.neutral_positions()), |text| read_positions(text, robot))
}

/// Goals from YAML or JSON, or from the path of such a file; none without a text. Joints outside the chain are at the
/// positions of `start`.
pub fn read_goals(text: Option<&str>, robot: &Robot, chain: &Chain, start: Option<&str>) -> Result<Vec<Goal>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let positions = read_rest(start, robot)?;
    Ok(parameters::read_goals(text, &GoalContext { robot, chain, positions: &positions, frames: &[] })?)
}

pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// The path as named in messages.
pub fn place(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}
