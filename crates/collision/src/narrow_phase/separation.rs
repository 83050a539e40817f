//! Separating directions of convex shapes.

use fearless_simd::Simd;
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};

use crate::shapes::hull::ConvexBound;
use crate::shapes::transform::{Transform, point, vector};

/// Two convex shapes, and the pose of the first in the frame of the second, which is the frame of all directions.
#[derive(Clone, Copy)]
pub(crate) struct ConvexPair<'a> {
    pub first: ConvexBound<'a>,
    pub second: ConvexBound<'a>,
    pub place: &'a Transform,
}

impl ConvexPair<'_> {
    /// Separation \[m\] along the unit vector `direction`, positive if the first shape is entirely beyond the second.
    #[inline(always)]
    pub fn separation<S: Simd>(&self, simd: S, direction: &Vector3<f64>) -> f64 {
        let turned = self.place.rotation.tr_mul(direction);
        self.first.least(simd, &turned) + self.place.origin.dot(direction) + self.second.least(simd, &-direction)
    }

    /// True if a few steps from `direction` find a direction with a separation above `margin` \[m\] (Chung and Wang
    /// 1996, "Quick collision detection of polytopes in virtual environments").
    #[inline(always)]
    pub fn are_apart<S: Simd>(&self, simd: S, direction: &Vector3<f64>, steps: usize, margin: f64) -> bool {
        self.least_overlap(simd, direction, steps, margin).is_none()
    }

    /// The largest separation \[m\] that a few steps from `direction` find, and its direction; `None` as soon as one
    /// exceeds `margin` \[m\].
    #[inline(always)]
    pub fn least_overlap<S: Simd>(
        &self,
        simd: S,
        direction: &Vector3<f64>,
        steps: usize,
        margin: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        let reach = margin + self.first.rounding() + self.second.rounding();
        let mut direction = *direction;
        let mut best = (f64::NEG_INFINITY, direction);
        for _ in 0..steps {
            let turned = -self.place.rotation.tr_mul(&direction);
            let nearest = self.place.point(&self.first.farthest(simd, &turned));
            let apart = nearest - self.second.farthest(simd, &direction);
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
            // A reflection: the next direction separates these two points.
            direction -= apart * (2.0 * along / length);
            direction /= direction.norm();
        }
        Some(best)
    }

    /// A separating direction found by GJK, started from `direction`; `None` if the shapes are within `margin` \[m\].
    pub fn separating_direction(&self, direction: &Vector3<f64>, margin: f64) -> Option<Vector3<f64>> {
        let GJKResult::NoIntersection(direction) = self.gjk(direction, margin, false) else { return None };
        Some(vector(direction))
    }

    /// The nearest point \[m\] of the second shape, and the unit vector from that point to the first shape, both in the
    /// frame of the second; `None` if they overlap. Inflation is ignored.
    pub fn nearest(&self, direction: &Vector3<f64>) -> Option<(Point, Vector3<f64>)> {
        let found = self.gjk(direction, f64::MAX, true);
        let GJKResult::ClosestPoints(on_second, _, direction) = found else { return None };
        Some((on_second, vector(direction)))
    }

    fn gjk(&self, direction: &Vector3<f64>, margin: f64, is_exact: bool) -> GJKResult {
        let (place, mut simplex) = (self.place.pose(), VoronoiSimplex::new());
        simplex.reset(CsoPoint::from_shapes(&place, &self.second, &self.first, point(direction)));
        closest_points(&place, &self.second, &self.first, margin, is_exact, &mut simplex)
    }
}
