//! Reads a [`Robot`] from the text of a URDF.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::error::UrdfError;
use super::joint::{Domain, Joint, JointKind, Mimic};
use super::{Link, Robot, kinematic_urdf};

impl Robot {
    /// Reads a robot from the text of a URDF.
    ///
    /// It reads only what kinematics needs: links, joints, limits and mimic rules. Numbers must be finite, names must be unique, and the
    /// joints must form one tree. Axes are normalised. A mimic rule that names no movable joint is ignored with a
    /// [warning](Robot::warnings), as by other readers of URDF.
    ///
    /// # Errors
    /// [`UrdfError`] with the element and what is wrong with it.
    pub fn from_urdf(text: &str) -> Result<Self, UrdfError> {
        let reduced = kinematic_urdf::kinematic_part(text)?;
        let urdf = urdf_rs::read_from_string(&reduced).map_err(|e| UrdfError::Reader { reason: e.to_string() })?;
        let link_names = unique("link", urdf.links.iter().map(|link| link.name.as_str()))?;
        let joint_names = unique("joint", urdf.joints.iter().map(|joint| joint.name.as_str()))?;
        let mut joints = Vec::with_capacity(urdf.joints.len());
        for joint in &urdf.joints {
            joints.push(convert(joint, &link_names)?);
        }
        let mut links: Vec<Link> =
            urdf.links.iter().map(|link| Link { name: link.name.clone(), parent_joint: None }).collect();
        let root = connect(&mut links, &joints)?;
        let mut warnings = resolve_mimics(&urdf.joints, &mut joints)?;
        warnings.extend(reversed_limits(&joints));
        let order = parents_first(&links, &joints, root)?;
        let followers = followers(&joints);
        Ok(Self { name: urdf.name, links, joints, order, root, warnings, link_names, joint_names, followers })
    }

    /// Reads a robot from a URDF file.
    ///
    /// Bytes that are not UTF-8 are replaced: old files have them in comments.
    ///
    /// # Errors
    /// [`UrdfError::File`] where the file cannot be read, else as [`Robot::from_urdf`].
    pub fn from_urdf_file(path: impl AsRef<Path>) -> Result<Self, UrdfError> {
        Self::from_urdf(&read_urdf_file(path)?)
    }
}

/// Reads the text of a URDF file. Bytes that are not UTF-8 are replaced.
///
/// # Errors
/// [`UrdfError::File`] where the file cannot be read.
pub fn read_urdf_file(path: impl AsRef<Path>) -> Result<String, UrdfError> {
    let path = path.as_ref();
    let bytes =
        std::fs::read(path).map_err(|e| UrdfError::File { path: path.display().to_string(), reason: e.to_string() })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The index of each name.
///
/// # Errors
/// [`UrdfError::Duplicate`] with the first name that occurs twice.
fn unique<'a>(kind: &'static str, names: impl Iterator<Item = &'a str>) -> Result<HashMap<String, usize>, UrdfError> {
    let mut index = HashMap::new();
    for (i, name) in names.enumerate() {
        if index.insert(name.to_owned(), i).is_some() {
            return Err(UrdfError::Duplicate { kind, name: name.to_owned() });
        }
    }
    Ok(index)
}

fn convert(joint: &urdf_rs::Joint, links: &HashMap<String, usize>) -> Result<Joint, UrdfError> {
    let link = |role, name: &str| {
        links.get(name).copied().ok_or_else(|| UrdfError::UnknownLink {
            joint: joint.name.clone(),
            role,
            link: name.to_owned(),
        })
    };
    let kind = match joint.joint_type {
        urdf_rs::JointType::Revolute => JointKind::Revolute,
        urdf_rs::JointType::Continuous => JointKind::Continuous,
        urdf_rs::JointType::Prismatic => JointKind::Prismatic,
        urdf_rs::JointType::Floating => JointKind::Floating,
        urdf_rs::JointType::Planar => JointKind::Planar,
        // urdf-rs has a spherical type that URDF does not have: it was refused before.
        urdf_rs::JointType::Fixed | urdf_rs::JointType::Spherical => JointKind::Fixed,
    };
    let [x, y, z] = joint.origin.xyz.0;
    // Roll, pitch and yaw of URDF are rotations about the fixed axes x, y, z in this order, like the Euler angles of nalgebra.
    let [roll, pitch, yaw] = joint.origin.rpy.0;
    let origin = Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_euler_angles(roll, pitch, yaw));
    Ok(Joint {
        name: joint.name.clone(),
        kind,
        parent: link("parent", &joint.parent.link)?,
        child: link("child", &joint.child.link)?,
        origin,
        axis: axis(joint, kind)?,
        domain: domain(joint, kind),
        velocity: if kind.has_position() { joint.limit.velocity } else { f64::INFINITY },
        mimic: None,
    })
}

fn axis(joint: &urdf_rs::Joint, kind: JointKind) -> Result<Unit<Vector3<f64>>, UrdfError> {
    if !kind.has_position() {
        return Ok(Vector3::x_axis());
    }
    let vector = Vector3::from(joint.axis.xyz.0);
    // First divided by its largest entry, because the square of a very short axis would be 0.
    let largest = vector.amax();
    if largest == 0.0 {
        return Err(UrdfError::ZeroAxis { joint: joint.name.clone() });
    }
    Ok(Unit::new_normalize(vector / largest))
}

