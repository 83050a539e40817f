//! Reduces the text of a URDF to its kinematic part.
//!
//! urdf-rs reads a whole URDF into types, and refuses it where any part is unusual: a second material in a visual, an
//! undeclared prefix of a gazebo tag, an origin without `xyz`, a limit without `velocity`. None of these matters
//! here, and urdfdom loads such files. urdf-rs also ignores numbers that it cannot parse. So the text is first
//! reduced to the links, the joints and the kinematic children of the joints. The defaults of URDF are filled in, and
//! each number is checked.

use std::collections::HashMap;

use super::error::MAX_JOINTS;
use super::xml::{Element, Writer, each_element};
use super::{JointKind, UrdfError, UrdfOptions};
use urdf_ik_mathematics::segments::MAX_COORDINATE;

/// The expected numbers of an attribute.
struct Expected {
    count: usize,
    are_allowed: fn(&[f64]) -> bool,
    words: &'static str,
}

/// Of a limit or of a mimic rule.
const NUMBER: Expected = Expected { count: 1, are_allowed: finite, words: "a finite number" };
/// Of a velocity limit or a soft limit, which may be infinite.
const NUMBER_OR_INFINITE: Expected = Expected { count: 1, are_allowed: |v| !v[0].is_nan(), words: "a number" };
/// Of an axis or of roll, pitch and yaw.
const VECTOR: Expected = Expected { count: 3, are_allowed: finite, words: "three finite numbers" };
/// Of a position \[m\].
const POSITION: Expected = Expected {
    count: 3,
    are_allowed: |v| v.iter().all(|length| length.abs() <= MAX_COORDINATE),
    words: "three finite numbers from -1e9 to 1e9",
};
/// Of a rotation, of any length.
const QUATERNION: Expected = Expected {
    count: 4,
    are_allowed: |v| (1e-9..1e9).contains(&v.iter().fold(0.0, |length: f64, part| length.hypot(*part))),
    words: "four finite numbers that are not all 0",
};

fn finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// A joint: its own attributes and its children by tag, the first of each.
struct JointElement {
    own: Element,
    children: HashMap<String, Element>,
}

/// A child of a joint, which may not be there.
struct Child<'a> {
    joint: &'a str,
    tag: &'a str,
    element: Option<&'a Element>,
}

