//! Makes a [`Robot`] of descriptions of its joints, from wherever they come.

use std::collections::{HashMap, HashSet};

use nalgebra::{Unit, Vector3};

use super::error::MAX_JOINTS;
use super::{
    Domain, Joint, JointDescription, JointKind, Link, Mimic, MimicDescription, Robot, UrdfError, working_range,
};
use urdf_ik_text::names::{self, number, short};

/// Greatest number of warnings about one robot: they go to a log, line by line.
const MAX_WARNINGS: usize = 40;

impl Robot {
    /// Makes a robot of data. Its links are those that the joints name, in that order.
    ///
    /// Names must be unique, numbers finite, and the joints must form one tree.
    ///
    /// # Errors
    /// [`UrdfError`] with the joint and what is wrong with it.
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

    /// The robot of these links and joints, whose numbers have been checked.
    pub(super) fn assemble(name: &str, links: &[&str], described: &[JointDescription]) -> Result<Self, UrdfError> {
        let link_names = unique("link", links.iter().copied())?;
        let joint_names = unique("joint", described.iter().map(|joint| joint.name.as_str()))?;
        let mut joints = described.iter().map(|joint| joint_of(joint, &link_names)).collect::<Result<Vec<_>, _>>()?;
        let mut links: Vec<Link> =
            links.iter().map(|link| Link { name: (*link).to_owned(), parent_joint: None }).collect();
        let root = connect(&mut links, &joints)?;
        let mut warnings = Vec::new();
        let rules = mimic_rules(described, &joints, &joint_names, &mut warnings);
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
        let name = name.to_owned();
        Ok(Self { name, links, joints, order, root, warnings, link_names, joint_names, followers, size })
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
    let kind = described.kind;
    Ok(Joint {
        name: described.name.clone(),
        kind,
        parent: link("parent", &described.parent)?,
        child: link("child", &described.child)?,
        origin: described.origin,
        axis: axis(described)?,
        // The type of the joint decides whether it has limits, not its range: a revolute joint from 0 to 0 does not move.
        domain: match kind {
            JointKind::Revolute | JointKind::Prismatic => described.domain,
            _ => Domain::Circle,
        },
        velocity: if kind.has_position() { described.velocity } else { f64::INFINITY },
        mimic: None,
    })
}

fn axis(described: &JointDescription) -> Result<Unit<Vector3<f64>>, UrdfError> {
    if !described.kind.has_position() {
        return Ok(Vector3::x_axis());
    }
    // First divided by its largest entry, because the square of a very short axis would be 0.
    let largest = described.axis.amax();
    if largest == 0.0 {
        return Err(UrdfError::ZeroAxis { joint: described.name.clone() });
    }
    Ok(Unit::new_normalize(described.axis / largest))
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

/// The mimic rule of each joint as described. Adds a warning for each rule that names no movable joint; such a rule is left out.
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
