//! The exact distances of all that may not touch: links from each other, and moving links from obstacles.

use parry3d_f64::math::Pose;

use super::body::Body;
use super::distance::distance_below;
use super::link_shapes::LinkShapes;
use super::pairs::Pairs;
use super::places::LinkPlaces;
use super::shape::{PlacedShape, pose};
use super::world::World;
use urdf_ik_robot::Robot;

/// Two bodies each, whose distance can be asked for at any places of the links. Constant.
pub struct BodyDistances<'a> {
    shapes: &'a LinkShapes,
    bodies: Vec<[Body; 2]>,
    /// What they are, in the same order.
    sides: Vec<[Side<'a>; 2]>,
}

enum Side<'a> {
    Link(usize),
    /// An obstacle, and its pose in the root link's frame.
    Obstacle(&'a [PlacedShape], Pose),
}

impl<'a> BodyDistances<'a> {
    /// The counted pairs of links, in their order, then each moving link with the obstacles of `world`, by name. What links carry does not
    /// count here.
    #[must_use]
    pub fn new(robot: &Robot, shapes: &'a LinkShapes, pairs: &Pairs, world: &'a World) -> Self {
        let body = |link: usize| Body::Link(robot.links()[link].name.clone());
        let mut all = Self { shapes, bodies: Vec::new(), sides: Vec::new() };
        for pair in &pairs.counted {
            all.bodies.push(pair.0.map(body));
            all.sides.push(pair.0.map(Side::Link));
        }
        for &link in &pairs.moving {
            for (id, obstacle, at) in world.obstacles() {
                all.bodies.push([body(link), Body::Obstacle(id.to_owned())]);
                all.sides.push([Side::Link(link), Side::Obstacle(obstacle.shapes(), pose(at))]);
            }
        }
        all
    }

    /// The two bodies of each distance.
    #[must_use]
    pub fn bodies(&self) -> &[[Body; 2]] {
        &self.bodies
    }

    /// All distances \[m\], in the order of [`BodyDistances::bodies`]: 0 where the two touch or overlap.
    #[must_use]
    pub fn all(&self, places: &LinkPlaces) -> impl ExactSizeIterator<Item = f64> {
        self.sides.iter().map(|sides| self.below(places, sides, f64::INFINITY))
    }

    /// The least distance \[m\], with the index of the first two bodies that have it; `None` where there are no two bodies.
    #[must_use]
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

    fn below(&self, places: &LinkPlaces, sides: &[Side; 2], bound: f64) -> f64 {
        let at = |side| match side {
            &Side::Link(link) => (self.shapes.of_link(link), places.of(link)),
            Side::Obstacle(shapes, pose) => (*shapes, pose),
        };
        distance_below([at(&sides[0]), at(&sides[1])], bound)
    }
}
