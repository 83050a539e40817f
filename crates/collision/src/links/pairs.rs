//! The pairs of links that may collide.

use std::fmt;

use super::LinkShapes;
use super::distances::{LinkPair, LinkPoses};
use super::srdf::{Srdf, SrdfError};
use urdf_ik_mathematics::pseudorandom::fraction;
use urdf_ik_robot::{Chain, JointKind, Robot};
use urdf_ik_text::names::short;

/// Number of sampled configurations. A pair in contact in all of them is excluded.
const SAMPLE_COUNT: usize = 200;

/// Why a pair of links is excluded from collision checks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExclusionReason {
    /// The SRDF disables the pair, for this reason.
    Srdf(String),
    /// Adjacent links: exactly one movable joint and no other link with a shape between them.
    Neighbours,
    /// The links touch in every sampled configuration.
    AlwaysTouch,
}

impl fmt::Display for ExclusionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Srdf(reason) if reason.is_empty() => write!(f, "the SRDF gives no reason"),
            Self::Srdf(reason) => write!(f, "SRDF: {}", short(reason)),
            Self::Neighbours => write!(f, "neighbours"),
            Self::AlwaysTouch => write!(f, "they always touch"),
        }
    }
}

/// The checked and the excluded pairs among all pairs of links with shapes that move relative to each other, in
/// ascending order.
///
/// If there is an SRDF, it alone determines the exclusions. Otherwise, adjacent links are excluded, and links that
/// touch in each of 200 fixed sampled configurations. A pair without any contact in these samples is still checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairs {
    /// The pairs of links to check for collisions, ascending.
    pub checked: Vec<LinkPair>,
    /// The excluded pairs with the reasons, ascending.
    pub excluded: Vec<(LinkPair, ExclusionReason)>,
    /// Indices in [`Robot::links`] of the links with shapes that move relative to the root link, ascending. These are
    /// checked against obstacles.
    pub moving: Vec<usize>,
}

impl Pairs {
    /// The pairs of links that any joint of `robot` moves relative to each other.
    ///
    /// # Errors
    /// [`SrdfError`] if more than half of the links in the SRDF do not exist in `robot`.
    pub fn of_robot(robot: &Robot, shapes: &LinkShapes, srdf: Option<&Srdf>) -> Result<Self, SrdfError> {
        let moves = robot.joints().iter().map(|joint| joint.kind.has_position()).collect();
        Self::new(&MovableJoints { robot, moves }, shapes, srdf)
    }

    /// The pairs of links that the variables of `chain` move relative to each other, directly or through mimic joints.
    /// All other joints are at [`Robot::neutral_positions`].
    ///
    /// # Errors
    /// [`SrdfError`] if more than half of the links in the SRDF do not exist in `robot`.
    pub fn of_chain(robot: &Robot, chain: &Chain, shapes: &LinkShapes, srdf: Option<&Srdf>) -> Result<Self, SrdfError> {
        let moves = (0..robot.joints().len()).map(|joint| chain.moves(robot, joint)).collect();
        Self::new(&MovableJoints { robot, moves }, shapes, srdf)
    }

    fn new(motion: &MovableJoints, shapes: &LinkShapes, srdf: Option<&Srdf>) -> Result<Self, SrdfError> {
        if let Some(srdf) = srdf {
            srdf.unknown_links(motion.robot)?;
        }
        let always_touch = if srdf.is_none() { motion.always_touching(shapes) } else { Vec::new() };
        let links = motion.robot.links();
        let left_out = |pair: LinkPair| match srdf {
            Some(srdf) => {
                let [first, second] = pair.0.map(|link| links[link].name.as_str());
                srdf.allows(first, second).map(|reason| ExclusionReason::Srdf(reason.to_owned()))
            }
            None if motion.are_neighbours(shapes, pair) => Some(ExclusionReason::Neighbours),
            None => always_touch.binary_search(&pair).is_ok().then_some(ExclusionReason::AlwaysTouch),
        };
        let mut pairs = Self { checked: Vec::new(), excluded: Vec::new(), moving: motion.moving(shapes) };
        for pair in motion.pairs(shapes) {
            match left_out(pair) {
                Some(reason) => pairs.excluded.push((pair, reason)),
                None => pairs.checked.push(pair),
            }
        }
        Ok(pairs)
    }
}

/// The joints of a robot that are free to move.
struct MovableJoints<'a> {
    robot: &'a Robot,
    /// For each joint, whether it moves.
    moves: Vec<bool>,
}

impl MovableJoints<'_> {
    /// All pairs of links with shapes that move relative to each other.
    fn pairs(&self, shapes: &LinkShapes) -> Vec<LinkPair> {
        let bodies = self.bodies();
        let links: Vec<usize> = shapes.links().collect();
        let with_later = |(i, &a): (usize, &usize)| links[i + 1..].iter().map(move |&b| LinkPair([a, b]));
        let all = links.iter().enumerate().flat_map(with_later);
        all.filter(|LinkPair([a, b])| bodies[*a] != bodies[*b]).collect()
    }

    /// The links with shapes that move relative to the root link.
    fn moving(&self, shapes: &LinkShapes) -> Vec<usize> {
        let bodies = self.bodies();
        shapes.links().filter(|&link| bodies[link] != self.robot.root()).collect()
    }

    /// For each link, the topmost link of its rigid body.
    fn bodies(&self) -> Vec<usize> {
        let links = self.robot.links();
        let body = |link: usize| {
            let above = |&link: &usize| {
                let joint = links[link].parent_joint.filter(|&joint| !self.moves[joint])?;
                Some(self.robot.joints()[joint].parent)
            };
            std::iter::successors(Some(link), above).last().unwrap_or(link)
        };
        (0..links.len()).map(body).collect()
    }

    /// True if exactly one movable joint and no other link with a shape is between the links.
    fn are_neighbours(&self, shapes: &LinkShapes, pair: LinkPair) -> bool {
        let path = self.robot.joints_between(pair.0).concat();
        let joints = self.robot.joints();
        let between = path.iter().flat_map(|&joint| [joints[joint].parent, joints[joint].child]);
        let has_shape = |link: usize| !shapes.of_link(link).is_empty() && !pair.0.contains(&link);
        path.iter().filter(|&&joint| joints[joint].kind != JointKind::Fixed).count() == 1
            && !between.into_iter().any(has_shape)
    }

    /// The pairs that touch in every sampled configuration, ascending.
    fn always_touching(&self, shapes: &LinkShapes) -> Vec<LinkPair> {
        let mut touching = self.pairs(shapes);
        for sample in 0..SAMPLE_COUNT {
            // With huge joint limits a link pose can overflow. Contact is then unknown, so no pair is excluded.
            let Ok(places) = LinkPoses::new(self.robot, &self.sample(sample)) else { return Vec::new() };
            touching.retain(|pair| {
                let [first, second] = pair.0.map(|link| shapes.at(&places, link));
                first.touches(&second)
            });
        }
        touching
    }

    /// Positions of all joints: moving ones sampled within their working ranges, the others neutral.
    fn sample(&self, sample: usize) -> Vec<f64> {
        let mut positions = self.robot.neutral_positions();
        for joint in (0..positions.len()).filter(|&joint| self.moves[joint]) {
            positions[joint] = self.robot.working_range(joint).at(fraction(sample, joint));
        }
        self.robot.apply_mimic(&mut positions);
        positions
    }
}
