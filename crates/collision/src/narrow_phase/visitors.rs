//! What is asked of two shapes, and what a descent through their triangles finds of it.

use std::ops::ControlFlow;

use parry3d_f64::math::{Pose, Vector as Point};
use parry3d_f64::shape::{Shape, Triangle};

use super::convex::{NearPoints, alternate, convex_nearest};

/// What is no more than this nearer than something else is not looked for \[m\]: a mesh may have a million triangles at one distance.
pub(crate) const SAME: f64 = 1e-12;
/// What is nearer by no more than this share of the room that there is, is not looked for, where that is enough to know.
const SHARE_OF_ROOM: f64 = 0.2;
/// Where no distance has to be exact, a guess is good enough if nothing is nearer than this share of it. Less makes guesses cheaper and
/// worse; with this one, yes or no takes the least time on the scenes of three arms.
const ROUGH: f64 = 0.6;
/// So many times the nearest point of a shape is looked for at most before triangles are compared.
const GUESSES: usize = 4;

/// What is known of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They are farther apart than the margin.
    Free,
    /// They are no farther apart than the margin.
    Near,
    /// Neither is proved.
    Open,
}

/// Up to where, and how exactly, distances are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// No greater ones \[m\].
    pub within: f64,
    /// Greater ones than this may be found too great, by a share of what is beyond \[m\].
    pub exact_below: f64,
}

impl Wanted {
    pub fn exact(within: f64) -> Self {
        Self { within, exact_below: f64::INFINITY }
    }

    /// Whether there is anything.
    pub fn any(within: f64) -> Self {
        Self { within, exact_below: f64::NEG_INFINITY }
    }

    /// How good a guess has to be: nothing is nearer than this share of its distance.
    pub fn share_of_guess(&self) -> f64 {
        if self.exact_below == f64::NEG_INFINITY { ROUGH } else { 1.0 }
    }

    /// What a distance that was found tells for sure \[m\].
    pub fn at_least(&self, found: f64) -> f64 {
        found - SAME - SHARE_OF_ROOM * (found - self.exact_below).max(0.0)
    }

    /// Up to where something nearer is looked for than what was found \[m\].
    pub fn nearer_than(&self, found: f64) -> f64 {
        self.within.min(self.at_least(found))
    }

    /// Points of two shapes that are near each other: the nearest of the first to a point of the second, the nearest of the second to that, and
    /// so on.
    pub fn guess(
        &self,
        on_second: Point,
        to_first: impl Fn(Point, f64) -> Option<Point>,
        to_second: impl Fn(Point, f64) -> Option<Point>,
    ) -> NearPoints {
        // Seen from the second.
        let start = NearPoints { distance: f64::INFINITY, on_first: on_second, on_second };
        let found = alternate(start, GUESSES, to_first, to_second, |least| self.at_least(least));
        NearPoints { on_first: found.on_second, on_second: found.on_first, ..found }
    }
}

/// Is told what a descent comes by, and whether it goes on.
pub(crate) trait Visitor {
    /// Something in a sphere is certainly within the margin.
    fn near_sphere(&mut self) -> ControlFlow<()>;

    /// A triangle of the first shape is within the margin of the second shape, or of a triangle of that. Gives the margin from now on \[m\].
    fn near_triangle(&mut self, triangle: &Triangle, other: &dyn Shape) -> ControlFlow<(), f64>;
}

/// Asks whether anything is within the margin.
pub(crate) struct AnyNear;

impl Visitor for AnyNear {
    fn near_sphere(&mut self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn near_triangle(&mut self, _: &Triangle, _: &dyn Shape) -> ControlFlow<(), f64> {
        ControlFlow::Break(())
    }
}

/// Asks for the nearest points.
pub(crate) struct Nearest {
    pub wanted: Wanted,
    pub found: NearPoints,
    /// What is within this distance of the second shape belongs to it as well \[m\].
    pub rounding: f64,
}

impl Visitor for Nearest {
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
        ControlFlow::Continue(self.wanted.nearer_than(self.found.distance))
    }
}
