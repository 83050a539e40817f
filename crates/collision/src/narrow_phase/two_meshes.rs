//! What spheres, convex hulls and triangles say of two meshes.

use std::ops::ControlFlow;

use fearless_simd::Simd;
use nalgebra::Vector3;
use parry3d_f64::shape::Triangle;

use super::convex::NearPoints;
use super::near_triangles::{PiecesInside, Region, TriangleBlock};
use super::separation::ConvexPair;
use super::visitors::{AnyNear, Nearest, SAME, Verdict, Visitor, Wanted};
use super::{PART_STEPS, placed_triangle};
use crate::shapes::frame::{Frame, point, vector};
use crate::shapes::hull::Outline;
use crate::shapes::mesh::{ConvexPiece, Mesh, MeshPart};

/// Two meshes, and the place of the first in the frame of the second.
#[derive(Clone, Copy)]
pub(crate) struct TwoMeshes<'a> {
    pub first: &'a Mesh,
    pub second: &'a Mesh,
    pub place: &'a Frame,
}

impl TwoMeshes<'_> {
    /// Whether the first eight spheres of each prove that they are farther apart than `margin`.
    #[inline(always)]
    pub fn are_first_spheres_apart<S: Simd>(&self, simd: S, margin: f64) -> bool {
        let (a, b) = (&self.first.spheres.eights[0], &self.second.spheres.eights[0]);
        for branch in 0..a.used.count_ones() as usize {
            let sphere = a.get(branch);
            if b.reached(simd, &self.place.point(&vector(sphere.centre)), sphere.radius + margin) != 0 {
                return false;
            }
        }
        true
    }

    /// What the hulls of their convex pieces prove.
    #[inline(always)]
    pub fn verdict_by_pieces<S: Simd>(&self, simd: S, margin: f64) -> Verdict {
        for pair in self.piece_pairs() {
            if self.least_overlap(simd, pair, margin).is_some() {
                return Verdict::Open;
            }
        }
        Verdict::Free
    }

    /// Whether any of their triangles are no farther apart than `margin`.
    #[inline(always)]
    pub fn are_within<S: Simd>(&self, simd: S, margin: f64) -> bool {
        let wanted = Wanted::any(margin);
        let Some(Guess { nearest, direction }) = self.guess(simd, &wanted) else { return false };
        nearest.distance <= margin || self.each_near(simd, &direction, margin, &mut AnyNear).is_break()
    }

    /// The nearest points of any of their triangles, where they are wanted, in the frame of the second.
    #[inline(always)]
    pub fn nearest<S: Simd>(&self, simd: S, wanted: Wanted) -> Option<NearPoints> {
        if self.are_first_spheres_apart(simd, wanted.within) {
            return None;
        }
        let Guess { nearest, direction } = self.guess(simd, &wanted)?;
        let mut visitor = Nearest { wanted, found: nearest, rounding: 0.0 };
        let _ = self.each_near(simd, &direction, wanted.nearer_than(nearest.distance), &mut visitor);
        (visitor.found.distance <= wanted.within).then_some(visitor.found)
    }

    /// Points of both that are near each other: from the nearest points of two pieces to the nearest of one mesh, and back. `None` where the
    /// meshes are proved to be farther apart than is wanted.
    #[inline(always)]
    fn guess<S: Simd>(&self, simd: S, wanted: &Wanted) -> Option<Guess> {
        let (pieces, direction) = self.nearest_pieces(simd, wanted.within)?;
        let hulls = pieces.hulls(self.place);
        let (on_second, direction) =
            hulls.nearest(&direction).unwrap_or_else(|| (point(&pieces.second.middle), direction));
        let is_one_pair = self.first.convex_pieces.len() * self.second.convex_pieces.len() == 1;
        if is_one_pair && hulls.separation(simd, &direction) > wanted.within {
            return None;
        }
        let (back, share) = (self.place.inverse(), wanted.share_of_guess());
        let to_first = |at, bound| {
            let near = self.first.spheres.nearest_to(&back.point(&vector(at)), bound, share)?;
            Some(point(&self.place.point(&near)))
        };
        let to_second = |at, bound| self.second.spheres.nearest_to(&vector(at), bound, share).map(|near| point(&near));
        let nearest = wanted.guess(on_second, to_first, to_second);
        let apart = vector(nearest.on_first - nearest.on_second).try_normalize(0.0);
        Some(Guess { nearest, direction: apart.unwrap_or(direction) })
    }

    /// Every convex piece of the first with every one of the second.
    fn piece_pairs(&self) -> impl Iterator<Item = PiecePair<'_>> {
        let with_first = |first| self.second.convex_pieces.iter().map(move |second| PiecePair { first, second });
        self.first.convex_pieces.iter().flat_map(with_first)
    }

    /// The pieces of each that are probably nearest, and a direction in which the first is beyond the second; `None` where all are farther
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

    /// The direction, in the frame of the second, along which the hulls of two pieces overlap least of those that were tried, and how far
    /// they are apart along it; `None` where they are farther apart than `margin`.
    #[inline(always)]
    fn least_overlap<S: Simd>(&self, simd: S, pair: PiecePair, margin: f64) -> Option<(f64, Vector3<f64>)> {
        let PiecePair { first, second } = pair;
        let apart = self.place.point(&first.middle) - second.middle;
        let reach = first.radius + second.radius + margin;
        if apart.norm_squared() > reach * reach {
            return None;
        }
        let direction = apart.try_normalize(0.0).unwrap_or_else(Vector3::y);
        pair.hulls(self.place).least_overlap(simd, &direction, PART_STEPS, margin)
    }

    /// Tells `visitor` of triangles of each that are no farther apart than `margin`, and goes on with the margin that it gives. It is fast
    /// where the first is beyond the second along `direction`, of length 1.
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
                if (PartPair { first: &a, second: &b, place: self.place }).are_apart(simd, direction, margin) {
                    continue;
                }
                for a in self.first.divided(&a) {
                    for b in self.second.divided(&b) {
                        let parts = PartPair { first: &a, second: &b, place: self.place };
                        if !parts.are_apart(simd, direction, margin) {
                            margin = self.each_near_of_parts(simd, &parts, direction, margin, visitor)?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// As [`Self::each_near`] for two parts. Gives the last margin.
    #[inline(always)]
    fn each_near_of_parts<S: Simd>(
        &self,
        simd: S,
        parts: &PartPair,
        direction: &Vector3<f64>,
        mut margin: f64,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<(), f64> {
        let (back, PartPair { first: a, second: b, .. }) = (self.place.inverse(), parts);
        let of_first = Region::new(simd, b.hull, &back, &(back.rotation * direction), margin);
        let of_second = Region::new(simd, a.hull, self.place, &-direction, margin);
        let mut first = PiecesInside::new(of_first, &self.first.spheres, a.below);
        loop {
            let mut block = TriangleBlock::new(direction);
            while !block.is_full()
                && let Some(piece) = first.next(simd)
            {
                block.push(placed_triangle(self.place, piece));
            }
            if block.is_empty() {
                return ControlFlow::Continue(margin);
            }
            let mut second = PiecesInside::new(of_second.around(&block, margin), &self.second.spheres, b.below);
            while let Some(&[p, q, r]) = second.next(simd) {
                let second = Triangle::new(p, q, r);
                while let Some(first) = block.near(simd, &second, margin) {
                    margin = visitor.near_triangle(first, &second)?.min(margin - SAME);
                }
            }
        }
    }
}

/// A convex piece of each of two meshes.
#[derive(Clone, Copy)]
struct PiecePair<'a> {
    first: &'a ConvexPiece,
    second: &'a ConvexPiece,
}

impl<'a> PiecePair<'a> {
    fn hulls(&self, place: &'a Frame) -> ConvexPair<'a> {
        ConvexPair { first: Outline::Hull(&self.first.hull), second: Outline::Hull(&self.second.hull), place }
    }
}

/// A part of each of two meshes, and the place of the first mesh in the frame of the second.
struct PartPair<'a> {
    first: &'a MeshPart<'a>,
    second: &'a MeshPart<'a>,
    place: &'a Frame,
}

impl PartPair<'_> {
    /// Whether they are proved to be farther apart than `margin`: by their spheres, along `direction`, or along another one.
    #[inline(always)]
    fn are_apart<S: Simd>(&self, simd: S, direction: &Vector3<f64>, margin: f64) -> bool {
        let (a, b) = (&self.first.sphere, &self.second.sphere);
        let apart = self.place.point(&vector(a.centre)) - vector(b.centre);
        let reach = a.radius + b.radius + margin;
        if apart.norm_squared() > reach * reach {
            return true;
        }
        let [first, second] = [self.first, self.second].map(|part| Outline::Hull(part.hull));
        let hulls = ConvexPair { first, second, place: self.place };
        hulls.separation(simd, direction) > margin || {
            let direction = apart.try_normalize(0.0).unwrap_or_else(Vector3::y);
            hulls.are_apart(simd, &direction, PART_STEPS, margin)
        }
    }
}

/// Points of two meshes that are near each other, and a direction in which the first is probably beyond the second.
struct Guess {
    nearest: NearPoints,
    /// In the frame of the second; of length 1.
    direction: Vector3<f64>,
}
