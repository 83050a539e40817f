//! Proximity of two meshes, by spheres, convex hulls and triangles.
//!
//! The distance of near meshes begins with a guess: starting at the nearest pieces, each mesh is searched for a point
//! near that of the other. Convex hulls of parts then prove along one direction that almost nothing is nearer.

use std::ops::ControlFlow;

use fearless_simd::Simd;
use nalgebra::Vector3;
use parry3d_f64::shape::Triangle;

use super::convex::NearPoints;
use super::near_triangles::{BLOCK_SIZE, PiecesInside, Region, TriangleBlock};
use super::separation::ConvexPair;
use super::visitors::{AnyVisitor, DISTANCE_EPSILON, DistanceQuery, NearestVisitor, Proximity, Visitor};
use super::{PART_SEPARATION_STEPS, placed_triangle};
use crate::shapes::hull::ConvexBound;
use crate::shapes::mesh::{ConvexPiece, Mesh, MeshPart};
use crate::shapes::transform::{Transform, point, vector};

/// Two meshes, and the pose of the first in the frame of the second.
#[derive(Clone, Copy)]
pub(crate) struct TwoMeshes<'a> {
    pub first: &'a Mesh,
    pub second: &'a Mesh,
    pub place: &'a Transform,
}

impl TwoMeshes<'_> {
    /// True if the root spheres prove that the meshes are farther apart than `margin` \[m\].
    #[inline(always)]
    pub fn are_first_spheres_apart<S: Simd>(&self, simd: S, margin: f64) -> bool {
        let (a, b) = (&self.first.spheres.octets[0], &self.second.spheres.octets[0]);
        for branch in 0..a.used.count_ones() as usize {
            let sphere = a.get(branch);
            if b.reached(simd, &self.place.point(&vector(sphere.centre)), sphere.radius + margin) != 0 {
                return false;
            }
        }
        true
    }

    /// Tests the hulls of the convex pieces against `margin` \[m\].
    #[inline(always)]
    pub fn proximity_by_pieces<S: Simd>(&self, simd: S, margin: f64) -> Proximity {
        for pair in self.piece_pairs() {
            if self.least_overlap(simd, pair, margin).is_some() {
                return Proximity::Undecided;
            }
        }
        Proximity::Apart
    }

    /// True if any two triangles are within `margin` \[m\].
    #[inline(always)]
    pub fn are_within<S: Simd>(&self, simd: S, margin: f64) -> bool {
        let query = DistanceQuery::any(margin);
        let Some(Guess { nearest, direction }) = self.guess(simd, &query) else { return false };
        nearest.distance <= margin || self.each_near(simd, &direction, margin, &mut AnyVisitor).is_break()
    }

    /// The nearest points \[m\] of the triangles in the frame of the second mesh; `None` beyond the query's distance.
    #[inline(always)]
    pub fn nearest<S: Simd>(&self, simd: S, query: DistanceQuery) -> Option<NearPoints> {
        if self.are_first_spheres_apart(simd, query.within) {
            return None;
        }
        let Guess { nearest, direction } = self.guess(simd, &query)?;
        let mut visitor = NearestVisitor { query, found: nearest, rounding: 0.0 };
        let _ = self.each_near(simd, &direction, query.improvement_bound(nearest.distance), &mut visitor);
        (visitor.found.distance <= query.within).then_some(visitor.found)
    }

    /// An initial guess of the nearest points: from those of the nearest pieces, by alternating projections. `None` if
    /// the meshes are proven to be beyond the query.
    #[inline(always)]
    fn guess<S: Simd>(&self, simd: S, query: &DistanceQuery) -> Option<Guess> {
        let (pieces, direction) = self.nearest_pieces(simd, query.within)?;
        let hulls = pieces.hulls(self.place);
        let (on_second, direction) =
            hulls.nearest(&direction).unwrap_or_else(|| (point(&pieces.second.middle), direction));
        let is_one_pair = self.first.convex_pieces.len() * self.second.convex_pieces.len() == 1;
        if is_one_pair && hulls.separation(simd, &direction) > query.within {
            return None;
        }
        let (back, share) = (self.place.inverse(), query.guess_accuracy());
        let to_first = |at, bound| {
            let near = self.first.spheres.nearest_to(&back.point(&vector(at)), bound, share)?;
            Some(point(&self.place.point(&near)))
        };
        let to_second = |at, bound| self.second.spheres.nearest_to(&vector(at), bound, share).map(|near| point(&near));
        let nearest = query.guess(on_second, to_first, to_second);
        let apart = vector(nearest.on_first - nearest.on_second).try_normalize(0.0);
        Some(Guess { nearest, direction: apart.unwrap_or(direction) })
    }

    /// All pairs of convex pieces.
    fn piece_pairs(&self) -> impl Iterator<Item = PiecePair<'_>> {
        let with_first = |first| self.second.convex_pieces.iter().map(move |second| PiecePair { first, second });
        self.first.convex_pieces.iter().flat_map(with_first)
    }

    /// The pieces that are probably nearest, and a direction from the second to the first; `None` if all are farther
    /// apart than `margin`.
    #[inline(always)]
    fn nearest_pieces<S: Simd>(&self, simd: S, margin: f64) -> Option<(PiecePair<'_>, Vector3<f64>)> {
        let mut nearest = None;
        let mut least = f64::INFINITY;
        for pair in self.piece_pairs() {
            if let Some((apart, direction)) = self.least_overlap(simd, pair, margin)
                && apart < least
            {
                (least, nearest) = (apart, Some((pair, direction)));
            }
        }
        nearest
    }

    /// The largest separation of the hulls of two pieces among the directions tried, and its direction in the frame of
    /// the second; `None` if it exceeds `margin`.
    #[inline(always)]
    fn least_overlap<S: Simd>(&self, simd: S, pair: PiecePair, margin: f64) -> Option<(f64, Vector3<f64>)> {
        let PiecePair { first, second } = pair;
        let apart = self.place.point(&first.middle) - second.middle;
        let reach = first.radius + second.radius + margin;
        if apart.norm_squared() > reach * reach {
            return None;
        }
        let direction = apart.try_normalize(0.0).unwrap_or_else(Vector3::y);
        pair.hulls(self.place).least_overlap(simd, &direction, PART_SEPARATION_STEPS, margin)
    }

    /// Calls `visitor` for pairs of triangles within the margin; the visitor may shrink the margin. A good unit
    /// `direction` from the second to the first makes this fast.
    #[inline(always)]
    fn each_near<S: Simd>(
        &self,
        simd: S,
        direction: &Vector3<f64>,
        mut margin: f64,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        for a in self.first.parts() {
            for b in self.second.parts() {
                if (MeshPartPair { first: &a, second: &b, place: self.place }).are_apart(simd, direction, margin) {
                    continue;
                }
                for a in self.first.divided(&a) {
                    for b in self.second.divided(&b) {
                        let parts = MeshPartPair { first: &a, second: &b, place: self.place };
                        if !parts.are_apart(simd, direction, margin) {
                            margin = self.each_near_of_parts(simd, &parts, direction, margin, visitor)?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// [`Self::each_near`] for two parts; returns the last margin.
    #[inline(always)]
    fn each_near_of_parts<S: Simd>(
        &self,
        simd: S,
        parts: &MeshPartPair,
        direction: &Vector3<f64>,
        mut margin: f64,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<(), f64> {
        let (back, MeshPartPair { first: a, second: b, .. }) = (self.place.inverse(), parts);
        let of_first = Region::new(simd, b.hull, &back, &(back.rotation * direction), margin);
        let of_second = Region::new(simd, a.hull, self.place, &-direction, margin);
        let mut first = PiecesInside::new(of_first, &self.first.spheres, a.children);
        loop {
            let mut block = TriangleBlock::new(direction);
            while block.length < BLOCK_SIZE
                && let Some(piece) = first.next(simd)
            {
                block.push(placed_triangle(self.place, piece));
            }
            if block.length == 0 {
                return ControlFlow::Continue(margin);
            }
            let mut second = PiecesInside::new(of_second.around(&block, margin), &self.second.spheres, b.children);
            while let Some(&[p, q, r]) = second.next(simd) {
                let second = Triangle::new(p, q, r);
                while let Some(first) = block.near(simd, &second, margin) {
                    margin = visitor.near_triangle(first, &second)?.min(margin - DISTANCE_EPSILON);
                }
            }
        }
    }
}

/// A convex piece of each mesh.
#[derive(Clone, Copy)]
struct PiecePair<'a> {
    first: &'a ConvexPiece,
    second: &'a ConvexPiece,
}

impl<'a> PiecePair<'a> {
    fn hulls(&self, place: &'a Transform) -> ConvexPair<'a> {
        ConvexPair { first: ConvexBound::Hull(&self.first.hull), second: ConvexBound::Hull(&self.second.hull), place }
    }
}

/// A part of each mesh, and the pose of the first mesh in the frame of the second.
struct MeshPartPair<'a> {
    first: &'a MeshPart<'a>,
    second: &'a MeshPart<'a>,
    place: &'a Transform,
}

impl MeshPartPair<'_> {
    /// True if they are proven farther apart than `margin`: by spheres, along `direction`, or along another direction.
    #[inline(always)]
    fn are_apart<S: Simd>(&self, simd: S, direction: &Vector3<f64>, margin: f64) -> bool {
        let (a, b) = (&self.first.sphere, &self.second.sphere);
        let apart = self.place.point(&vector(a.centre)) - vector(b.centre);
        let reach = a.radius + b.radius + margin;
        if apart.norm_squared() > reach * reach {
            return true;
        }
        let [first, second] = [self.first, self.second].map(|part| ConvexBound::Hull(part.hull));
        let hulls = ConvexPair { first, second, place: self.place };
        hulls.separation(simd, direction) > margin || {
            let direction = apart.try_normalize(0.0).unwrap_or_else(Vector3::y);
            hulls.are_apart(simd, &direction, PART_SEPARATION_STEPS, margin)
        }
    }
}

/// Points of two meshes close to each other, and a direction that probably points from the second to the first.
struct Guess {
    nearest: NearPoints,
    /// Unit vector in the frame of the second.
    direction: Vector3<f64>,
}
