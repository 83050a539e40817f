//! How far two convex shapes are apart at least, along a direction.

use fearless_simd::Simd;
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};

use crate::shapes::frame::{Frame, point, vector};
use crate::shapes::hull::Outline;

/// Two convex shapes, and the place of the first in the frame of the second. All directions are in that frame.
#[derive(Clone, Copy)]
pub(crate) struct ConvexPair<'a> {
    pub first: Outline<'a>,
    pub second: Outline<'a>,
    pub place: &'a Frame,
}

impl ConvexPair<'_> {
    /// How far the first is beyond the second along `direction`, of length 1.
    #[inline(always)]
    pub fn separation<S: Simd>(&self, simd: S, direction: &Vector3<f64>) -> f64 {
        let turned = self.place.rotation.tr_mul(direction);
        self.first.least(simd, &turned) + self.place.origin.dot(direction) + self.second.least(simd, &-direction)
    }

    /// Whether the first is farther than `margin` beyond the second along a direction that a few steps from `direction` find (Chung and
    /// Wang 1996, "Quick collision detection of polytopes in virtual environments").
    #[inline(always)]
    pub fn are_apart<S: Simd>(&self, simd: S, direction: &Vector3<f64>, steps: usize, margin: f64) -> bool {
        self.least_overlap(simd, direction, steps, margin).is_none()
    }

    /// How far the first is beyond the second along the direction in which that is most of those that a few steps from `direction` try, and
    /// the direction; `None` where it is farther than `margin` along one.
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
            // The mirror image: the next direction has these two points apart.
            direction -= apart * (2.0 * along / length);
            direction /= direction.norm();
        }
        Some(best)
    }

    /// A direction along which the first is beyond the second, looked for from `direction` on; `None` where they are within `margin`.
    pub fn separating_direction(&self, direction: &Vector3<f64>, margin: f64) -> Option<Vector3<f64>> {
        match self.gjk(direction, margin, false) {
            GJKResult::NoIntersection(direction) => Some(vector(direction)),
            _ => None,
        }
    }

    /// A point of the second that is nearest to the first, and the direction from there to it, of length 1; `None` where they overlap. What is
    /// within their rounding does not count.
    pub fn nearest(&self, direction: &Vector3<f64>) -> Option<(Point, Vector3<f64>)> {
        match self.gjk(direction, f64::MAX, true) {
            GJKResult::ClosestPoints(on_second, _, direction) => Some((on_second, vector(direction))),
            _ => None,
        }
    }

    fn gjk(&self, direction: &Vector3<f64>, margin: f64, is_exact: bool) -> GJKResult {
        let (place, mut simplex) = (self.place.pose(), VoronoiSimplex::new());
        simplex.reset(CsoPoint::from_shapes(&place, &self.second, &self.first, point(direction)));
        closest_points(&place, &self.second, &self.first, margin, is_exact, &mut simplex)
    }
}
