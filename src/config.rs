//! What is configured in YAML, as text or as a file: postures, and the text of other such files.

use std::collections::BTreeMap;
use std::path::Path;

use thiserror::Error;

use crate::names;
use crate::robot::Robot;

/// Bytes that a file may have.
const LARGEST_FILE: u64 = 1 << 20;

/// A YAML text, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Yaml {
    /// What stands before what is said of it: the path of its file, or the text itself in quotes.
    pub place: String,
    /// The text.
    pub text: String,
}

/// A file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no such file, or it is too large: {path}")]
pub struct NoSuchFile {
    /// What was given for its path.
    pub path: String,
}

impl Yaml {
    /// The text itself, or that of the file that it is the path of.
    ///
    /// # Errors
    /// [`NoSuchFile`] where it looks like a path, but no file can be read there.
    pub fn read(text: &str) -> Result<Self, NoSuchFile> {
        if let Some(file) = read_small_file(Path::new(text)) {
            return Ok(Self { place: text.to_owned(), text: file });
        }
        let named = Path::new(text).extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        // YAML itself may hold a slash, but then also a colon and a space.
        if named || (text.contains('/') && !text.contains(": ")) {
            return Err(NoSuchFile { path: text.to_owned() });
        }
        Ok(Self { place: format!("'{text}'"), text: text.to_owned() })
    }
}

/// Positions of some joints by name \[rad or m\].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Posture(pub BTreeMap<String, f64>);

/// Why a posture was refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PostureError {
    /// Neither a YAML mapping of joint names to numbers nor a file that holds one.
    #[error("{place} must map joint names to positions, such as {{elbow: 1.57}}: {reason}")]
    NotAMapping {
        /// The text, or the path of the file.
        place: String,
        /// What the YAML reader said.
        reason: String,
    },
    /// A joint that the robot does not have.
    #[error("the robot has no movable joint '{joint}'; it has {}", names::list(joints))]
    UnknownJoint {
        /// The name given.
        joint: String,
        /// The names there are.
        joints: Vec<String>,
    },
    /// A position outside the joint's limits.
    #[error("{position} is outside the limits of joint '{joint}' or of a joint that mimics it")]
    OutsideLimits {
        /// The joint.
        joint: String,
        /// The position given \[rad or m\].
        position: f64,
    },
}

impl Posture {
    /// Reads a posture from YAML text, or from the file that the text is the path of. Empty text is the empty posture.
    ///
    /// # Errors
    /// [`PostureError::NotAMapping`].
    pub fn read(text: &str) -> Result<Self, PostureError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let refuse = |place: &str, reason: String| PostureError::NotAMapping { place: place.to_owned(), reason };
        let yaml = Yaml::read(text).map_err(|e| refuse(&format!("'{text}'"), e.to_string()))?;
        serde_yaml::from_str(&yaml.text).map(Self).map_err(|e| refuse(&yaml.place, e.to_string()))
    }

    /// The positions of the whole robot (one entry a joint) in this posture; joints not named stand where
    /// [`Robot::neutral_positions`] puts them, mimic joints follow their masters.
    ///
    /// # Errors
    /// [`PostureError`] for joints that the robot does not have, or positions outside the limits.
    pub fn apply(&self, robot: &Robot) -> Result<Vec<f64>, PostureError> {
        let mut positions = robot.neutral_positions();
        for (joint, &position) in &self.0 {
            let index = robot.movable_index(joint).ok_or_else(|| PostureError::UnknownJoint {
                joint: joint.clone(),
                joints: robot.movable_names().map(str::to_owned).collect(),
            })?;
            if !robot.domain(index).is_some_and(|domain| domain.contains(position)) {
                return Err(PostureError::OutsideLimits { joint: joint.clone(), position });
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
    if about.is_file() && about.len() <= LARGEST_FILE { std::fs::read_to_string(path).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: &str = r#"<robot name="arm"> <link name="a"/> <link name="b"/> <link name="c"/>
        <joint name="shoulder" type="revolute"> <parent link="a"/> <child link="b"/> <limit lower="1" upper="2"/> </joint>
        <joint name="elbow" type="continuous"> <parent link="b"/> <child link="c"/> <mimic joint="shoulder" multiplier="2"/> </joint>
    </robot>"#;

    #[test]
    fn a_posture_is_yaml_or_a_file_of_it() {
        let posture = Posture::read("{shoulder: 1.5}").unwrap();
        let folder = std::env::temp_dir().join(format!("urdf_ik_posture_{}", std::process::id()));
        std::fs::write(&folder, "shoulder: 1.5\n").unwrap();
        assert_eq!(Posture::read(folder.to_str().unwrap()), Ok(posture.clone()));
        std::fs::remove_file(folder).unwrap();
        assert_eq!(Posture::read(" "), Ok(Posture::default()));
        let robot = Robot::from_urdf(ARM).unwrap();
        assert_eq!(posture.apply(&robot), Ok(vec![1.5, 3.0]));
        assert_eq!(Posture::default().apply(&robot), Ok(vec![1.5, 3.0]));
    }

    #[test]
    fn bad_postures_say_what_is_wrong() {
        let robot = Robot::from_urdf(ARM).unwrap();
        let told = |text: &str| match Posture::read(text) {
            Ok(posture) => posture.apply(&robot).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(told("no/such/file.yaml").starts_with("'no/such/file.yaml' must map joint names to positions"));
        assert_eq!(told("{wrist: 1}"), "the robot has no movable joint 'wrist'; it has shoulder, elbow");
        assert!(told("{shoulder: 3}").starts_with("3 is outside the limits of joint 'shoulder'"));
        assert!(told("{shoulder: .nan}").starts_with("NaN is outside the limits"));
    }
}
