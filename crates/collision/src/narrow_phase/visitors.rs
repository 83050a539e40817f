//! Queries for two shapes, and the visitors that collect results while triangles are traversed.

use std::ops::ControlFlow;

use parry3d_f64::math::{Pose, Vector as Point};
use parry3d_f64::shape::{Shape, Triangle};

use super::convex::{NearPoints, alternate, convex_nearest};

/// Improvements of a distance below this are ignored \[m\]: a mesh may have a million triangles at the same distance.
pub(crate) const DISTANCE_EPSILON: f64 = 1e-12;
/// Relative tolerance of distances that need not be exact.
const COARSE_TOLERANCE: f64 = 0.2;
/// For queries that need no exact distance, nothing is nearer than this fraction of an initial guess. Smaller values
/// make guesses cheaper and worse; this one minimises the time of margin tests on scenes with three arms.
const ROUGH_GUESS_RATIO: f64 = 0.6;
/// Maximum number of alternating projections before triangles are compared.
const MAX_PROJECTIONS: usize = 4;

/// Proximity of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proximity {
    /// They are farther apart than the margin.
    Apart,
    /// They are within the margin.
    Within,
    /// Not decided yet.
    Undecided,
}

/// Range and accuracy of a distance query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DistanceQuery {
    /// Largest distance of interest \[m\].
    pub within: f64,
    /// Distance \[m\] above which results may overestimate, by a fraction of the excess.
    pub exact_below: f64,
}

impl DistanceQuery {
    pub fn exact(within: f64) -> Self {
        Self { within, exact_below: f64::INFINITY }
    }

    /// A test for distances up to `within` \[m\].
    pub fn any(within: f64) -> Self {
        Self { within, exact_below: f64::NEG_INFINITY }
    }

    /// Relative accuracy of an initial guess: the true distance is at least this fraction of it.
    pub fn guess_accuracy(&self) -> f64 {
        if self.exact_below == f64::NEG_INFINITY { ROUGH_GUESS_RATIO } else { 1.0 }
    }

    /// Lower bound of the true distance \[m\] for a `found` distance \[m\].
    pub fn lower_bound(&self, found: f64) -> f64 {
        found - DISTANCE_EPSILON - COARSE_TOLERANCE * (found - self.exact_below).max(0.0)
    }

    /// The distance \[m\] below which an improvement of `found` \[m\] matters.
    pub fn improvement_bound(&self, found: f64) -> f64 {
        self.within.min(self.lower_bound(found))
    }

    /// Alternating projections from a point of the second shape: the nearest point of the first, then the point of
    /// the second nearest to that, and so on.
    pub fn guess(
        &self,
        on_second: Point,
        to_first: impl Fn(Point, f64) -> Option<Point>,
        to_second: impl Fn(Point, f64) -> Option<Point>,
    ) -> NearPoints {
        // With the roles of the shapes swapped.
        let start = NearPoints { distance: f64::INFINITY, on_first: on_second, on_second };
        let found = alternate(start, MAX_PROJECTIONS, to_first, to_second, |least| self.lower_bound(least));
        NearPoints { on_first: found.on_second, on_second: found.on_first, ..found }
    }
}

/// Receives the results of a traversal and decides whether to continue.
pub(crate) trait Visitor {
    /// The contents of a sphere are certainly within the margin.
    fn near_sphere(&mut self) -> ControlFlow<()>;

    /// A triangle of the first shape is within the margin of the second shape, or of one of its triangles. Returns the
    /// new margin \[m\].
    fn near_triangle(&mut self, triangle: &Triangle, other: &dyn Shape) -> ControlFlow<(), f64>;
}

/// Stops at the first result within the margin.
pub(crate) struct AnyVisitor;

impl Visitor for AnyVisitor {
    fn near_sphere(&mut self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn near_triangle(&mut self, _: &Triangle, _: &dyn Shape) -> ControlFlow<(), f64> {
        ControlFlow::Break(())
    }
}

/// Collects the nearest points.
pub(crate) struct NearestVisitor {
    pub query: DistanceQuery,
    pub found: NearPoints,
    /// Radius by which the second shape is inflated \[m\].
    pub rounding: f64,
}

impl Visitor for NearestVisitor {
    fn near_sphere(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn near_triangle(&mut self, triangle: &Triangle, other: &dyn Shape) -> ControlFlow<(), f64> {
        let Some([on_core, on_first]) = convex_nearest(other, triangle, &Pose::IDENTITY) else {
            self.found = NearPoints {
                distance: 0.0,
                on_first: triangle.center(),
                on_second: other.compute_local_aabb().center(),
            };
            return ControlFlow::Break(());
        };
        let apart = on_first - on_core;
        let on_second = on_core + apart.normalize_or_zero() * self.rounding;
        self.found = NearPoints { distance: (apart.length() - self.rounding).max(0.0), on_first, on_second };
        if self.found.distance <= 0.0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(self.query.improvement_bound(self.found.distance))
    }
}
