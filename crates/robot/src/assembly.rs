//! Assembles a [`Robot`] from descriptions of its joints.

use std::collections::{HashMap, HashSet};

use nalgebra::{Unit, Vector3};

use super::error::MAX_JOINTS;
use super::limit_warnings::limit_warnings;
use super::{
    Domain, Joint, JointDescription, JointKind, Link, Mimic, MimicDescription, Robot, UrdfError, working_range,
};
use urdf_ik_text::names::short;

/// Most warnings about one robot: each is a line of a log.
const MAX_WARNINGS: usize = 40;

impl Robot {
    /// Builds a robot from joint descriptions, named `name`. Its links are the parents and children of the joints, in
    /// order of first mention; its joints are in the order of `joints`.
    ///
    /// Names must be unique and numbers finite, and the joints must form one tree.
    ///
    /// # Errors
    /// [`UrdfError`] with the invalid joint and its fault.
    pub fn from_joints(name: &str, joints: &[JointDescription]) -> Result<Self, UrdfError> {
        if joints.len() > MAX_JOINTS {
            return Err(UrdfError::TooManyJoints { joints: joints.len() });
        }
        let mut links: Vec<&str> = Vec::with_capacity(joints.len() + 1);
        let mut known = HashSet::new();
        for joint in joints {
            joint.check()?;
            links.extend([joint.parent.as_str(), joint.child.as_str()].into_iter().filter(|link| known.insert(*link)));
        }
        Self::assemble(name, &links, joints)
    }

    /// The robot with these links and joints. Their numbers must have been checked.
    pub(super) fn assemble(name: &str, links: &[&str], described: &[JointDescription]) -> Result<Self, UrdfError> {
        let link_names = unique("link", links.iter().copied())?;
        let joint_names = unique("joint", described.iter().map(|joint| joint.name.as_str()))?;
        let mut joints = described.iter().map(|joint| joint_of(joint, &link_names)).collect::<Result<Vec<_>, _>>()?;
        let mut links: Vec<Link> =
            links.iter().map(|link| Link { name: (*link).to_owned(), parent_joint: None, mass: None }).collect();
        let root = connect(&mut links, &joints)?;
        let mut warnings = Vec::new();
        let mut rules = mimic_rules(described, &joints, &joint_names, &mut warnings);
        resolve_mimics(&mut rules, &mut joints, &mut warnings);
        let order = parents_first(&links, &joints, root)?;
        let followers = followers(&joints);
        let size = working_range::size(links.len(), &joints, &order);
        let name = name.to_owned();
        let mut robot = Self { name, links, joints, order, root, warnings, link_names, joint_names, followers, size };
        robot.warnings.extend(limit_warnings(&robot));
        let more = robot.warnings.len().saturating_sub(MAX_WARNINGS);
        if more > 0 {
            robot.warnings.truncate(MAX_WARNINGS);
            robot.warnings.push(format!("there are {more} more such warnings"));
        }
        Ok(robot)
    }
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

fn joint_of(described: &JointDescription, links: &HashMap<String, usize>) -> Result<Joint, UrdfError> {
    let link = |role, name: &str| {
        links.get(name).copied().ok_or_else(|| UrdfError::UnknownLink {
            joint: described.name.clone(),
            role,
            link: name.to_owned(),
        })
    };
    let axis = axis(described);
    // Without an axis it does not move.
    let kind = if axis.is_some() { described.kind } else { JointKind::Fixed };
    Ok(Joint {
        name: described.name.clone(),
        kind,
        parent: link("parent", &described.parent)?,
        child: link("child", &described.child)?,
        origin: described.origin,
        lacks_axis: axis.is_none(),
        axis: axis.unwrap_or_else(Vector3::x_axis),
        // The type of the joint decides whether it has limits, not its range: a revolute joint from 0 to
        // 0 does not move.
        domain: match kind {
            JointKind::Revolute | JointKind::Prismatic => described.domain,
            _ => Domain::Circle,
        },
        // Files have 0 and -1 in place of a limit that nobody knows.
        velocity: if kind.has_position() { described.velocity.max(0.0) } else { f64::INFINITY },
        mimic: None,
    })
}

/// The axis as a unit vector, x for joint types without an axis; `None` if its length is 0.
fn axis(described: &JointDescription) -> Option<Unit<Vector3<f64>>> {
    if !described.kind.has_position() {
        return Some(Vector3::x_axis());
    }
    // First divided by its largest entry, because the square of a very short axis would be 0.
    let largest = described.axis.amax();
    (largest > 0.0).then(|| Unit::new_normalize(described.axis / largest))
}

/// Sets the parent joint of each link. Returns the index of the root link.
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
    let roots: Vec<usize> = (0..links.len()).filter(|&link| links[link].parent_joint.is_none()).collect();
    match roots[..] {
        [root] => Ok(root),
        [] if links.is_empty() => Err(UrdfError::NoLinks),
        [] => Err(UrdfError::Cycle { links: links.iter().map(|link| link.name.clone()).collect() }),
        _ => Err(UrdfError::SeveralRoots { roots: roots.iter().map(|root| links[*root].name.clone()).collect() }),
    }
}

