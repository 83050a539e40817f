//! Reads which pairs of links an SRDF allows to touch.

use std::collections::BTreeSet;
use std::path::Path;

use thiserror::Error;

use urdf_ik_robot::Robot;
use urdf_ik_robot::xml::{Element, XmlError, each_element};
use urdf_ik_text::files::{self, MAX_URDF_BYTES};
use urdf_ik_text::names::{self, sentence, short};

/// Collision settings of an SRDF: `disable_collisions`, `disable_default_collisions` and `enable_collisions` with the
/// semantics of MoveIt, and the end effectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Srdf {
    /// Pairs of links with the stated reason.
    disabled: Vec<([String; 2], String)>,
    /// Links that are allowed to touch every other link.
    disabled_by_default: Vec<String>,
    /// Exceptions from `disabled_by_default`.
    enabled: Vec<[String; 2]>,
    pub(crate) end_effectors: EndEffectors,
}

/// Why an SRDF is rejected: a file that cannot be read, text that is not an SRDF, or the SRDF of another robot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SrdfError(String);

impl From<XmlError> for SrdfError {
    fn from(error: XmlError) -> Self {
        Self(format!("the SRDF is not well-formed XML: {}", sentence(&error.reason)))
    }
}

fn not_an_srdf(found: &str) -> SrdfError {
    SrdfError(format!("the SRDF must be one <robot> element, but it has {}", short(found)))
}

impl Srdf {
    /// Parses the text of an SRDF.
    ///
    /// ```
    /// use urdf_ik_collision::Srdf;
    ///
    /// let text = r#"<robot name="arm"><disable_collisions link1="foot" link2="arm" reason="Adjacent"/></robot>"#;
    /// let srdf = Srdf::from_text(text)?;
    /// assert_eq!(srdf.allows("arm", "foot"), Some("Adjacent"));
    /// # Ok::<(), urdf_ik_collision::SrdfError>(())
    /// ```
    ///
    /// # Errors
    /// [`SrdfError`] if the text is not a valid SRDF.
    pub fn from_text(text: &str) -> Result<Self, SrdfError> {
        let mut srdf = Self::default();
        let mut is_robot = false;
        each_element(text, 3, |element| {
            match element.path().as_slice() {
                ["robot"] => is_robot = true,
                [other] => return Err(not_an_srdf(&format!("<{other}>"))),
                ["robot", kind] => srdf.note(kind, &element)?,
                ["robot", "group", kind] => srdf.end_effectors.note_in_group(kind, &element),
                _ => {}
            }
            Ok(())
        })?;
        if is_robot { Ok(srdf) } else { Err(not_an_srdf("no element")) }
    }

    /// Reads an SRDF file.
    ///
    /// # Errors
    /// [`SrdfError`] if the file cannot be read or is not a valid SRDF.
    pub fn from_file(path: &Path) -> Result<Self, SrdfError> {
        Self::from_text(&files::read_text(path, MAX_URDF_BYTES).map_err(|e| SrdfError(e.to_string()))?)
    }

    fn note(&mut self, kind: &str, element: &Element) -> Result<(), SrdfError> {
        let link = |key| {
            let name = element.get(key).map(str::to_owned);
            name.ok_or_else(|| SrdfError(format!("the SRDF has a <{kind}> without {key}")))
        };
        match kind {
            "disable_collisions" => {
                self.disabled.push(([link("link1")?, link("link2")?], attribute(element, "reason")));
            }
            "enable_collisions" => self.enabled.push([link("link1")?, link("link2")?]),
            "disable_default_collisions" => self.disabled_by_default.push(link("link")?),
            "group" => {
                self.end_effectors.groups.push(LinkGroup { name: attribute(element, "name"), ..LinkGroup::default() });
            }
            "end_effector" => self.end_effectors.named.push(attribute(element, "group")),
            "link" | "joint" => {
                let reason = format!("it is a URDF, not an SRDF, because it has <{kind}>");
                return Err(SrdfError(format!("{reason}: give the SRDF of the robot, or none")));
            }
            _ => {}
        }
        Ok(())
    }

    /// The names in the SRDF that are not links of `robot`, sorted. A few are common if a URDF was simplified.
    ///
    /// # Errors
    /// [`SrdfError`] if they are more than half of all names.
    pub fn unknown_links(&self, robot: &Robot) -> Result<Vec<String>, SrdfError> {
        let pairs = self.disabled.iter().map(|(links, _)| links).chain(&self.enabled).flatten();
        let named: BTreeSet<&String> = pairs.chain(&self.disabled_by_default).collect();
        let unknown: Vec<String> =
            named.iter().filter(|name| robot.link_index(name).is_none()).map(|name| (*name).clone()).collect();
        if 2 * unknown.len() > named.len() {
            let named = format!("of the {} links that it names", named.len());
            let (robot, unknown) = (short(robot.name()), names::list(&unknown));
            return Err(SrdfError(format!("the SRDF is of another robot: {named}, '{robot}' does not have {unknown}")));
        }
        Ok(unknown)
    }

    /// The reason why the links named `first` and `second` are allowed to touch; `None` if they are not.
    pub fn allows(&self, first: &str, second: &str) -> Option<&str> {
        let is_pair = |links: &[String; 2]| {
            (links[0] == first && links[1] == second) || (links[0] == second && links[1] == first)
        };
        if let Some((_, reason)) = self.disabled.iter().find(|(links, _)| is_pair(links)) {
            return Some(reason);
        }
        let by_default = self.disabled_by_default.iter().any(|link| link == first || link == second);
        (by_default && !self.enabled.iter().any(is_pair)).then_some("one of them may touch every link")
    }
}

/// Maximum nesting depth of groups; deeper nesting is a cycle or a mistake.
const MAX_DEPTH: usize = 8;

/// The groups of an SRDF, and which of them are end effectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EndEffectors {
    groups: Vec<LinkGroup>,
    /// Names of the groups that are end effectors.
    named: Vec<String>,
}

/// A group of links, by the names in its elements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct LinkGroup {
    name: String,
    links: Vec<String>,
    /// Joint names; each one means the joint's child link.
    joints: Vec<String>,
    /// Chains from a base link, which is excluded, to a tip link.
    chains: Vec<[String; 2]>,
    groups: Vec<String>,
}

impl EndEffectors {
    /// Records an element of the last group.
    fn note_in_group(&mut self, kind: &str, element: &Element) {
        let Some(group) = self.groups.last_mut() else { return };
        match kind {
            "link" => group.links.push(attribute(element, "name")),
            "joint" => group.joints.push(attribute(element, "name")),
            "chain" => group.chains.push([attribute(element, "base_link"), attribute(element, "tip_link")]),
            "group" => group.groups.push(attribute(element, "name")),
            _ => {}
        }
    }

    /// The links of all end effectors that contain the link of index `link`. Names unknown to the robot are ignored.
    pub(crate) fn links_with(&self, robot: &Robot, link: usize) -> BTreeSet<usize> {
        let mut beside = BTreeSet::new();
        for group in &self.named {
            let mut links = BTreeSet::new();
            self.add_links(robot, group, MAX_DEPTH, &mut links);
            if links.contains(&link) {
                beside.extend(links);
            }
        }
        beside
    }

    /// Adds the links of the named group.
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

/// An optional attribute; empty if it is missing.
fn attribute(element: &Element, name: &str) -> String {
    element.get(name).unwrap_or_default().to_owned()
}