impl Child<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.element.and_then(|element| element.get(key))
    }

    /// An attribute and its text, after a check that it is the numbers `expected`.
    fn numbers<'k>(&self, key: &'k str, default: &str, expected: &Expected) -> Result<(&'k str, String), UrdfError> {
        let text = self.get(key).unwrap_or(default);
        let values: Option<Vec<f64>> = text.split_whitespace().map(|token| token.parse().ok()).collect();
        match values {
            Some(values) if values.len() == expected.count && (expected.are_allowed)(&values) => {
                Ok((key, text.to_owned()))
            }
            _ => Err(UrdfError::Number {
                joint: self.joint.to_owned(),
                attribute: format!("{} {key}", self.tag),
                text: text.to_owned(),
                expected: expected.words,
            }),
        }
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
    fn note(&mut self, element: Element) -> Result<(), UrdfError> {
        match *element.path() {
            ["robot"] if self.robot.is_none() => self.robot = Some(element),
            ["mujoco"] => return Err(UrdfError::OtherFormat { format: "MJCF, the format of MuJoCo", root: "mujoco" }),
            ["sdf"] => return Err(UrdfError::OtherFormat { format: "SDF, the format of Gazebo", root: "sdf" }),
            [other] => {
                let place = if self.robot.is_some() { " after the end of the first" } else { "" };
                return Err(UrdfError::NotARobot { found: format!("<{other}>{place}") });
            }
            [_, "link"] => self.links.push(element),
            [_, "joint"] => self.joints.push(JointElement { own: element, children: HashMap::new() }),
            [_, "joint", child] => {
                if let Some(joint) = self.joints.last_mut() {
                    joint.children.entry(child.to_owned()).or_insert(element);
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
pub(super) fn kinematic_part(text: &str, options: UrdfOptions) -> Result<String, UrdfError> {
    let mut parts = Parts::default();
    each_element(text, 3, |element| parts.note(element))?;
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
        out.empty("link", [("name", required(link.get("name"), "a <link>", "name")?)]);
    }
    for joint in &parts.joints {
        write_joint(&mut out, joint, options)?;
    }
    out.close("robot");
    Ok(out.finish())
}

/// The value of an attribute that `element` must have.
fn required(value: Option<&str>, element: &str, missing: &'static str) -> Result<String, UrdfError> {
    value.map(str::to_owned).ok_or_else(|| UrdfError::Missing { element: element.to_owned(), missing })
}

fn write_joint(out: &mut Writer, joint: &JointElement, options: UrdfOptions) -> Result<(), UrdfError> {
    let name = required(joint.own.get("name"), "a <joint>", "name")?;
    let this = format!("joint '{name}'");
    let found = required(joint.own.get("type"), &this, "type")?;
    let child = |tag| Child { joint: &name, tag, element: joint.children.get(tag) };
    let kind: JointKind = found.parse().map_err(|_| UrdfError::JointType { joint: name.clone(), found })?;
    let bounded = kind.has_position() && kind != JointKind::Continuous;
    out.open("joint", [("name", name.clone()), ("type", kind.name().to_owned())]);
    write_origin(out, &child("origin"))?;
    for (role, missing) in [("parent", "<parent link=…>"), ("child", "<child link=…>")] {
        out.empty(role, [("link", required(child(role).get("link"), &this, missing)?)]);
    }
    if kind.has_position() {
        // Without an axis element URDF means the x axis.
        out.empty("axis", [child("axis").numbers("xyz", "1 0 0", &VECTOR)?]);
        write_limit(out, &child("limit"), bounded)?;
        write_mimic(out, &child("mimic"))?;
    }
    if bounded && options.soft_limits {
        write_soft_limits(out, &child("safety_controller"))?;
    }
    if bounded && child("limit").element.is_none() {
        return Err(UrdfError::NoLimits { kind: kind.name(), joint: name });
    }
    out.close("joint");
    Ok(())
}

fn write_origin(out: &mut Writer, origin: &Child) -> Result<(), UrdfError> {
    let mut attributes = vec![origin.numbers("xyz", "0 0 0", &POSITION)?];
    let has = |key| origin.get(key).is_some();
    // The URDF version decides which of the two is used. urdf-rs knows that.
    if has("quat_xyzw") {
        attributes.push(origin.numbers("quat_xyzw", "", &QUATERNION)?);
    }
    if has("rpy") || !has("quat_xyzw") {
        attributes.push(origin.numbers("rpy", "0 0 0", &VECTOR)?);
    }
    out.empty("origin", attributes);
    Ok(())
}

fn write_limit(out: &mut Writer, limit: &Child, bounded: bool) -> Result<(), UrdfError> {
    let mut attributes = Vec::new();
    if bounded {
        attributes.extend([limit.numbers("lower", "0", &NUMBER)?, limit.numbers("upper", "0", &NUMBER)?]);
    }
    attributes.push(limit.numbers("velocity", "inf", &NUMBER_OR_INFINITE)?);
    out.empty("limit", attributes);
    Ok(())
}

fn write_soft_limits(out: &mut Writer, safety: &Child) -> Result<(), UrdfError> {
    if safety.element.is_some() {
        let lower = safety.numbers("soft_lower_limit", "-inf", &NUMBER_OR_INFINITE)?;
        let upper = safety.numbers("soft_upper_limit", "inf", &NUMBER_OR_INFINITE)?;
        // urdf-rs needs a gain.
        out.empty("safety_controller", [lower, upper, ("k_velocity", "0".to_owned())]);
    }
    Ok(())
}

fn write_mimic(out: &mut Writer, mimic: &Child) -> Result<(), UrdfError> {
    if mimic.element.is_some() {
        let master = required(mimic.get("joint"), &format!("<mimic> of joint '{}'", mimic.joint), "joint")?;
        let rule = [mimic.numbers("multiplier", "1", &NUMBER)?, mimic.numbers("offset", "0", &NUMBER)?];
        out.empty("mimic", [("joint", master)].into_iter().chain(rule));
    }
    Ok(())
}
