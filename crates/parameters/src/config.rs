//! Settings in YAML text or files, and joint positions by name.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use super::value::Refusal;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use urdf_ik_robot::Robot;
use urdf_ik_text::UniqueKeys;
use urdf_ik_text::files::{self, MAX_SETTINGS_BYTES, ReadError};
use urdf_ik_text::names::{self, number, sentence, short};
use urdf_ik_text::yaml::yaml_reader;

/// A YAML text and its source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Yaml {
    /// Source for error messages: the path of the file, or the quoted text.
    pub place: String,
    /// The YAML text.
    pub text: String,
}

impl FromStr for Yaml {
    type Err = ReadError;

    /// Takes `text` as YAML, or reads the YAML file with that path. The YAML is not parsed.
    ///
    /// # Errors
    /// [`ReadError`] if `text` is or looks like a path, and no file can be read there.
    fn from_str(text: &str) -> Result<Self, ReadError> {
        let path = Path::new(text);
        let ends_as_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        // YAML with a slash also has a colon and a space, and JSON begins with a bracket.
        let is_yaml = text.contains(": ") || text.trim_start().starts_with(['[', '{']);
        let looks_like_path = ends_as_yaml || (text.contains('/') && !is_yaml);
        if looks_like_path || path.exists() {
            return Ok(Self { place: text.to_owned(), text: files::read_text(path, MAX_SETTINGS_BYTES)? });
        }
        Ok(Self { place: format!("'{}'", short(text)), text: text.to_owned() })
    }
}

/// Reads a mapping from the YAML text `text`, or from the YAML file with that path. `expected` describes the mapping in
/// error messages. An empty text is an empty mapping.
///
/// # Errors
/// [`Refusal`] if the text is not such a mapping or repeats a key, or the file cannot be read.
pub fn read_map<T: DeserializeOwned>(text: &str, expected: &str) -> Result<BTreeMap<String, T>, Refusal> {
    if text.trim().is_empty() {
        return Ok(BTreeMap::new());
    }
    let refuse = |place: &str, reason: String| Refusal(format!("{place} must map {expected}: {}", sentence(&reason)));
    let yaml: Yaml = text.parse().map_err(|e: ReadError| refuse(&format!("'{}'", short(text)), e.to_string()))?;
    let reader = || yaml_reader(&yaml.text).map_err(|e| refuse(&yaml.place, e.to_string()));
    let map = BTreeMap::deserialize(reader()?).map_err(|e| refuse(&yaml.place, e.to_string()))?;
    UniqueKeys::deserialize(reader()?).map_err(|e| refuse(&yaml.place, e.to_string()))?;
    Ok(map)
}

/// Index among [`Robot::joints`] of the movable joint `name`.
///
/// # Errors
/// [`Refusal`] with the names of the movable joints, if `name` is not one of them.
pub fn movable_index(robot: &Robot, name: &str) -> Result<usize, Refusal> {
    robot.movable_index(name).ok_or_else(|| {
        let known: Vec<&str> = robot.movable_names().collect();
        let (name, known) = (short(name), names::list(&known));
        Refusal(format!("'{name}' is not a movable joint of the robot; its movable joints are: {known}"))
    })
}

/// Positions \[rad or m\] of some joints, by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NamedPositions(pub BTreeMap<String, f64>);

impl FromStr for NamedPositions {
    type Err = Refusal;

    /// Reads positions from YAML text, or from the YAML file with the path `text`. An empty text has no positions.
    ///
    /// # Errors
    /// [`Refusal`] if the text is neither a YAML mapping of joint names to numbers nor the path of a file with one.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        Ok(Self(read_map(text, "joint names to positions, such as {elbow: 1.57}")?))
    }
}

