//! The pairs of links that may collide.

use std::fmt;

use super::LinkShapes;
use super::distances::{LinkPair, LinkPlaces};
use super::srdf::{Srdf, SrdfError};
use urdf_ik_mathematics::pseudorandom::fraction;
use urdf_ik_robot::{Chain, JointKind, Robot};
use urdf_ik_text::names::short;

/// Number of sampled configurations. A pair that touches in all of them is left out.
const SAMPLES: usize = 200;

/// Why a pair of links is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftOut {
    /// The SRDF says so, for this reason.
    Srdf(String),
    /// They are neighbours: one movable joint is between them, and no link with a shape.
    Neighbours,
    /// They touch in every sampled configuration.
    AlwaysTouch,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Srdf(reason) if reason.is_empty() => write!(f, "the SRDF gives no reason"),
            Self::Srdf(reason) => write!(f, "SRDF: {}", short(reason)),
            Self::Neighbours => write!(f, "neighbours"),
            Self::AlwaysTouch => write!(f, "they always touch"),
        }
    }
}

/// The pairs of links that have shapes and move against each other, in ascending order.
///
/// An SRDF alone decides which of them are left out. Without one these are neighbours, and what touches in every one of 200
/// configurations, which are always the same ones. No pair is left out because it was never seen to touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairs {
    /// The pairs that count.
    pub counted: Vec<LinkPair>,
    /// The pairs that are left out, and why.
    pub left_out: Vec<(LinkPair, LeftOut)>,
    /// Indices of the links with shapes that move against the root link, ascending: those may not touch obstacles.
    pub moving: Vec<usize>,
}

impl Pairs {
    /// The pairs that any joint of `robot` moves.
    ///
    /// # Errors
    /// [`SrdfError::OtherRobot`].
    pub fn of_robot(robot: &Robot, shapes: &LinkShapes, srdf: Option<&Srdf>) -> Result<Self, SrdfError> {
        let moves = robot.joints().iter().map(|joint| joint.kind.has_position()).collect();
        Self::new(&Motion { robot, moves }, shapes, srdf)
    }

    /// The pairs that the variables of `chain` move, with all joints that mimic them. The other joints stand where
    /// [`Robot::neutral_positions`] puts them.
    ///
    /// # Errors
    /// [`SrdfError::OtherRobot`].
    pub fn of_chain(robot: &Robot, chain: &Chain, shapes: &LinkShapes, srdf: Option<&Srdf>) -> Result<Self, SrdfError> {
        let moves = (0..robot.joints().len()).map(|joint| chain.moves(robot, joint)).collect();
        Self::new(&Motion { robot, moves }, shapes, srdf)
    }

    fn new(motion: &Motion, shapes: &LinkShapes, srdf: Option<&Srdf>) -> Result<Self, SrdfError> {
        if let Some(srdf) = srdf {
            srdf.unknown_links(motion.robot)?;
        }
        let always_touch = if srdf.is_none() { motion.always_touching(shapes) } else { Vec::new() };
        let links = motion.robot.links();
        let left_out = |pair: LinkPair| match srdf {
            Some(srdf) => {
                let [first, second] = pair.0.map(|link| links[link].name.as_str());
                srdf.allows(first, second).map(|reason| LeftOut::Srdf(reason.to_owned()))
            }
            None if motion.are_neighbours(shapes, pair) => Some(LeftOut::Neighbours),
            None => always_touch.binary_search(&pair).is_ok().then_some(LeftOut::AlwaysTouch),
        };
        let mut pairs = Self { counted: Vec::new(), left_out: Vec::new(), moving: motion.moving(shapes) };
        for pair in motion.pairs(shapes) {
            match left_out(pair) {
                Some(reason) => pairs.left_out.push((pair, reason)),
                None => pairs.counted.push(pair),
            }
        }
        Ok(pairs)
    }
}

/// Which joints of a robot move.
struct Motion<'a> {
    robot: &'a Robot,
    /// For each joint.
    moves: Vec<bool>,
}

impl Motion<'_> {
    /// All pairs of links with shapes that move against each other.
    fn pairs(&self, shapes: &LinkShapes) -> Vec<LinkPair> {
        let bodies = self.bodies();
        let links: Vec<usize> = shapes.links().collect();
        let pair = |i: usize, j: usize| LinkPair([links[i], links[j]]);
        let all = (0..links.len()).flat_map(|i| (i + 1..links.len()).map(move |j| (i, j)));
        all.filter(|&(i, j)| bodies[links[i]] != bodies[links[j]]).map(|(i, j)| pair(i, j)).collect()
    }

    /// The links with shapes that move against the root link.
    fn moving(&self, shapes: &LinkShapes) -> Vec<usize> {
        let bodies = self.bodies();
        shapes.links().filter(|&link| bodies[link] != self.robot.root()).collect()
    }

    /// For each link, the link that is nearest to the root and never moves against it.
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

    /// Whether one joint that is not fixed is between the links, and no other link with a shape.
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
        for sample in 0..SAMPLES {
            // Limits without measure can put a link nowhere. What touches there is not known, so no pair is left out.
            let Ok(places) = LinkPlaces::new(self.robot, &self.sample(sample)) else { return Vec::new() };
            touching.retain(|pair| {
                let [first, second] = pair.0.map(|link| shapes.at(&places, link));
                first.touches(&second)
            });
        }
        touching
    }

    /// Positions of all joints: those that move, anywhere within their working ranges.
    fn sample(&self, sample: usize) -> Vec<f64> {
        let mut positions = self.robot.neutral_positions();
        for joint in (0..positions.len()).filter(|&joint| self.moves[joint]) {
            let range = self.robot.working_range(joint);
            positions[joint] = range.at(fraction(sample, joint));
        }
        self.robot.apply_mimic(&mut positions);
        positions
    }
}
