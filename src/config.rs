//! Configuration in YAML, as text or as a file: joint positions by name, and the text of other such files.

use std::collections::BTreeMap;
use std::path::Path;

use thiserror::Error;

use crate::names;
use crate::robot::Robot;

/// Greatest size of a file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A YAML text, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Yaml {
    /// Its place, for messages about it: the path of its file, or the text itself in quotes.
    pub place: String,
    /// The text.
    pub text: String,
}

/// A file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no such file, or it is too large: {path}")]
pub struct NoSuchFile {
    /// The path as given.
    pub path: String,
}

impl Yaml {
    /// Reads `text`: YAML itself, or the path of a YAML file.
    ///
    /// # Errors
    /// [`NoSuchFile`] where `text` looks like a path, but no file can be read there.
    pub fn read(text: &str) -> Result<Self, NoSuchFile> {
        if let Some(file) = read_small_file(Path::new(text)) {
            return Ok(Self { place: text.to_owned(), text: file });
        }
        let is_yaml_path = Path::new(text).extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        // YAML itself may hold a slash, but then also a colon and a space.
        if is_yaml_path || (text.contains('/') && !text.contains(": ")) {
            return Err(NoSuchFile { path: text.to_owned() });
        }
        Ok(Self { place: format!("'{text}'"), text: text.to_owned() })
    }
}

/// Positions of some joints by name \[rad or m\].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NamedPositions(pub BTreeMap<String, f64>);

/// Why joint positions were refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NamedPositionsError {
    /// Neither a YAML mapping of joint names to numbers nor a file that holds one.
    #[error("{place} must map joint names to positions, such as {{elbow: 1.57}}: {reason}")]
    NotAMapping {
        /// The text, or the path of the file.
        place: String,
        /// What the YAML reader said.
        reason: String,
    },
    /// The robot has no movable joint of this name.
    #[error("'{joint}' is not a movable joint of the robot; its movable joints are: {}", names::list(joints))]
    UnknownJoint {
        /// The name given.
        joint: String,
        /// The names there are.
        joints: Vec<String>,
    },
    /// A position is outside the limits of its joint.
    #[error("{position} is outside the limits of joint '{joint}' or of a joint that mimics it")]
    OutsideLimits {
        /// The joint.
        joint: String,
        /// The position given \[rad or m\].
        position: f64,
    },
}

impl NamedPositions {
    /// Reads positions from YAML text, or from the YAML file whose path the text is. An empty text has no positions.
    ///
    /// # Errors
    /// [`NamedPositionsError::NotAMapping`].
    pub fn read(text: &str) -> Result<Self, NamedPositionsError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let refuse = |place: &str, reason: String| NamedPositionsError::NotAMapping { place: place.to_owned(), reason };
        let yaml = Yaml::read(text).map_err(|e| refuse(&format!("'{text}'"), e.to_string()))?;
        serde_yaml::from_str(&yaml.text).map(Self).map_err(|e| refuse(&yaml.place, e.to_string()))
    }

    /// The positions of the whole robot (one entry a joint). Joints that are not named are where [`Robot::neutral_positions`] puts them; mimic
    /// joints follow their masters.
    ///
    /// # Errors
    /// [`NamedPositionsError`] for unknown joints, and positions outside the limits.
    pub fn apply(&self, robot: &Robot) -> Result<Vec<f64>, NamedPositionsError> {
        let mut positions = robot.neutral_positions();
        for (joint, &position) in &self.0 {
            let index = robot.movable_index(joint).ok_or_else(|| NamedPositionsError::UnknownJoint {
                joint: joint.clone(),
                joints: robot.movable_names().map(str::to_owned).collect(),
            })?;
            if !robot.domain(index).is_some_and(|domain| domain.contains(position)) {
                return Err(NamedPositionsError::OutsideLimits { joint: joint.clone(), position });
            }
            positions[index] = position;
        }
        robot.apply_mimic(&mut positions);
        Ok(positions)
    }
}

/// The text of a regular file of moderate size. Pipes and devices might never end.
fn read_small_file(path: &Path) -> Option<String> {
    let about = std::fs::metadata(path).ok()?;
    if about.is_file() && about.len() <= MAX_FILE_BYTES { std::fs::read_to_string(path).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: &str = r#"<robot name="arm"> <link name="a"/> <link name="b"/> <link name="c"/>
        <joint name="shoulder" type="revolute"> <parent link="a"/> <child link="b"/> <limit lower="1" upper="2"/> </joint>
        <joint name="elbow" type="continuous"> <parent link="b"/> <child link="c"/> <mimic joint="shoulder" multiplier="2"/> </joint>
    </robot>"#;

    #[test]
    fn positions_are_yaml_or_a_yaml_file() {
        let positions = NamedPositions::read("{shoulder: 1.5}").unwrap();
        let folder = std::env::temp_dir().join(format!("urdf_ik_positions_{}", std::process::id()));
        std::fs::write(&folder, "shoulder: 1.5\n").unwrap();
        assert_eq!(NamedPositions::read(folder.to_str().unwrap()), Ok(positions.clone()));
        std::fs::remove_file(folder).unwrap();
        assert_eq!(NamedPositions::read(" "), Ok(NamedPositions::default()));
        let robot = Robot::from_urdf(ARM).unwrap();
        assert_eq!(positions.apply(&robot), Ok(vec![1.5, 3.0]));
        assert_eq!(NamedPositions::default().apply(&robot), Ok(vec![1.5, 3.0]));
    }

    #[test]
    fn bad_positions_say_what_is_wrong() {
        let robot = Robot::from_urdf(ARM).unwrap();
        let message = |text: &str| match NamedPositions::read(text) {
            Ok(positions) => positions.apply(&robot).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(message("no/such/file.yaml").starts_with("'no/such/file.yaml' must map joint names to positions"));
        assert_eq!(
            message("{wrist: 1}"),
            "'wrist' is not a movable joint of the robot; its movable joints are: shoulder, elbow"
        );
        assert!(message("{shoulder: 3}").starts_with("3 is outside the limits of joint 'shoulder'"));
        assert!(message("{shoulder: .nan}").starts_with("NaN is outside the limits"));
    }
}
