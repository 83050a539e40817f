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
    ///
    /// # Errors
    /// A message if the file cannot be read or is not a robot.
    pub fn robot(&self) -> Result<Robot> {
        Ok(self.robot_and_text()?.0)
    }

    /// Reads the robot. Also returns the text of its URDF.
    ///
    /// # Errors
    /// A message if the file cannot be read or is not a robot.
    pub fn robot_and_text(&self) -> Result<(Robot, String)> {
        let urdf = read_text(&self.path, MAX_URDF_BYTES)?;
        Ok((robot_from(&urdf, &self.path, UrdfOptions { soft_limits: self.soft_limits })?, urdf))
    }

    /// Reads the robot and the shapes of its links. `missing` decides whether missing shapes are an error; otherwise
    /// they are reported on standard error.
    ///
    /// # Errors
    /// A message if the file cannot be read or is not a robot, or required shapes are missing.
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

    /// Reads the robot, and the shapes of its links if `missing`, the policy for missing ones, is given.
    ///
    /// # Errors
    /// A message as for [`Self::robot`] and [`Self::robot_with_shapes`].
    pub fn robot_and_shapes(&self, missing: Option<MissingShapes>) -> Result<(Robot, Option<LinkShapes>)> {
        match missing {
            Some(missing) => self.robot_with_shapes(missing).map(|(robot, shapes)| (robot, Some(shapes))),
            None => Ok((self.robot()?, None)),
        }
    }
}

/// Reads a `joint_limits.yaml` of `robot`. Without a path there are no limits.
///
/// # Errors
/// A message if the file cannot be read or is invalid.
pub fn read_joint_limits(path: Option<&Path>, robot: &Robot) -> Result<JointLimits> {
    let Some(path) = path else { return Ok(JointLimits::default()) };
    let text = read_text(path, MAX_SETTINGS_BYTES)?;
    JointLimits::from_yaml(&text, robot).map_err(|e| format!("{}: {e}", place(path)).into())
}

/// Reads an SRDF of `robot`, if a path is given. Links that the robot lacks are reported on standard error.
///
/// # Errors
/// A message if the file cannot be read, is invalid, or belongs to another robot.
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

/// Reads a list of obstacles in JSON. Without a path there are none. Meshes are searched for beside the file.
///
/// # Errors
/// A message if the file cannot be read or an obstacle is invalid.
pub fn read_world(path: Option<&Path>) -> Result<World> {
    let Some(path) = path else { return Ok(World::default()) };
    let folders = MeshFolders::from_environment((!is_standard_input(path)).then_some(path));
    let list: Value = read_json(path)?;
    world_from_json(&list, &folders).map_err(|e| format!("{}: {e}", place(path)).into())
}

/// Parses `urdf`, the text of the file at `path`. Warnings about the robot go to standard error.
///
/// # Errors
/// A message if the text is not a robot.
pub fn robot_from(urdf: &str, path: &Path, options: UrdfOptions) -> Result<Robot> {
    let place = place(path);
    let robot = Robot::from_urdf_with(urdf, options).map_err(|e| format!("{place}: {e}"))?;
    for warning in robot.warnings() {
        eprintln!("urdf_ik: {place}: {warning}");
    }
    Ok(robot)
}

/// Reads a value from the JSON file at `path`.
///
/// # Errors
/// A message if the file cannot be read, or is not JSON of this type.
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

/// An error message of the JSON reader, shortened if it quotes a long text.
pub fn in_words(text: &str) -> String {
    sentence(&plain_words(text)).into_owned()
}

/// The text of a file, or of standard input, of at most `max_bytes` bytes.
///
/// # Errors
/// [`ReadError`] if it cannot be read or is too long.
pub fn read_text(path: &Path, max_bytes: usize) -> Result<String, ReadError> {
    if is_standard_input(path) { files::read_standard_input(max_bytes) } else { files::read_text(path, max_bytes) }
}

/// One position per joint of the robot \[rad or m\], from YAML or JSON, from the path of such a file, or from
/// `joint=position,joint=position`. Unnamed joints are at 0, or in the middle of their range if 0 is outside.
///
/// # Errors
/// A message if the text or the file is invalid, or names an unknown joint.
pub fn read_positions(text: &str, robot: &Robot) -> Result<Vec<f64>> {
    let is_list = text.contains('=') && !text.contains([':', '{']) && !Path::new(text).exists();
    let positions = if is_list {
        format!("{{{}}}", text.replace('=', ": ")).parse::<NamedPositions>()?
    } else {
        text.parse::<NamedPositions>()?
    };
    Ok(positions.apply(robot)?)
}

/// The seed of a search: one position per variable of the chain \[rad or m\], by [`read_positions`] or by default the
/// middle of each range.
///
/// # Errors
/// A message as for [`read_positions`].
pub fn read_start(text: Option<&str>, robot: &Robot, chain: &Chain) -> Result<Vec<f64>> {
    match text {
        Some(text) => Ok(chain.positions_from(&read_positions(text, robot)?)),
        None => Ok(chain.nominal_positions()),
    }
}

/// One position per joint of the robot \[rad or m\], by [`read_positions`] or by default the neutral ones.
///
/// # Errors
/// A message as for [`read_positions`].
pub fn read_rest(text: Option<&str>, robot: &Robot) -> Result<Vec<f64>> {
    text.map_or_else(|| Ok(robot.neutral_positions()), |text| read_positions(text, robot))
}

/// Goals from YAML or JSON, or from the path of such a file; without a text there are none. Joints outside the chain
/// are at the positions in `start` (text as for [`read_rest`]).
///
/// # Errors
/// A message if the goals or the positions in `start` are invalid.
pub fn read_goals(text: Option<&str>, robot: &Robot, chain: &Chain, start: Option<&str>) -> Result<Vec<Goal>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let positions = read_rest(start, robot)?;
    Ok(parameters::read_goals(text, &GoalContext { robot, chain, positions: &positions, frames: &[] })?)
}

pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// The path as it appears in messages.
pub fn place(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}
