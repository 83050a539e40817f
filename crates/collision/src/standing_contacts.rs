//! What touches and stays so: links that the chain does not move, such as a table and the base on it, and obstacles.

use parry3d_f64::math::Pose;

use super::body::Body;
use super::distance::{TOUCHING, distance_below};
use super::link_shapes::LinkShapes;
use super::moving_joints::MovingJoints;
use super::shape::{PlacedShape, pose};
use super::srdf::Srdf;
use super::world::World;
use urdf_ik_robot::{Chain, Robot};

/// The links and obstacles that touch, although no variable of `chain` moves them: no solution parts them, so they do not count as
/// pairs. All other joints are at `rest`, which has one entry for each joint of `robot`.
///
/// Two links that may touch are left out: those that `srdf` allows, or without one those that a joint moves against each other.
#[must_use]
pub fn standing_contacts(
    robot: &Robot,
    chain: &Chain,
    shapes: &LinkShapes,
    srdf: Option<&Srdf>,
    world: &World,
    rest: &[f64],
) -> Vec<[Body; 2]> {
    let (_, carried) = MovingJoints::new(robot, chain, rest);
    let standing = shapes.links().filter(|&link| carried[link].0.is_none());
    let standing: Vec<(usize, Pose)> = standing.map(|link| (link, pose(&carried[link].1))).collect();
    let body = |link: usize| Body::Link(robot.links()[link].name.clone());
    let mut contacts = Vec::new();
    for (index, (link, at_link)) in standing.iter().enumerate() {
        let shapes_of_link = (shapes.of_link(*link), at_link);
        for (other, at_other) in &standing[index + 1..] {
            if touch([shapes_of_link, (shapes.of_link(*other), at_other)])
                && !may_touch(robot, shapes, srdf, [*link, *other])
            {
                contacts.push([body(*link), body(*other)]);
            }
        }
        for (id, obstacle, at_obstacle) in world.obstacles() {
            if touch([shapes_of_link, (obstacle.shapes(), &pose(at_obstacle))]) {
                contacts.push([body(*link), Body::Obstacle(id.to_owned())]);
            }
        }
    }
    contacts
}

fn touch(bodies: [(&[PlacedShape], &Pose); 2]) -> bool {
    // What is a little farther apart than what touches need not be measured.
    distance_below(bodies, 2.0 * TOUCHING) <= 0.0
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