/// The type of the joint decides whether it has limits, not its range: a revolute joint from 0 to 0 does not move.
fn domain(joint: &urdf_rs::Joint, kind: JointKind) -> Domain {
    match kind {
        JointKind::Revolute | JointKind::Prismatic => {
            Domain::Interval { lower: joint.limit.lower, upper: joint.limit.upper }
        }
        _ => Domain::Circle,
    }
}

/// A warning for each joint whose limits allow no position. A chain with such a joint is refused, but not a robot that has one outside the
/// chain.
fn reversed_limits(joints: &[Joint]) -> impl Iterator<Item = String> + '_ {
    joints.iter().filter_map(|joint| {
        let (lower, upper) = joint.reversed_limits()?;
        let name = &joint.name;
        Some(format!(
            "joint '{name}' has the lower limit {lower} above the upper limit {upper}: it cannot be part of a chain"
        ))
    })
}

/// Gives each link its parent joint. Returns the root link.
fn connect(links: &mut [Link], joints: &[Joint]) -> Result<usize, UrdfError> {
    for (index, joint) in joints.iter().enumerate() {
        let child = &mut links[joint.child];
        if let Some(first) = child.parent_joint.replace(index) {
            return Err(UrdfError::TwoParents {
                link: child.name.clone(),
                first: joints[first].name.clone(),
                second: joint.name.clone(),
            });
        }
    }
    let names_of = |is_one: &dyn Fn(&Link) -> bool| {
        links.iter().filter(|link| is_one(link)).map(|link| link.name.clone()).collect::<Vec<_>>()
    };
    let roots = names_of(&|link| link.parent_joint.is_none());
    match roots.len() {
        1 => Ok(links.iter().position(|link| link.parent_joint.is_none()).unwrap_or_default()),
        0 if links.is_empty() => Err(UrdfError::NoLinks),
        0 => Err(UrdfError::Cycle { links: names_of(&|_| true) }),
        _ => Err(UrdfError::SeveralRoots { roots }),
    }
}

/// The joints ordered so that each comes after the joint that its parent link hangs from.
fn parents_first(links: &[Link], joints: &[Joint], root: usize) -> Result<Vec<usize>, UrdfError> {
    let mut children = vec![Vec::new(); links.len()];
    for (index, joint) in joints.iter().enumerate() {
        children[joint.parent].push(index);
    }
    let mut order = Vec::with_capacity(joints.len());
    let mut open = vec![root];
    while let Some(link) = open.pop() {
        for &joint in &children[link] {
            order.push(joint);
            open.push(joints[joint].child);
        }
    }
    if order.len() == joints.len() {
        return Ok(order);
    }
    // Each link has at most one parent, so the root reaches all links but those of a loop and those below it.
    let reached: HashSet<usize> = order.iter().map(|&joint| joints[joint].child).chain([root]).collect();
    let unreached = (0..links.len()).filter(|link| !reached.contains(link)).map(|link| links[link].name.clone());
    Err(UrdfError::Cycle { links: unreached.collect() })
}

/// Follows the mimic rules to joints with a position of their own. Gives a warning for each rule that names no movable joint.
fn resolve_mimics(urdf: &[urdf_rs::Joint], joints: &mut [Joint]) -> Result<Vec<String>, UrdfError> {
    let movable: HashMap<&str, usize> =
        (0..urdf.len()).filter(|&i| joints[i].kind.has_position()).map(|i| (urdf[i].name.as_str(), i)).collect();
    let mut warnings = Vec::new();
    let rule = |index: usize| {
        let mimic = urdf[index].mimic.as_ref().filter(|_| joints[index].kind.has_position())?;
        let master = movable.get(mimic.joint.as_str()).copied();
        Some((master, mimic.multiplier.unwrap_or(1.0), mimic.offset.unwrap_or(0.0), &mimic.joint))
    };
    let mut resolved = vec![None; urdf.len()];
    for index in 0..urdf.len() {
        let (mut at, mut multiplier, mut offset) = (index, 1.0, 0.0);
        for _ in 0..=urdf.len() {
            match rule(at) {
                Some((Some(master), m, o, _)) => {
                    (at, multiplier, offset) = (master, multiplier * m, multiplier * o + offset);
                }
                Some((None, _, _, name)) if at == index => {
                    let joint = &urdf[index].name;
                    warnings.push(format!(
                        "joint '{joint}' mimics '{name}', which is not a movable joint of the robot: it moves on its own"
                    ));
                    break;
                }
                _ => break,
            }
        }
        if matches!(rule(at), Some((Some(_), ..))) {
            return Err(UrdfError::MimicCycle { joint: urdf[index].name.clone() });
        }
        if !(multiplier.is_finite() && offset.is_finite()) {
            return Err(UrdfError::Number {
                joint: urdf[index].name.clone(),
                attribute: "mimic".into(),
                text: format!("{multiplier} x {} + {offset}", urdf[at].name),
                expected: "a rule with finite numbers",
                hint: " (together with the rules of the joints that it mimics)",
            });
        }
        if at != index {
            resolved[index] = Some(Mimic { master: at, multiplier, offset });
        }
    }
    for (joint, mimic) in joints.iter_mut().zip(resolved) {
        joint.mimic = mimic;
    }
    Ok(warnings)
}

/// For each joint, those that mimic it.
fn followers(joints: &[Joint]) -> Vec<Vec<usize>> {
    let mut followers = vec![Vec::new(); joints.len()];
    for (index, joint) in joints.iter().enumerate() {
        if let Some(mimic) = joint.mimic {
            followers[mimic.master].push(index);
        }
    }
    followers
}
