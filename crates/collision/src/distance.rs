//! Distances between links at given places.

use parry3d_f64::math::Pose;

use super::convex_distance::{convex_distance, distance_to_mesh};
use super::link_shapes::LinkShapes;
use super::mesh_distance::mesh_distance;
use super::pairs::LinkPair;
use super::places::LinkPlaces;
use super::shape::{Core, PlacedShape};

/// What is no farther apart than this touches \[m\]: distances are found by iterations, which end near the true one.
pub const TOUCHING: f64 = 1e-7;

impl LinkShapes {
    /// The distance between two links \[m\]: 0 where they touch or overlap, infinite where one of them has no shape.
    #[must_use]
    pub fn distance(&self, places: &LinkPlaces, pair: LinkPair) -> f64 {
        distance_below(pair.0.map(|link| (self.of_link(link), places.of(link))), f64::INFINITY)
    }
}

/// The distance between two bodies, each with its shapes at a place, where it is less than `bound`; else `bound`.
pub(super) fn distance_below([first, second]: [(&[PlacedShape], &Pose); 2], bound: f64) -> f64 {
    let ((first, at_first), (second, at_second)) = (first, second);
    let mut least = bound;
    for a in first {
        for b in second {
            let apart = a.bound.transform_by(at_first);
            let spheres = (at_second * b.bound.center - apart.center).length() - apart.radius - b.bound.radius;
            if spheres < least {
                least = least.min(shape_distance(a, &(at_first * a.pose), b, &(at_second * b.pose)));
            }
        }
    }
    if least <= TOUCHING { 0.0 } else { least }
}

/// The distance between two shapes at their places; 0 or less where they touch.
pub(super) fn shape_distance(a: &PlacedShape, at_a: &Pose, b: &PlacedShape, at_b: &Pose) -> f64 {
    let pose = at_a.inv_mul(at_b);
    let of_cores = match (&a.core, &b.core) {
        (Core::Mesh(first), Core::Mesh(second)) => mesh_distance(&first.triangles, &second.triangles, &pose),
        (Core::Convex(first), Core::Mesh(second)) => distance_to_mesh(&*first.shape, &second.triangles, &pose),
        (Core::Mesh(first), Core::Convex(second)) => {
            distance_to_mesh(&*second.shape, &first.triangles, &pose.inverse())
        }
        (Core::Convex(first), Core::Convex(second)) => convex_distance(&*first.shape, &*second.shape, &pose),
    };
    of_cores - a.margin - b.margin
}
