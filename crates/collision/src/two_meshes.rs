//! What spheres, convex hulls and triangles say of two meshes.

use std::ops::ControlFlow;

use fearless_simd::Simd;
use nalgebra::Vector3;
use parry3d_f64::math::Pose;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::Triangle;

use super::convex_distance::convex_nearest;
use super::convex_piece::ConvexPiece;
use super::mesh::Mesh;
use super::moving_joints::Frame;
use super::open_spheres::{NearPoints, PART_STEPS, Verdict, centre, open_around, placed_triangle};
use super::region::{PiecesInside, Region};
use super::separation::{Outline, least_overlap};
use super::shape::pose;
use super::triangle_block::TriangleBlock;

/// Triangles that are no more than this nearer than others are not looked at \[m\]: many can be at one distance.
const SAME: f64 = 1e-9;
/// So many times the nearest point of the other mesh is looked for before triangles are compared.
const GUESSES: usize = 4;

/// Two meshes, and the place of the first in the frame of the second.
#[derive(Clone, Copy)]
pub(super) struct TwoMeshes<'a> {
    pub first: &'a Mesh,
    pub second: &'a Mesh,
    pub place: &'a Frame,
}

impl TwoMeshes<'_> {
    /// What the first eight spheres of each prove.
    #[inline(always)]
    pub fn first_spheres<S: Simd>(&self, simd: S, margin: f64) -> Verdict {
        let (a, b) = (&self.first.spheres.eights[0], &self.second.spheres.eights[0]);
        let mut used = a.used;
        while used != 0 {
            let sphere = a.get(used.trailing_zeros() as usize);
            used &= used - 1;
            if open_around(simd, b, &self.place.point(&centre(&sphere)), sphere.radius + margin) != 0 {
                return Verdict::Open;
            }
        }
        Verdict::Free
    }

    /// What the hulls of their convex pieces prove.
    #[inline(always)]
    pub fn settle_pieces<S: Simd>(&self, simd: S, margin: f64) -> Verdict {
        for a in &self.first.convex_pieces {
            for b in &self.second.convex_pieces {
                if self.least_overlap(simd, (a, b), margin).is_some() {
                    return Verdict::Open;
                }
            }
        }
        Verdict::Free
    }

    /// Whether any of their triangles are no farther apart than `margin`.
    #[inline(always)]
    pub fn are_within<S: Simd>(&self, simd: S, margin: f64) -> bool {
        self.each_near(simd, margin, |_, _| ControlFlow::Break(())).is_break()
    }

    /// The nearest points of any of their triangles that are no farther apart than `within`, in the frame of the second.
    #[inline(always)]
    pub fn nearest<S: Simd>(&self, simd: S, within: f64) -> Option<NearPoints> {
        let mut nearest = self.guess();
        let start = within.min(nearest.0 - SAME);
        let _ = self.each_near(simd, start, |first, second| {
            let points = convex_nearest(first, second, &Pose::IDENTITY);
            nearest = points.map_or((0.0, [first.center(), second.center()]), |[p, q]| ((p - q).length(), [p, q]));
            if nearest.0 > 0.0 { ControlFlow::Continue(nearest.0 - SAME) } else { ControlFlow::Break(()) }
        });
        (nearest.0 <= within).then_some(nearest)
    }

    /// Points of both that are near each other: from one to the nearest of the other, and back.
    fn guess(&self) -> NearPoints {
        let back = pose(&self.place.inverse().pose());
        let place = pose(&self.place.pose());
        let mut on_second = self.second.spheres.all.centre;
        let mut on_first = on_second;
        for _ in 0..GUESSES {
            on_first = place * self.first.triangles.project_local_point(back * on_second, false).point;
            on_second = self.second.triangles.project_local_point(on_first, false).point;
        }
        ((on_first - on_second).length(), [on_first, on_second])
    }

    /// Calls `visit` with a triangle of each that are no farther apart than `margin`, which goes on with the margin that it gives.
    #[inline(always)]
    fn each_near<S: Simd>(
        &self,
        simd: S,
        mut margin: f64,
        mut visit: impl FnMut(&Triangle, &Triangle) -> ControlFlow<(), f64>,
    ) -> ControlFlow<()> {
        for a in &self.first.convex_pieces {
            for b in &self.second.convex_pieces {
                if let Some(direction) = self.least_overlap(simd, (a, b), margin) {
                    margin = self.each_near_of_pieces(simd, (a, b), &direction, margin, &mut visit)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The direction, in the frame of the second, along which the hulls of two pieces overlap least of those that were tried; `None` where
    /// they are farther apart than `margin`.
    #[inline(always)]
    fn least_overlap<S: Simd>(
        &self,
        simd: S,
        (a, b): (&ConvexPiece, &ConvexPiece),
        margin: f64,
    ) -> Option<Vector3<f64>> {
        let apart = self.place.point(&a.middle) - b.middle;
        let reach = a.radius + b.radius + margin;
        if apart.norm_squared() > reach * reach {
            return None;
        }
        let direction = apart.try_normalize(0.0).unwrap_or_else(Vector3::y);
        let hulls = (Outline::Hull(&a.hull), Outline::Hull(&b.hull));
        least_overlap(simd, hulls, self.place, &direction, (PART_STEPS, margin))
    }

    /// As [`Self::each_near`] for two pieces, which overlap little along `direction`. Gives the last margin.
    #[inline(always)]
    fn each_near_of_pieces<S: Simd>(
        &self,
        simd: S,
        (a, b): (&ConvexPiece, &ConvexPiece),
        direction: &Vector3<f64>,
        mut margin: f64,
        visit: &mut impl FnMut(&Triangle, &Triangle) -> ControlFlow<(), f64>,
    ) -> ControlFlow<(), f64> {
        let back = self.place.inverse();
        let of_first = Region::new(simd, (a, b), &back, (&(back.rotation * direction), margin));
        let of_second = Region::new(simd, (b, a), self.place, (&-direction, margin));
        let mut first = PiecesInside::new(of_first, &self.first.spheres);
        loop {
            let mut block = TriangleBlock::new();
            while !block.is_full()
                && let Some(piece) = first.next(simd)
            {
                block.push(placed_triangle(self.place, piece));
            }
            if block.is_empty() {
                return ControlFlow::Continue(margin);
            }
            let mut second = PiecesInside::new(of_second.within_of(block.around(), margin), &self.second.spheres);
            while let Some(&[p, q, r]) = second.next(simd) {
                let second = Triangle::new(p, q, r);
                while let Some(first) = block.near(simd, &second, margin) {
                    margin = visit(first, &second)?.min(margin - SAME);
                }
            }
        }
    }
}
