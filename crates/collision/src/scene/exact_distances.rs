//! Exact distances between bodies that must not touch: pairs of links, and moving links and obstacles; and contacts
//! that no variable can resolve.

use super::moving_joints::{Body, MovingJoints};
use super::{SceneError, check_links};
use crate::links::LinkShapes;
use crate::links::distances::{BodyAt, LinkPoses};
use crate::links::pairs::Pairs;
use crate::links::srdf::Srdf;
use crate::shapes::transform::Transform;
use crate::world::World;
use urdf_ik_robot::{Chain, PositionsError, Robot};

/// Pairs of bodies whose exact distances can be queried at any link poses. Immutable.
pub struct BodyDistances<'a> {
    shapes: &'a LinkShapes,
    bodies: Vec<[Body; 2]>,
    /// The pairs, prepared for distance queries.
    sides: Vec<[DistanceBody<'a>; 2]>,
}

enum DistanceBody<'a> {
    Link(usize),
    Obstacle(BodyAt<'a>),
}

impl<'a> BodyDistances<'a> {
    /// The distances of the checked pairs of links, in their order, then of each moving link from the obstacles of
    /// `world`, sorted by name. Attached parts are excluded.
    ///
    /// # Errors
    /// [`SceneError::OtherRobot`] if `shapes` or `pairs` have a link that `robot` does not have.
    pub fn new(robot: &Robot, shapes: &'a LinkShapes, pairs: &Pairs, world: &'a World) -> Result<Self, SceneError> {
        check_links(robot, shapes, pairs)?;
        let mut all = Self { shapes, bodies: Vec::new(), sides: Vec::new() };
        for pair in &pairs.checked {
            all.bodies.push(pair.0.map(|link| Body::of_link(robot, link)));
            all.sides.push(pair.0.map(DistanceBody::Link));
        }
        for &link in &pairs.moving {
            for (id, obstacle, pose) in world.obstacles() {
                all.bodies.push([Body::of_link(robot, link), Body::Obstacle(id.to_owned())]);
                let obstacle = BodyAt { shapes: obstacle.shapes(), frame: Transform::of(pose) };
                all.sides.push([DistanceBody::Link(link), DistanceBody::Obstacle(obstacle)]);
            }
        }
        Ok(all)
    }

    /// The two bodies of each distance, in the order of [`BodyDistances::all`].
    pub fn bodies(&self) -> &[[Body; 2]] {
        &self.bodies
    }

    /// All distances \[m\], in the order of [`BodyDistances::bodies`]; 0 for bodies that touch or overlap.
    pub fn all(&self, places: &LinkPoses) -> impl ExactSizeIterator<Item = f64> {
        self.sides.iter().map(|sides| self.below(places, sides, f64::INFINITY))
    }

    /// The index in [`BodyDistances::bodies`] of the first pair with the smallest distance, and that distance \[m\];
    /// `None` without pairs.
    pub fn least(&self, places: &LinkPoses) -> Option<(usize, f64)> {
        let mut least = None;
        for (index, sides) in self.sides.iter().enumerate() {
            let bound = least.map_or(f64::INFINITY, |(_, distance)| distance);
            let distance = self.below(places, sides, bound);
            if least.is_none() || distance < bound {
                least = Some((index, distance));
            }
        }
        least
    }

    fn below(&self, places: &LinkPoses, sides: &[DistanceBody<'a>; 2], bound: f64) -> f64 {
        let at = |side: &DistanceBody<'a>| match side {
            &DistanceBody::Link(link) => self.shapes.at(places, link),
            DistanceBody::Obstacle(obstacle) => *obstacle,
        };
        at(&sides[0]).distance_below(&at(&sides[1]), bound)
    }
}

/// The two bodies of each static contact: links and obstacles that touch although no variable of `chain` moves them,
/// such as a robot base and its table. No solution can resolve such a contact, so a scene excludes these pairs. All
/// other joints are at `rest` \[rad or m\], which has one entry for each joint of `robot`.
///
/// Links that may touch are omitted: those that `srdf` allows to touch, or without an SRDF those that a joint connects.
///
/// # Errors
/// [`PositionsError`] if `rest` does not have one finite entry for each joint.
pub fn static_contacts(
    robot: &Robot,
    chain: &Chain,
    shapes: &LinkShapes,
    srdf: Option<&Srdf>,
    world: &World,
    rest: &[f64],
) -> Result<Vec<[Body; 2]>, PositionsError> {
    robot.check_positions(rest)?;
    let (_, carried) = MovingJoints::new(robot, chain, rest);
    let at = |link: usize| BodyAt { shapes: shapes.of_link(link), frame: Transform::of(&carried[link].1) };
    let standing: Vec<usize> = shapes.links().filter(|&link| carried[link].0.is_none()).collect();
    let mut contacts = Vec::new();
    for (index, &link) in standing.iter().enumerate() {
        for &other in &standing[index + 1..] {
            if at(link).touches(&at(other)) && !may_touch(robot, shapes, srdf, [link, other]) {
                contacts.push([link, other].map(|link| Body::of_link(robot, link)));
            }
        }
        for (id, obstacle, pose) in world.obstacles() {
            if at(link).touches(&BodyAt { shapes: obstacle.shapes(), frame: Transform::of(pose) }) {
                contacts.push([Body::of_link(robot, link), Body::Obstacle(id.to_owned())]);
            }
        }
    }
    Ok(contacts)
}

fn may_touch(robot: &Robot, shapes: &LinkShapes, srdf: Option<&Srdf>, [first, second]: [usize; 2]) -> bool {
    let links = robot.links();
    match srdf {
        Some(srdf) => srdf.allows(&links[first].name, &links[second].name).is_some(),
        None => is_joined(robot, shapes, first, second) || is_joined(robot, shapes, second, first),
    }
}

/// True if `link` moves relative to `above`, with no other link with a shape between them.
fn is_joined(robot: &Robot, shapes: &LinkShapes, above: usize, mut link: usize) -> bool {
    let mut moves = false;
    while let Some(joint) = robot.links()[link].parent_joint.map(|joint| &robot.joints()[joint]) {
        moves |= joint.kind.has_position();
        link = joint.parent;
        if link == above || !shapes.of_link(link).is_empty() {
            return link == above && moves;
        }
    }
    false
}
