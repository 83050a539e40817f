//! What touches and stays so: obstacles and links that the chain does not move, such as a table and the base on it.

use super::body::Body;
use super::distance::{TOUCHING, shape_distance};
use super::link_shapes::LinkShapes;
use super::moving_joints::MovingJoints;
use super::shape::{PlacedShape, pose};
use super::world::World;
use crate::robot::{Chain, Robot};

/// The links and obstacles that touch, although no variable of `chain` moves them: no solution parts them, so they do not count as
/// pairs. All other joints are at `rest`, which has one entry for each joint of `robot`.
#[must_use]
pub fn standing_contacts(
    robot: &Robot,
    chain: &Chain,
    shapes: &LinkShapes,
    world: &World,
    rest: &[f64],
) -> Vec<[Body; 2]> {
    let (_, carried) = MovingJoints::new(robot, chain, rest);
    let mut contacts = Vec::new();
    for link in shapes.links() {
        let (None, at_link) = &carried[link] else { continue };
        let at_link = pose(at_link);
        for (id, obstacle, at_obstacle) in world.obstacles() {
            let at_obstacle = pose(at_obstacle);
            let touch = |a: &PlacedShape, b: &PlacedShape| {
                let [sphere, other] = [a.bound.transform_by(&at_link), b.bound.transform_by(&at_obstacle)];
                (sphere.center - other.center).length() <= sphere.radius + other.radius + TOUCHING
                    && shape_distance(a, &(at_link * a.pose), b, &(at_obstacle * b.pose)) <= TOUCHING
            };
            if shapes.of_link(link).iter().any(|a| obstacle.shapes().iter().any(|b| touch(a, b))) {
                contacts.push([Body::Link(robot.links()[link].name.clone()), Body::Obstacle(id.to_owned())]);
            }
        }
    }
    contacts
}
