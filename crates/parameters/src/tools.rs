//! Tool offsets in YAML text or files: the pose of the tool on each tip link.

use std::collections::BTreeMap;
use std::str::FromStr;

use nalgebra::{Isometry3, Translation3};
use serde::Deserialize;

use super::config::read_map;
use super::value::Refusal;
use urdf_ik_mathematics::spatial::rotation_from;
use urdf_ik_robot::Chain;
use urdf_ik_text::names::{self, short};

/// Tool offsets by the name of the tip link: the pose of the tool in that link's frame (translation \[m\]).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tools(pub BTreeMap<String, Isometry3<f64>>);

/// A pose in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseYaml {
    /// Position \[m\].
    #[serde(default)]
    p: [f64; 3],
    /// Quaternion.
    #[serde(default = "no_rotation")]
    q_xyzw: [f64; 4],
}

fn no_rotation() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

impl FromStr for Tools {
    type Err = Refusal;

    /// Reads tool offsets from YAML text, or from the YAML file with the path `text`. An empty text has no offsets.
    ///
    /// # Errors
    /// [`Refusal`] if the text is neither a YAML mapping of tip links to poses nor the path of a file with one, or if a
    /// quaternion is not a rotation.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let expected = "tip links to poses, such as {tool0: {p: [0, 0, 0.1], q_xyzw: [0, 0, 0, 1]}}";
        let map = read_map::<PoseYaml>(text, expected)?;
        let pose = |(tip, PoseYaml { p, q_xyzw }): (String, PoseYaml)| match rotation_from(q_xyzw) {
            Ok(rotation) => Ok((tip, Isometry3::from_parts(Translation3::from(p), rotation))),
            Err(reason) => Err(Refusal(format!("the tool of '{}': {reason}", short(&tip)))),
        };
        Ok(Self(map.into_iter().map(pose).collect::<Result<_, _>>()?))
    }
}

impl Tools {
    /// The tool pose of each tip of `chain`, in the order of its tips, in the tip link's frame (translation \[m\]), for
    /// [`Chain::with_tools`]. It is the identity for tips that are not named.
    ///
    /// # Errors
    /// [`Refusal`] if a named link is not a tip of `chain`.
    pub fn of(&self, chain: &Chain) -> Result<Vec<Isometry3<f64>>, Refusal> {
        if let Some(unknown) = self.0.keys().find(|tip| chain.tip_index(tip).is_none()) {
            return Err(unknown_tip(chain, unknown));
        }
        let tool = |tip: &str| self.0.get(tip).copied().unwrap_or_else(Isometry3::identity);
        Ok(chain.tip_names().into_iter().map(tool).collect())
    }
}

/// The refusal of a `name` that is not a tip of `chain`, with the names of its tips.
pub fn unknown_tip(chain: &Chain, name: &str) -> Refusal {
    let known = names::list(&chain.tip_names());
    Refusal(format!("'{}' is not a tip link; the tip links are: {known}", short(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use urdf_ik_robot::Robot;

    const ARM: &str = r#"<robot name="arm"> <link name="a"/> <link name="b"/>
        <joint name="shoulder" type="continuous"> <parent link="a"/> <child link="b"/> </joint> </robot>"#;

    fn chain() -> Chain {
        Chain::with_defaults(&Robot::from_urdf(ARM).unwrap(), None, &[]).unwrap()
    }

    #[test]
    fn tools_are_poses_by_tip_link() {
        let chain = chain();
        let tools = Tools::from_str("{b: {p: [0, 0, 0.1]}}").unwrap();
        assert_eq!(tools.of(&chain).unwrap(), [Isometry3::translation(0.0, 0.0, 0.1)]);
        let turned = Tools::from_str("b:\n  q_xyzw: [1, 0, 0, 0]\n").unwrap().of(&chain).unwrap();
        assert_eq!(turned[0].rotation.coords.as_slice(), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(Tools::from_str(" ").unwrap().of(&chain).unwrap(), chain.tools());
    }

    #[test]
    fn bad_tools_say_what_is_wrong() {
        let message = |text: &str| Tools::from_str(text).and_then(|tools| tools.of(&chain())).unwrap_err().to_string();
        assert!(message("{b: [0, 0, 1]}").contains("must map tip links to poses"));
        assert!(message("{b: {xyz: [0, 0, 1]}}").contains("unknown field `xyz`"));
        assert!(message("no/such/file.yaml").starts_with("'no/such/file.yaml' must map tip links to poses"));
        assert!(message("{b: {p: [0, 0, 1]}, b: {}}").contains("'b' stands there twice"));
        assert!(message("{b: {q_xyzw: [0, 0, 0, 0]}}").starts_with("the tool of 'b': the orientation quaternion"));
        assert_eq!(message("{c: {}}"), "'c' is not a tip link; the tip links are: b");
    }
}
