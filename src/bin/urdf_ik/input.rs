//! What the commands read from outside: robots, JSON and joint positions; `-` as a path means standard input.

use std::path::Path;

use serde::de::DeserializeOwned;
use urdf_ik::config::NamedPositions;
use urdf_ik::files::{self, MAX_DATA_BYTES, MAX_URDF_BYTES, ReadError};
use urdf_ik::robot::{Chain, Robot, read_urdf_file};

use super::Failure;

const STANDARD_INPUT: &str = "-";

/// Reads a robot, as [`robot_from`].
pub fn read_robot(path: &Path) -> Result<Robot, Failure> {
    let text =
        if is_standard_input(path) { files::read_standard_input(MAX_URDF_BYTES)? } else { read_urdf_file(path)? };
    robot_from(&text, path)
}

/// The robot of a URDF from the file at `path`. Warnings about it go to standard error.
pub fn robot_from(urdf: &str, path: &Path) -> Result<Robot, Failure> {
    let place = place(path);
    let robot = Robot::from_urdf(urdf).map_err(|e| format!("{place}: {e}"))?;
    for warning in robot.warnings() {
        eprintln!("urdf_ik: {place}: {warning}");
    }
    Ok(robot)
}

/// Reads a file of JSON.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let text = read_text(path, MAX_DATA_BYTES)?;
    // The reason may quote a long text.
    serde_json::from_str(&text).map_err(|e| format!("{}: {:.500}", place(path), e.to_string()).into())
}

/// The text of a file, or of standard input.
pub fn read_text(path: &Path, max_bytes: usize) -> Result<String, ReadError> {
    if is_standard_input(path) { files::read_standard_input(max_bytes) } else { files::read_text(path, max_bytes) }
}

/// The positions of the whole robot from YAML or JSON, from the path of such a file, or from `joint=position,joint=position`. Joints that
/// are not named are at 0, or in the middle of their range where 0 is outside.
pub fn read_positions(text: &str, robot: &Robot) -> Result<Vec<f64>, Failure> {
    let is_list = text.contains('=') && !text.contains([':', '{']) && !Path::new(text).exists();
    let positions = if is_list {
        NamedPositions::read(&format!("{{{}}}", text.replace('=', ": ")))?
    } else {
        NamedPositions::read(text)?
    };
    Ok(positions.apply(robot)?)
}

/// Where a search starts: positions of the chain's variables, as [`read_positions`] reads them; without a text the middle of each range.
pub fn read_start(text: Option<&str>, robot: &Robot, chain: &Chain) -> Result<Vec<f64>, Failure> {
    match text {
        Some(text) => Ok(chain.positions_from(&read_positions(text, robot)?)),
        None => Ok(chain.nominal_positions()),
    }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// The path as messages name it.
pub fn place(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}
