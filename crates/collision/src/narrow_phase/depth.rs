//! Penetration depth by the expanding polytope algorithm (van den Bergen 2001, "Proximity queries and penetration depth
//! computation on 3D game objects").

use std::fmt;

use nalgebra::Vector3;
use parry3d_f64::math::{Pose, Vector as Point};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};

use super::Contact;
use crate::shapes::PlacedShape;
use crate::shapes::hull::ConvexBound;
use crate::shapes::transform::{Transform, point, vector};

/// Computes penetration depths, with memory for repeated use.
#[derive(Default)]
pub(crate) struct Depths {
    polytope: EPA,
    simplex: VoronoiSimplex,
}

impl Depths {
    /// The deepest overlap of the convex pieces of two shapes; `None` if none overlap. `place` is the pose of the first
    /// in the frame of the second; `towards`, in the same frame, is an initial direction from the second to the first.
    pub fn of(
        &mut self,
        first: &PlacedShape,
        second: &PlacedShape,
        place: &Transform,
        towards: &Vector3<f64>,
    ) -> Option<Contact> {
        let (place, towards) = (place.pose(), point(towards));
        let mut deepest: Option<Contact> = None;
        for a in first.pieces() {
            for b in second.pieces() {
                if let Some(overlap) = self.of_pieces(a, b, &place, towards)
                    && deepest.as_ref().is_none_or(|deepest| deepest.depth < overlap.depth)
                {
                    deepest = Some(overlap);
                }
            }
        }
        deepest
    }

    fn of_pieces(&mut self, first: ConvexBound, second: ConvexBound, place: &Pose, towards: Point) -> Option<Contact> {
        let ((core_first, round_first), (core_second, round_second)) = (first.core(), second.core());
        // Cores give exact depths of rounded shapes.
        let mut rounding = round_first + round_second;
        self.simplex.reset(CsoPoint::from_shapes(place, &core_second, &core_first, towards));
        let found = match closest_points(place, &core_second, &core_first, rounding, true, &mut self.simplex) {
            GJKResult::ClosestPoints(on_second, on_first, normal) => Some((on_second, on_first, normal)),
            GJKResult::Intersection => self.polytope.closest_points(place, &core_second, &core_first, &self.simplex),
            _ => return None,
        };
        let (on_second, on_first, normal) = if let Some(found) = found {
            found
        } else {
            // Two crossing line segments span no polytope.
            rounding = first.rounding() + second.rounding();
            self.simplex.reset(CsoPoint::from_shapes(place, &second, &first, towards));
            closest_points(place, &second, &first, rounding, true, &mut self.simplex);
            self.polytope.closest_points(place, &second, &first, &self.simplex)?
        };
        let depth = rounding - (on_first - on_second).dot(normal);
        let points = [on_first, on_second].map(vector);
        (depth > 0.0 && depth.is_finite()).then(|| Contact { distance: 0.0, depth, points, normal: vector(normal) })
    }
}

impl Clone for Depths {
    /// A clone starts with empty memory: no result depends on it.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Depths {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Depths").finish_non_exhaustive()
    }
}