/// Indices of the joints, each after the joint of its parent link.
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

/// The mimic rule of each joint as described. Adds a warning for each rule that names no movable joint,
/// and drops the rule.
fn mimic_rules(
    described: &[JointDescription],
    joints: &[Joint],
    names: &HashMap<String, usize>,
    warnings: &mut Vec<String>,
) -> Vec<Option<Mimic>> {
    let mut rule = |(described, joint): (&JointDescription, &Joint)| {
        let mimic = described.mimic.as_ref().filter(|_| joint.kind.has_position())?;
        let MimicDescription { joint: master_name, multiplier, offset } = mimic;
        let master = names.get(master_name).copied().filter(|&master| joints[master].kind.has_position());
        if master.is_none() {
            warnings.push(format!(
                "joint '{}' mimics '{}', which is not a movable joint of the robot: it moves on its own",
                short(&joint.name),
                short(master_name)
            ));
        }
        Some(Mimic { master: master?, multiplier: *multiplier, offset: *offset })
    };
    described.iter().zip(joints).map(&mut rule).collect()
}

/// Gives each joint its mimic rule, followed to a joint with a position of its own. Adds a warning for each rule that
/// leads nowhere; such a rule is left out.
fn resolve_mimics(rules: &mut [Option<Mimic>], joints: &mut [Joint], warnings: &mut Vec<String>) {
    let mut is_done = vec![false; rules.len()];
    let mut is_on_path = vec![false; rules.len()];
    for start in 0..rules.len() {
        let (mut at, mut path) = (start, Vec::new());
        while let (false, false, Some(rule)) = (is_done[at], is_on_path[at], rules[at]) {
            is_on_path[at] = true;
            path.push(at);
            at = rule.master;
        }
        if is_on_path[at] {
            let first = path.iter().position(|&joint| joint == at).unwrap_or_default();
            for &joint in &path[first..] {
                rules[joint] = None;
                let name = short(&joints[joint].name);
                warnings.push(format!("joint '{name}' mimics itself, through others or alone: it moves on its own"));
            }
        }
        for index in path.into_iter().rev() {
            joints[index].mimic = rules[index].and_then(|rule| composed(rule, index, joints, warnings));
            (is_done[index], is_on_path[index]) = (true, false);
        }
    }
}

/// A rule composed with the rule of its master, if that mimics too. `None`, with a warning, if the
/// product is not finite.
fn composed(rule: Mimic, index: usize, joints: &[Joint], warnings: &mut Vec<String>) -> Option<Mimic> {
    let Some(Mimic { master, multiplier, offset }) = joints[rule.master].mimic else { return Some(rule) };
    let (multiplier, offset) = (rule.multiplier * multiplier, rule.multiplier * offset + rule.offset);
    if multiplier.is_finite() && offset.is_finite() {
        return Some(Mimic { master, multiplier, offset });
    }
    let [name, master] = [index, master].map(|joint| short(&joints[joint].name));
    warnings.push(format!("joint '{name}' mimics '{master}' by a rule that is not finite: it moves on its own"));
    None
}

/// For each joint, the joints that mimic it.
fn followers(joints: &[Joint]) -> Vec<Vec<usize>> {
    let mut followers = vec![Vec::new(); joints.len()];
    for (index, joint) in joints.iter().enumerate() {
        if let Some(mimic) = joint.mimic {
            followers[mimic.master].push(index);
        }
    }
    followers
}
