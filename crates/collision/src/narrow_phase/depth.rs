//! How deep two shapes are in each other: the expanding polytope algorithm (van den Bergen 2001, "Proximity queries and penetration depth
//! computation on 3D game objects").

use std::fmt;

use nalgebra::Vector3;
use parry3d_f64::math::{Pose, Vector as Point};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};

use super::Contact;
use crate::shapes::PlacedShape;
use crate::shapes::frame::{Frame, point, vector};
use crate::shapes::hull::Outline;

/// Finds depths, in memory that is kept.
#[derive(Default)]
pub(crate) struct Depths {
    polytope: EPA,
    simplex: VoronoiSimplex,
}

impl Depths {
    /// The deepest overlap of the convex pieces of two shapes; `None` where none overlap. `place` is that of the first in the frame of the
    /// second, as is `towards`, a direction in which the first may be beyond the second.
    pub fn of(
        &mut self,
        first: &PlacedShape,
        second: &PlacedShape,
        place: &Frame,
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

    fn of_pieces(&mut self, first: Outline, second: Outline, place: &Pose, towards: Point) -> Option<Contact> {
        let ((core_first, round_first), (core_second, round_second)) = (first.core(), second.core());
        // Depths of round shapes are exact by their cores.
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
            // Two lines that cross leave no polytope.
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
    /// Memory of its own: nothing is kept from one look to the next.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Depths {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Depths").finish_non_exhaustive()
    }
}
