//! Distances between links at given places.

use parry3d_f64::math::Pose;

use super::convex_distance::{convex_distance, distance_to_mesh};
use super::link_shapes::LinkShapes;
use super::mesh_distance::mesh_distance;
use super::pairs::LinkPair;
use super::places::LinkPlaces;
use super::shape::{Core, LinkShape};

/// What is no farther apart than this touches \[m\]: distances are found by iterations, which end near the true one.
pub const TOUCHING: f64 = 1e-7;

impl LinkShapes {
    /// The distance between two links \[m\]: 0 where they touch or overlap, infinite where one of them has no shape.
    #[must_use]
    pub fn distance(&self, places: &LinkPlaces, pair: LinkPair) -> f64 {
        self.distance_below(places, pair, f64::INFINITY)
    }

    /// The least distance of any of `pairs`, with the first pair that has it; `None` where there is no pair.
    #[must_use]
    pub fn least_distance(&self, places: &LinkPlaces, pairs: &[LinkPair]) -> Option<(LinkPair, f64)> {
        let first = *pairs.first()?;
        let least = (first, self.distance(places, first));
        Some(pairs[1..].iter().fold(least, |least, &pair| {
            let distance = self.distance_below(places, pair, least.1);
            if distance < least.1 { (pair, distance) } else { least }
        }))
    }

    /// The distance between two links where it is less than `bound`; else `bound`.
    fn distance_below(&self, places: &LinkPlaces, pair: LinkPair, bound: f64) -> f64 {
        let [first, second] = pair.0;
        let (at_first, at_second) = (places.of(first), places.of(second));
        let mut least = bound;
        for a in self.of_link(first) {
            for b in self.of_link(second) {
                let apart = a.bound.transform_by(at_first);
                let spheres = (at_second * b.bound.center - apart.center).length() - apart.radius - b.bound.radius;
                if spheres < least {
                    least = least.min(shape_distance(a, &(at_first * a.pose), b, &(at_second * b.pose)));
                }
            }
        }
        if least <= TOUCHING { 0.0 } else { least }
    }
}

/// The distance between two shapes at their places; 0 or less where they touch.
fn shape_distance(a: &LinkShape, at_a: &Pose, b: &LinkShape, at_b: &Pose) -> f64 {
    let pose = at_a.inv_mul(at_b);
    let of_cores = match (&a.core, &b.core) {
        (Core::Mesh(first), Core::Mesh(second)) => mesh_distance(first, second, &pose),
        (Core::Convex(first), Core::Mesh(second)) => distance_to_mesh(&**first, second, &pose),
        (Core::Mesh(first), Core::Convex(second)) => distance_to_mesh(&**second, first, &pose.inverse()),
        (Core::Convex(first), Core::Convex(second)) => convex_distance(&**first, &**second, &pose),
    };
    of_cores - a.margin - b.margin
}
