//! The exact distances of all that may not touch: links from each other, and moving links from obstacles; and what touches and stays so.

use super::moving_joints::{Body, MovingJoints};
use crate::links::LinkShapes;
use crate::links::distances::{BodyAt, LinkPlaces};
use crate::links::pairs::Pairs;
use crate::links::srdf::Srdf;
use crate::shapes::frame::Frame;
use crate::world::World;
use urdf_ik_robot::{Chain, Robot};

/// Two bodies each, whose distance can be asked for at any places of the links. Constant.
pub struct BodyDistances<'a> {
    shapes: &'a LinkShapes,
    bodies: Vec<[Body; 2]>,
    /// What they are, in the same order.
    sides: Vec<[Side<'a>; 2]>,
}

enum Side<'a> {
    Link(usize),
    Obstacle(BodyAt<'a>),
}

impl<'a> BodyDistances<'a> {
    /// The counted pairs of links, in their order, then each moving link with the obstacles of `world`, by name. What links carry does not
    /// count here.
    pub fn new(robot: &Robot, shapes: &'a LinkShapes, pairs: &Pairs, world: &'a World) -> Self {
        let mut all = Self { shapes, bodies: Vec::new(), sides: Vec::new() };
        for pair in &pairs.counted {
            all.bodies.push(pair.0.map(|link| Body::of_link(robot, link)));
            all.sides.push(pair.0.map(Side::Link));
        }
        for &link in &pairs.moving {
            for (id, obstacle, pose) in world.obstacles() {
                all.bodies.push([Body::of_link(robot, link), Body::Obstacle(id.to_owned())]);
                let obstacle = BodyAt { shapes: obstacle.shapes(), frame: Frame::of(pose) };
                all.sides.push([Side::Link(link), Side::Obstacle(obstacle)]);
            }
        }
        all
    }

    /// The two bodies of each distance.
    pub fn bodies(&self) -> &[[Body; 2]] {
        &self.bodies
    }

    /// All distances \[m\], in the order of [`BodyDistances::bodies`]: 0 where the two touch or overlap.
    pub fn all(&self, places: &LinkPlaces) -> impl ExactSizeIterator<Item = f64> {
        self.sides.iter().map(|sides| self.below(places, sides, f64::INFINITY))
    }

    /// The least distance \[m\], with the index of the first two bodies that have it; `None` where there are no two bodies.
    pub fn least(&self, places: &LinkPlaces) -> Option<(usize, f64)> {
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

    fn below(&self, places: &LinkPlaces, sides: &[Side<'a>; 2], bound: f64) -> f64 {
        let at = |side: &Side<'a>| match side {
            &Side::Link(link) => self.shapes.at(places, link),
            Side::Obstacle(obstacle) => *obstacle,
        };
        at(&sides[0]).distance_below(&at(&sides[1]), bound)
    }
}

/// The links and obstacles that touch, although no variable of `chain` moves them, such as a table and the base on it: no solution parts
/// them, so they do not count as pairs. All other joints are at `rest`, which has one entry for each joint of `robot`.
///
/// Two links that may touch are left out: those that `srdf` allows, or without one those that a joint moves against each other.
pub fn standing_contacts(
    robot: &Robot,
    chain: &Chain,
    shapes: &LinkShapes,
    srdf: Option<&Srdf>,
    world: &World,
    rest: &[f64],
) -> Vec<[Body; 2]> {
    let (_, carried) = MovingJoints::new(robot, chain, rest);
    let at = |link: usize| BodyAt { shapes: shapes.of_link(link), frame: Frame::of(&carried[link].1) };
    let standing: Vec<usize> = shapes.links().filter(|&link| carried[link].0.is_none()).collect();
    let mut contacts = Vec::new();
    for (index, &link) in standing.iter().enumerate() {
        for &other in &standing[index + 1..] {
            if at(link).touches(&at(other)) && !may_touch(robot, shapes, srdf, [link, other]) {
                contacts.push([link, other].map(|link| Body::of_link(robot, link)));
            }
        }
        for (id, obstacle, pose) in world.obstacles() {
            if at(link).touches(&BodyAt { shapes: obstacle.shapes(), frame: Frame::of(pose) }) {
                contacts.push([Body::of_link(robot, link), Body::Obstacle(id.to_owned())]);
            }
        }
    }
    contacts
}

fn may_touch(robot: &Robot, shapes: &LinkShapes, srdf: Option<&Srdf>, [first, second]: [usize; 2]) -> bool {
    let links = robot.links();
    match srdf {
        Some(srdf) => srdf.allows(&links[first].name, &links[second].name).is_some(),
        None => is_joined(robot, shapes, first, second) || is_joined(robot, shapes, second, first),
    }
}

/// Whether `link` moves against `above`, with no other link with a shape between them.
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
