//! The end effectors that an SRDF names, with the links of their groups.

use std::collections::BTreeSet;

use urdf_ik_robot::Robot;
use urdf_ik_robot::xml::{Element, XmlError, each_element};

/// Groups in groups are followed so deep: deeper ones are a circle or a mistake.
const MAX_DEPTH: usize = 8;

/// The end effectors of an SRDF, and all its groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EndEffectors {
    groups: Vec<Group>,
    /// The names of the groups that are end effectors.
    hands: Vec<String>,
}

/// A group of links, by the names in its elements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Group {
    name: String,
    links: Vec<String>,
    /// Each stands for its child link.
    joints: Vec<String>,
    /// From a base link, which is not part of it, to a tip link.
    chains: Vec<[String; 2]>,
    groups: Vec<String>,
}

impl EndEffectors {
    /// The end effectors in the text of an SRDF.
    ///
    /// # Errors
    /// [`XmlError`] where the text is no XML.
    pub(super) fn of_srdf(text: &str) -> Result<Self, XmlError> {
        let mut found = Self::default();
        each_element(text, 3, |element| -> Result<(), XmlError> {
            match element.path().as_slice() {
                ["robot", "group"] => {
                    found.groups.push(Group { name: attribute(&element, "name"), ..Group::default() });
                }
                ["robot", "end_effector"] => found.hands.push(attribute(&element, "group")),
                ["robot", "group", kind] => {
                    if let Some(group) = found.groups.last_mut() {
                        group.note(kind, &element);
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The links of all end effectors that have the link of index `link`. Names that the robot does not have are left out.
    pub(super) fn links_with(&self, robot: &Robot, link: usize) -> BTreeSet<usize> {
        let mut beside = BTreeSet::new();
        for hand in &self.hands {
            let mut links = BTreeSet::new();
            self.add_links(robot, hand, MAX_DEPTH, &mut links);
            if links.contains(&link) {
                beside.extend(links);
            }
        }
        beside
    }

    /// Adds the links of the group of that name.
    fn add_links(&self, robot: &Robot, name: &str, depth: usize, links: &mut BTreeSet<usize>) {
        for group in self.groups.iter().filter(|group| group.name == name && depth > 0) {
            links.extend(group.links.iter().filter_map(|link| robot.link_index(link)));
            let joints = group.joints.iter().filter_map(|joint| robot.joint_index(joint));
            links.extend(joints.map(|joint| robot.joints()[joint].child));
            for [base, tip] in &group.chains {
                if let (Some(base), Some(tip)) = (robot.link_index(base), robot.link_index(tip)) {
                    links.extend(robot.links_up_from(tip).take_while(|&link| link != base));
                }
            }
            for inner in &group.groups {
                self.add_links(robot, inner, depth - 1, links);
            }
        }
    }
}

impl Group {
    fn note(&mut self, kind: &str, element: &Element) {
        match kind {
            "link" => self.links.push(attribute(element, "name")),
            "joint" => self.joints.push(attribute(element, "name")),
            "chain" => self.chains.push([attribute(element, "base_link"), attribute(element, "tip_link")]),
            "group" => self.groups.push(attribute(element, "name")),
            _ => {}
        }
    }
}

/// An attribute that only names something: without it, nothing has that name.
fn attribute(element: &Element, name: &str) -> String {
    element.get(name).unwrap_or_default().to_owned()
}
