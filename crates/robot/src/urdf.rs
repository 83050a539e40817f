//! Reads a [`Robot`] from the text of a URDF.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::error::UrdfError;
use super::joint::{Domain, Joint, JointKind, Mimic};
use super::{Link, Robot, kinematic_urdf, working_range};
use urdf_ik_text::files::{self, MAX_URDF_BYTES, ReadError};
use urdf_ik_text::names::{self, number, short};

/// Greatest number of warnings about one robot: they go to a log, line by line.
const MAX_WARNINGS: usize = 40;

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
        if text.len() > MAX_URDF_BYTES {
            return Err(UrdfError::TooLong { bytes: text.len() });
        }
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
        let mut warnings = Vec::new();
        let rules = mimic_rules(&urdf.joints, &joints, &joint_names, &mut warnings);
        resolve_mimics(&rules, &mut joints)?;
        warnings.extend(reversed_limits(&joints));
        warnings.extend(zero_velocities(&joints));
        let more = warnings.len().saturating_sub(MAX_WARNINGS);
        if more > 0 {
            warnings.truncate(MAX_WARNINGS);
            warnings.push(format!("there are {more} more such warnings"));
        }
        let order = parents_first(&links, &joints, root)?;
        let followers = followers(&joints);
        let size = working_range::size(links.len(), &joints, &order);
        Ok(Self { name: urdf.name, links, joints, order, root, warnings, link_names, joint_names, followers, size })
    }

    /// Reads a robot from a URDF file.
    ///
    /// # Errors
    /// [`UrdfError::File`] where the file is no regular file, is larger than [`MAX_URDF_BYTES`], is not UTF-8 or cannot be read; else as
    /// [`Robot::from_urdf`].
    pub fn from_urdf_file(path: impl AsRef<Path>) -> Result<Self, UrdfError> {
        Self::from_urdf(&read_urdf_file(path)?)
    }
}

/// Reads the text of a URDF file.
///
/// # Errors
/// [`ReadError`] where the file is no regular file, is larger than [`MAX_URDF_BYTES`], is not UTF-8 or cannot be read.
pub fn read_urdf_file(path: impl AsRef<Path>) -> Result<String, ReadError> {
    files::read_text(path.as_ref(), MAX_URDF_BYTES)
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
        Some(format!(
            "joint '{}' has the lower limit {} above the upper limit {}: it cannot be part of a chain",
            short(&joint.name),
            number(lower),
            number(upper)
        ))
    })
}

/// A warning where joints have the velocity limit 0, which many files have in place of the real one.
fn zero_velocities(joints: &[Joint]) -> Option<String> {
    let zero: Vec<&str> =
        joints.iter().filter(|joint| joint.velocity == 0.0).map(|joint| joint.name.as_str()).collect();
    let sentence =
        || format!("the velocity limit 0 is taken for a missing one; these joints have it: {}", names::list(&zero));
    (!zero.is_empty()).then(sentence)
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

/// The mimic rule of each joint as the URDF has it. Adds a warning for each rule that names no movable joint; such a rule is left out.
fn mimic_rules(
    urdf: &[urdf_rs::Joint],
    joints: &[Joint],
    names: &HashMap<String, usize>,
    warnings: &mut Vec<String>,
) -> Vec<Option<Mimic>> {
    let mut rule = |(urdf, joint): (&urdf_rs::Joint, &Joint)| {
        let mimic = urdf.mimic.as_ref().filter(|_| joint.kind.has_position())?;
        let master = names.get(&mimic.joint).copied().filter(|&master| joints[master].kind.has_position());
        if master.is_none() {
            warnings.push(format!(
                "joint '{}' mimics '{}', which is not a movable joint of the robot: it moves on its own",
                short(&joint.name),
                short(&mimic.joint)
            ));
        }
        let (multiplier, offset) = (mimic.multiplier.unwrap_or(1.0), mimic.offset.unwrap_or(0.0));
        Some(Mimic { master: master?, multiplier, offset })
    };
    urdf.iter().zip(joints).map(&mut rule).collect()
}

/// Gives each joint its mimic rule, followed to a joint with a position of its own.
fn resolve_mimics(rules: &[Option<Mimic>], joints: &mut [Joint]) -> Result<(), UrdfError> {
    let mut is_done = vec![false; rules.len()];
    for start in 0..rules.len() {
        let (mut at, mut path) = (start, Vec::new());
        while let (false, Some(rule)) = (is_done[at], rules[at]) {
            if path.len() == rules.len() {
                return Err(UrdfError::MimicCycle { joint: joints[at].name.clone() });
            }
            path.push((at, rule));
            at = rule.master;
        }
        for (index, rule) in path.into_iter().rev() {
            let mimic = match joints[rule.master].mimic {
                Some(Mimic { master, multiplier, offset }) => Mimic {
                    master,
                    multiplier: rule.multiplier * multiplier,
                    offset: rule.multiplier * offset + rule.offset,
                },
                None => rule,
            };
            check_finite(mimic, index, joints)?;
            joints[index].mimic = Some(mimic);
            is_done[index] = true;
        }
    }
    Ok(())
}

/// The product of finite factors may not be finite.
fn check_finite(mimic: Mimic, index: usize, joints: &[Joint]) -> Result<(), UrdfError> {
    let Mimic { master, multiplier, offset } = mimic;
    if multiplier.is_finite() && offset.is_finite() {
        return Ok(());
    }
    Err(UrdfError::Number {
        joint: joints[index].name.clone(),
        attribute: "mimic".into(),
        text: format!("{} x {} + {}", number(multiplier), short(&joints[master].name), number(offset)),
        expected: "a rule with finite numbers",
        hint: " (together with the rules of the joints that it mimics)",
    })
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