impl NamedPositions {
    /// The positions of the whole robot \[rad or m\], one entry per joint. Unnamed joints are at
    /// [`Robot::neutral_positions`]; mimic joints follow their masters.
    ///
    /// # Errors
    /// [`Refusal`] if a joint is unknown or a position is outside the limits.
    pub fn apply(&self, robot: &Robot) -> Result<Vec<f64>, Refusal> {
        let mut positions = robot.neutral_positions();
        for (joint, &position) in &self.0 {
            let index = movable_index(robot, joint)?;
            if !robot.domain(index).contains(position) {
                let (position, joint) = (number(position), short(joint));
                return Err(Refusal(format!("{position} is outside the limits of joint '{joint}'")));
            }
            positions[index] = position;
        }
        robot.apply_mimic(&mut positions);
        Ok(positions)
    }
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
        let positions = NamedPositions::from_str("{shoulder: 1.5}").unwrap();
        let folder = std::env::temp_dir().join(format!("urdf_ik_positions_{}", std::process::id()));
        std::fs::write(&folder, "shoulder: 1.5\n").unwrap();
        assert_eq!(NamedPositions::from_str(folder.to_str().unwrap()), Ok(positions.clone()));
        std::fs::remove_file(folder).unwrap();
        assert_eq!(NamedPositions::from_str(" "), Ok(NamedPositions::default()));
        let robot = Robot::from_urdf(ARM).unwrap();
        assert_eq!(positions.apply(&robot), Ok(vec![1.5, 3.0]));
        assert_eq!(NamedPositions::default().apply(&robot), Ok(vec![1.5, 3.0]));
    }

    #[test]
    fn bad_positions_say_what_is_wrong() {
        let robot = Robot::from_urdf(ARM).unwrap();
        let message = |text: &str| match NamedPositions::from_str(text) {
            Ok(positions) => positions.apply(&robot).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(message("no/such/file.yaml").starts_with("'no/such/file.yaml' must map joint names to positions"));
        assert_eq!(
            message("{wrist: 1}"),
            "'wrist' is not a movable joint of the robot; its movable joints are: shoulder, elbow"
        );
        assert!(message("{shoulder: 3}").starts_with("3 is outside the limits of joint 'shoulder'"));
        assert!(message("{shoulder: 1.5, elbow: 1, shoulder: 1.5}").contains("'shoulder' stands there twice"));
        assert!(message("{shoulder: .nan}").starts_with("NaN is outside the limits"));
        assert!(message("{shoulder: 1e300}").starts_with("1e300 is outside the limits"));
        assert!(message(&format!("{{{}: 1}}", "x".repeat(1000))).len() < 200);
        assert!(message(&"x".repeat(10_000)).len() < 1300);
    }

    #[test]
    fn yaml_that_would_take_long_is_refused_before_it_is_read() {
        for deep in ["{a: ", "[", "{\"]\": ", "[{"] {
            let reason = NamedPositions::from_str(&deep.repeat(50_000)).unwrap_err().to_string();
            assert!(reason.contains("brackets; at most 4096") && reason.len() < 300, "{reason}");
        }
        let long = NamedPositions::from_str(&"# ".repeat(MAX_SETTINGS_BYTES)).unwrap_err().to_string();
        assert!(long.contains("it has 2097152 bytes"), "{long}");
    }

    #[test]
    fn yaml_of_any_pieces_is_answered() {
        let pieces = [
            "a: ", "- ", "? ", "[", "]", "{", "}", ", ", "&x ", "*x ", "'", "\"", "|\n", "\n ", "\n", "#", "!!str ",
            "<<: ", "---\n", "\t", "1e999", "\u{0}", "é",
        ];
        let mut random = oorandom::Rand32::new(9);
        for _ in 0..3000 {
            let count = random.rand_range(0..80);
            let text: String = (0..count).map(|_| pieces[random.rand_range(0..23) as usize]).collect();
            let _ = NamedPositions::from_str(&text);
        }
        // Each alias expands to nine others.
        let level = |level: usize| format!("a{}: &a{} [{}]\n", level, level, format!("*a{}, ", level - 1).repeat(9));
        let laughs: String = std::iter::once("a0: &a0 [1]\n".to_owned()).chain((1..60).map(level)).collect();
        assert!(NamedPositions::from_str(&laughs).is_err());
        for steep in ["- ", "? ", "a: &b ", "'", "|\n "] {
            assert!(NamedPositions::from_str(&steep.repeat(100_000)).is_err(), "{steep}");
        }
    }
}
