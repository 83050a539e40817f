//! Distances between links at given places.

use parry3d_f64::math::Pose;
use thiserror::Error;

use crate::links::LinkShapes;
use crate::links::pairs::LinkPair;
use crate::narrow_phase::convex::{convex_distance, distance_to_mesh};
use crate::narrow_phase::mesh_distance::mesh_distance;
use crate::shapes::{Core, PlacedShape, pose};
use urdf_ik_robot::Robot;
use urdf_ik_text::names::short;

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
pub(crate) fn distance_below([first, second]: [(&[PlacedShape], &Pose); 2], bound: f64) -> f64 {
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
pub(crate) fn shape_distance(a: &PlacedShape, at_a: &Pose, b: &PlacedShape, at_b: &Pose) -> f64 {
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

/// Links are no farther from the root link than this \[m\].
const FARTHEST: f64 = 1e9;

/// The poses of all links in the root link's frame.
pub struct LinkPlaces(Vec<Pose>);

/// Joint positions that put a link nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the joint positions put link '{}' farther than {FARTHEST:e} m away, or nowhere: give finite positions",
    short(link)
)]
pub struct PlacesError {
    /// The link.
    pub link: String,
}

impl LinkPlaces {
    /// The links at `positions`, which have one entry for each joint of `robot`, with those of mimic joints \[rad or m\].
    ///
    /// # Errors
    /// [`PlacesError`] for the first link whose pose is not finite, or too far away.
    pub fn new(robot: &Robot, positions: &[f64]) -> Result<Self, PlacesError> {
        let place = |(link, place): (usize, &_)| {
            let pose = pose(place);
            let is_near = pose.is_finite() && pose.translation.abs().max_element() <= FARTHEST;
            is_near.then_some(pose).ok_or_else(|| PlacesError { link: robot.links()[link].name.clone() })
        };
        robot.link_poses(positions).iter().enumerate().map(place).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn of(&self, link: usize) -> &Pose {
        &self.0[link]
    }
}
