//! Reduces the text of a URDF to its kinematic part.
//!
//! urdf-rs reads a whole URDF into types, and refuses it where any part is unusual: a second material in a visual, an undeclared prefix of a
//! gazebo tag, an origin without `xyz`, a limit without `velocity`. None of these matters here, and urdfdom loads such files. urdf-rs also
//! ignores numbers that it cannot parse. So the text is first reduced to the links, the joints and the kinematic children of the joints.
//! The defaults of URDF are filled in, and each number is checked.

use super::error::{MAX_JOINTS, UrdfError};
use super::xml::{Element, Writer, each_element};

/// The children of a joint that kinematics needs.
const JOINT_CHILDREN: [&str; 6] = ["origin", "parent", "child", "axis", "limit", "mimic"];

/// What the numbers of an attribute must be.
struct Expected {
    count: usize,
    are_allowed: fn(&[f64]) -> bool,
    words: &'static str,
}

const NUMBER: Expected = Expected { count: 1, are_allowed: finite, words: "a finite number" };
const VELOCITY: Expected = Expected { count: 1, are_allowed: |v| v[0] >= 0.0, words: "a number, 0 or more" };
const VECTOR: Expected = Expected { count: 3, are_allowed: finite, words: "three finite numbers" };
/// Beyond this, sums of lengths lose their meaning \[m\].
pub(super) const FARTHEST: f64 = 1e9;
const POSITION: Expected = Expected {
    count: 3,
    are_allowed: |v| v.iter().all(|length| length.abs() <= FARTHEST),
    words: "three finite numbers from -1e9 to 1e9",
};
const QUATERNION: Expected = Expected {
    count: 4,
    are_allowed: |v| (1e-9..1e9).contains(&v.iter().fold(0.0, |length: f64, part| length.hypot(*part))),
    words: "four finite numbers that are not all 0",
};

fn finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// A joint: its own attributes and the first of each kinematic child.
struct JointElement {
    own: Element,
    children: [Option<Element>; JOINT_CHILDREN.len()],
}

impl JointElement {
    fn child(&self, name: &str) -> Option<&Element> {
        JOINT_CHILDREN.iter().position(|child| *child == name).and_then(|i| self.children[i].as_ref())
    }
}

/// The parts of a URDF that are kept.
#[derive(Default)]
struct Parts {
    robot: Option<Element>,
    links: Vec<Element>,
    joints: Vec<JointElement>,
}

impl Parts {
    /// Reads the text once.
    fn read(text: &str) -> Result<Self, UrdfError> {
        let mut parts = Self::default();
        each_element(text, 3, |element| parts.note(element))?;
        Ok(parts)
    }

