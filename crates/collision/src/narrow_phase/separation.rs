//! How far two convex shapes are apart at least, along a direction.

use fearless_simd::Simd;
use nalgebra::Vector3;
use parry3d_f64::math::{Pose, Vector as Point};
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::SupportMap;

use crate::scene::moving_joints::Frame;
use crate::shapes::hull::Hull;
use crate::shapes::pose;
use crate::shapes::solid::Solid;

/// A convex shape around another.
#[derive(Clone, Copy)]
pub(crate) enum Outline<'a> {
    Solid(&'a Solid),
    Hull(&'a Hull),
}

impl Outline<'_> {
    /// What is within this distance belongs to the shape as well \[m\].
    pub fn rounding(self) -> f64 {
        match self {
            Self::Solid(_) => 0.0,
            Self::Hull(hull) => hull.rounding,
        }
    }

    /// The point that is farthest along `direction`.
    #[inline(always)]
    fn farthest<S: Simd>(self, simd: S, direction: &Vector3<f64>) -> Vector3<f64> {
        let direction = Point::new(direction.x, direction.y, direction.z);
        let farthest = match self {
            Self::Solid(solid) => solid.local_support_point(direction),
            Self::Hull(hull) => hull.farthest(simd, direction),
        };
        farthest.to_array().into()
    }

    /// The least coordinate along `direction`, of length 1.
    #[inline(always)]
    fn least<S: Simd>(self, simd: S, direction: &Vector3<f64>) -> f64 {
        match self {
            Self::Solid(solid) => -solid.reach(direction),
            Self::Hull(hull) => hull.least(simd, direction) - hull.rounding,
        }
    }
}

impl SupportMap for Outline<'_> {
    fn local_support_point(&self, direction: Point) -> Point {
        match self {
            Self::Solid(solid) => solid.local_support_point(direction),
            Self::Hull(hull) => hull.local_support_point(direction),
        }
    }
}

/// How far `first` is beyond `second` along `direction`, of length 1. `place` is that of the first in the frame of the second, as is the
/// direction.
#[inline(always)]
pub(crate) fn separation<S: Simd>(
    simd: S,
    (first, second): (Outline, Outline),
    place: &Frame,
    direction: &Vector3<f64>,
) -> f64 {
    let turned = place.rotation.tr_mul(direction);
    first.least(simd, &turned) + place.origin.dot(direction) + second.least(simd, &-direction)
}

/// Whether `first` is farther than `margin` beyond `second` along a direction that a few steps from `direction` find (Chung and Wang 1996,
/// "Quick collision detection of polytopes in virtual environments"). `place` is that of the first in the frame of the second.
#[inline(always)]
pub(crate) fn are_apart<S: Simd>(
    simd: S,
    (first, second): (Outline, Outline),
    place: &Frame,
    direction: &Vector3<f64>,
    steps: (usize, f64),
) -> bool {
    least_overlap(simd, (first, second), place, direction, steps).is_none()
}

/// The same; where it is not proved, gives how far they are apart along the direction in which that is most of those that were tried, and the
/// direction.
#[inline(always)]
pub(crate) fn least_overlap<S: Simd>(
    simd: S,
    (first, second): (Outline, Outline),
    place: &Frame,
    direction: &Vector3<f64>,
    (steps, margin): (usize, f64),
) -> Option<(f64, Vector3<f64>)> {
    let reach = margin + first.rounding() + second.rounding();
    let mut direction = *direction;
    let mut best = (f64::NEG_INFINITY, direction);
    for _ in 0..steps {
        let nearest = place.point(&first.farthest(simd, &-place.rotation.tr_mul(&direction)));
        let apart = nearest - second.farthest(simd, &direction);
        let along = apart.dot(&direction);
        if along > reach {
            return None;
        }
        if along > best.0 {
            best = (along, direction);
        }
        let length = apart.norm_squared();
        if length == 0.0 {
            break;
        }
        // The mirror image: the next direction has these two points apart.
        direction -= apart * (2.0 * along / length);
        direction /= direction.norm();
    }
    Some(best)
}

/// A direction along which `first` is beyond `second`, looked for from `direction` on (GJK); `None` where they are within `margin`.
pub(crate) fn separating_direction(
    (first, second): (Outline, Outline),
    place: &Frame,
    direction: &Vector3<f64>,
    margin: f64,
) -> Option<Vector3<f64>> {
    let place: Pose = pose(&place.pose());
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&place, &second, &first, Point::new(direction.x, direction.y, direction.z)));
    match closest_points(&place, &second, &first, margin, false, &mut simplex) {
        GJKResult::NoIntersection(direction) => Some(Vector3::new(direction.x, direction.y, direction.z)),
        _ => None,
    }
}

/// A point of `second` that is nearest to `first`, and the direction from there to it, of length 1 (GJK); `None` where they overlap. What is
/// within their rounding does not count.
pub(crate) fn nearest_outlines(
    (first, second): (Outline, Outline),
    place: &Frame,
    direction: &Vector3<f64>,
) -> Option<(Point, Vector3<f64>)> {
    let place: Pose = pose(&place.pose());
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&place, &second, &first, Point::new(direction.x, direction.y, direction.z)));
    match closest_points(&place, &second, &first, f64::MAX, true, &mut simplex) {
        GJKResult::ClosestPoints(on_second, _, direction) => Some((on_second, direction.to_array().into())),
        _ => None,
    }
}