    fn note(&mut self, element: Element) -> Result<(), UrdfError> {
        match *element.path() {
            ["robot"] if self.robot.is_none() => self.robot = Some(element),
            [other] => {
                let place = if self.robot.is_some() { " after the end of the first" } else { "" };
                return Err(UrdfError::NotARobot { found: format!("<{other}>{place}") });
            }
            [_, "link"] => self.links.push(element),
            [_, "joint"] => self.joints.push(JointElement { own: element, children: Default::default() }),
            [_, "joint", child] => {
                let slot = JOINT_CHILDREN.iter().position(|known| *known == child);
                if let (Some(slot), Some(joint)) = (slot, self.joints.last_mut()) {
                    joint.children[slot].get_or_insert(element);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The robot, its links and its joints as a small URDF that urdf-rs can read.
///
/// # Errors
/// [`UrdfError`] where the text is not XML or not a robot, or has a number that is not valid.
pub(super) fn kinematic_part(text: &str) -> Result<String, UrdfError> {
    let parts = Parts::read(text)?;
    let Some(robot) = &parts.robot else {
        let found = if text.trim().is_empty() { "an empty text" } else { "no element" };
        return Err(UrdfError::NotARobot { found: found.into() });
    };
    if parts.joints.len() > MAX_JOINTS {
        return Err(UrdfError::TooManyJoints { joints: parts.joints.len() });
    }
    let mut out = Writer::new();
    let kept = ["name", "version"].map(|key| (key, robot.get(key).unwrap_or_default().to_owned()));
    out.open("robot", kept.iter().filter(|(key, value)| *key == "name" || !value.is_empty()).cloned());
    for link in &parts.links {
        let name = required(link, "a <link>", "name")?;
        out.empty("link", [("name", name)]);
    }
    for joint in &parts.joints {
        write_joint(&mut out, joint)?;
    }
    out.close("robot");
    Ok(out.finish())
}

fn required(element: &Element, what: &str, attribute: &'static str) -> Result<String, UrdfError> {
    match element.get(attribute) {
        Some(value) => Ok(value.to_owned()),
        None => Err(UrdfError::Missing { element: what.into(), missing: attribute }),
    }
}

fn write_joint(out: &mut Writer, joint: &JointElement) -> Result<(), UrdfError> {
    let name = required(&joint.own, "a <joint>", "name")?;
    let kind = required(&joint.own, &format!("joint '{name}'"), "type")?;
    if !["revolute", "continuous", "prismatic", "fixed", "floating", "planar"].contains(&kind.as_str()) {
        return Err(UrdfError::JointType { joint: name, found: kind });
    }
    let one_axis = ["revolute", "continuous", "prismatic"].contains(&kind.as_str());
    let bounded = one_axis && kind != "continuous";
    out.open("joint", [("name", name.clone()), ("type", kind.clone())]);
    write_origin(out, &name, joint.child("origin"))?;
    for role in ["parent", "child"] {
        let missing = if role == "parent" { "<parent link=…>" } else { "<child link=…>" };
        let link = joint.child(role).and_then(|e| e.get("link"));
        let link = link.ok_or_else(|| UrdfError::Missing { element: format!("joint '{name}'"), missing })?;
        out.empty(role, [("link", link.to_owned())]);
    }
    if one_axis {
        // Without an axis element URDF means the x axis.
        let axis = numbers(&name, joint.child("axis"), "axis", "xyz", "1 0 0", &VECTOR)?;
        out.empty("axis", [("xyz", axis)]);
        write_limit(out, &name, joint.child("limit"), bounded)?;
        write_mimic(out, &name, joint.child("mimic"))?;
    }
    if bounded && joint.child("limit").is_none() {
        let kind = if kind == "revolute" { "revolute" } else { "prismatic" };
        return Err(UrdfError::NoLimits { kind, joint: name });
    }
    out.close("joint");
    Ok(())
}

fn write_origin(out: &mut Writer, joint: &str, origin: Option<&Element>) -> Result<(), UrdfError> {
    let mut attributes = vec![("xyz", numbers(joint, origin, "origin", "xyz", "0 0 0", &POSITION)?)];
    let has = |key| origin.is_some_and(|e| e.get(key).is_some());
    // The URDF version decides which of the two is used. urdf-rs knows that.
    if has("quat_xyzw") {
        attributes.push(("quat_xyzw", numbers(joint, origin, "origin", "quat_xyzw", "", &QUATERNION)?));
    }
    if has("rpy") || !has("quat_xyzw") {
        attributes.push(("rpy", numbers(joint, origin, "origin", "rpy", "0 0 0", &VECTOR)?));
    }
    out.empty("origin", attributes);
    Ok(())
}

fn write_limit(out: &mut Writer, joint: &str, limit: Option<&Element>, bounded: bool) -> Result<(), UrdfError> {
    let mut attributes = Vec::new();
    if bounded {
        for key in ["lower", "upper"] {
            attributes.push((key, numbers(joint, limit, "limit", key, "0", &NUMBER)?));
        }
    }
    attributes.push(("velocity", numbers(joint, limit, "limit", "velocity", "inf", &VELOCITY)?));
    out.empty("limit", attributes);
    Ok(())
}

fn write_mimic(out: &mut Writer, joint: &str, mimic: Option<&Element>) -> Result<(), UrdfError> {
    if mimic.is_some() {
        let master = mimic.and_then(|e| e.get("joint"));
        let element = || format!("<mimic> of joint '{joint}'");
        let master = master.ok_or_else(|| UrdfError::Missing { element: element(), missing: "joint" })?.to_owned();
        let multiplier = numbers(joint, mimic, "mimic", "multiplier", "1", &NUMBER)?;
        let offset = numbers(joint, mimic, "mimic", "offset", "0", &NUMBER)?;
        out.empty("mimic", [("joint", master), ("multiplier", multiplier), ("offset", offset)]);
    }
    Ok(())
}

/// The text of the attribute, after a check that it is the numbers `expected`.
fn numbers(
    joint: &str,
    element: Option<&Element>,
    tag: &str,
    key: &str,
    default: &str,
    expected: &Expected,
) -> Result<String, UrdfError> {
    let text = element.and_then(|e| e.get(key)).unwrap_or(default);
    let values: Option<Vec<f64>> = text.split_whitespace().map(|token| token.parse().ok()).collect();
    match values {
        Some(values) if values.len() == expected.count && (expected.are_allowed)(&values) => Ok(text.to_owned()),
        _ => Err(UrdfError::Number {
            joint: joint.to_owned(),
            attribute: format!("{tag} {key}"),
            text: text.to_owned(),
            expected: expected.words,
            hint: if text.contains("${") { " (a xacro file: expand it with xacro first)" } else { "" },
        }),
    }
}
