//! What spheres, convex hulls and triangles say of two meshes.

use std::ops::ControlFlow;

use fearless_simd::Simd;
use nalgebra::Vector3;
use parry3d_f64::math::{Pose, Vector as Point};
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::Triangle;

use crate::narrow_phase::convex::convex_nearest;
use crate::narrow_phase::mesh_and_solid::{NearPoints, PART_STEPS, Verdict, centre, open_around, placed_triangle};
use crate::narrow_phase::near_triangles::{PiecesInside, Region, TriangleBlock};
use crate::narrow_phase::separation::{Outline, are_apart, least_overlap, nearest_outlines, separation};
use crate::scene::moving_joints::Frame;
use crate::scene::near_check::{SAME, Wanted};
use crate::shapes::mesh::{ConvexPiece, Mesh, MeshPart};
use crate::shapes::pose;

/// Two meshes, and the place of the first in the frame of the second.
#[derive(Clone, Copy)]
pub(crate) struct TwoMeshes<'a> {
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
        let wanted = Wanted { within: margin, exact_below: margin };
        let Some(Guess { nearest, direction }) = self.guess(simd, &wanted) else { return false };
        nearest.0 <= margin || self.each_near(simd, &direction, margin, |_, _| ControlFlow::Break(())).is_break()
    }

    /// The nearest points of any of their triangles, where they are wanted, in the frame of the second.
    #[inline(always)]
    pub fn nearest<S: Simd>(&self, simd: S, wanted: Wanted) -> Option<NearPoints> {
        let Guess { mut nearest, direction } = self.guess(simd, &wanted)?;
        let _ = self.each_near(simd, &direction, wanted.nearer_than(nearest.0), |first, second| {
            let points = convex_nearest(first, second, &Pose::IDENTITY);
            nearest = points.map_or((0.0, [first.center(), second.center()]), |[p, q]| ((p - q).length(), [p, q]));
            if nearest.0 > 0.0 { ControlFlow::Continue(wanted.nearer_than(nearest.0)) } else { ControlFlow::Break(()) }
        });
        (nearest.0 <= wanted.within).then_some(nearest)
    }

    /// Points of both that are near each other: from the nearest points of two pieces to the nearest of one mesh, and back. `None` where the
    /// meshes are proved to be farther apart than is wanted.
    #[inline(always)]
    fn guess<S: Simd>(&self, simd: S, wanted: &Wanted) -> Option<Guess> {
        let (pieces, direction) = self.nearest_pieces(simd, wanted.within)?;
        let hulls = (Outline::Hull(&pieces.0.hull), Outline::Hull(&pieces.1.hull));
        let (on_second, direction) = nearest_outlines(hulls, self.place, &direction)
            .unwrap_or_else(|| (Point::from(<[f64; 3]>::from(pieces.1.middle)), direction));
        let is_one_pair = self.first.convex_pieces.len() * self.second.convex_pieces.len() == 1;
        if is_one_pair && separation(simd, hulls, self.place, &direction) > wanted.within {
            return None;
        }
        let place = pose(&self.place.pose());
        let back = place.inverse();
        let to_first = |point| place * self.first.triangles.project_local_point(back * point, false).point;
        let to_second = |point| self.second.triangles.project_local_point(point, false).point;
        let nearest = wanted.guess(on_second, to_first, to_second);
        let [p, q] = nearest.1;
        let apart = Vector3::from((p - q).to_array()).try_normalize(0.0);
        Some(Guess { nearest, direction: apart.unwrap_or(direction) })
    }

    /// The pieces of each that are probably nearest, and a direction in which the first is beyond the second; `None` where all are farther
    /// apart than `margin`.
    #[inline(always)]
    fn nearest_pieces<S: Simd>(&self, simd: S, margin: f64) -> Option<((&ConvexPiece, &ConvexPiece), Vector3<f64>)> {
        let mut nearest = None;
        let mut least = f64::INFINITY;
        for a in &self.first.convex_pieces {
            for b in &self.second.convex_pieces {
                if let Some((apart, direction)) = self.least_overlap(simd, (a, b), margin)
                    && apart < least
                {
                    (least, nearest) = (apart, Some(((a, b), direction)));
                }
            }
        }
        nearest
    }

    /// The direction, in the frame of the second, along which the hulls of two pieces overlap least of those that were tried, and how far
    /// they are apart along it; `None` where they are farther apart than `margin`.
    #[inline(always)]
    fn least_overlap<S: Simd>(
        &self,
        simd: S,
        (a, b): (&ConvexPiece, &ConvexPiece),
        margin: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        let apart = self.place.point(&a.middle) - b.middle;
        let reach = a.radius + b.radius + margin;
        if apart.norm_squared() > reach * reach {
            return None;
        }
        let direction = apart.try_normalize(0.0).unwrap_or_else(Vector3::y);
        let hulls = (Outline::Hull(&a.hull), Outline::Hull(&b.hull));
        least_overlap(simd, hulls, self.place, &direction, (PART_STEPS, margin))
    }

    /// Calls `visit` with a triangle of each that are no farther apart than `margin`, which goes on with the margin that it gives. It is
    /// fast where the first is beyond the second along `direction`, of length 1.
    #[inline(always)]
    fn each_near<S: Simd>(
        &self,
        simd: S,
        direction: &Vector3<f64>,
        mut margin: f64,
        mut visit: impl FnMut(&Triangle, &Triangle) -> ControlFlow<(), f64>,
    ) -> ControlFlow<()> {
        for a in self.first.parts() {
            for b in self.second.parts() {
                if self.are_parts_apart(simd, (&a, &b), direction, margin) {
                    continue;
                }
                for a in self.first.divided(&a) {
                    for b in self.second.divided(&b) {
                        if !self.are_parts_apart(simd, (&a, &b), direction, margin) {
                            margin = self.each_near_of_parts(simd, (&a, &b), direction, margin, &mut visit)?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether two parts are proved to be farther apart than `margin`: by their spheres, along `direction`, or along another one.
    #[inline(always)]
    fn are_parts_apart<S: Simd>(
        &self,
        simd: S,
        (a, b): (&MeshPart, &MeshPart),
        direction: &Vector3<f64>,
        margin: f64,
    ) -> bool {
        let apart = self.place.point(&centre(&a.sphere)) - centre(&b.sphere);
        let reach = a.sphere.radius + b.sphere.radius + margin;
        if apart.norm_squared() > reach * reach {
            return true;
        }
        let hulls = (Outline::Hull(a.hull), Outline::Hull(b.hull));
        separation(simd, hulls, self.place, direction) > margin || {
            let direction = apart.try_normalize(0.0).unwrap_or_else(Vector3::y);
            are_apart(simd, hulls, self.place, &direction, (PART_STEPS, margin))
        }
    }

    /// As [`Self::each_near`] for two parts. Gives the last margin.
    #[inline(always)]
    fn each_near_of_parts<S: Simd>(
        &self,
        simd: S,
        (a, b): (&MeshPart, &MeshPart),
        direction: &Vector3<f64>,
        mut margin: f64,
        visit: &mut impl FnMut(&Triangle, &Triangle) -> ControlFlow<(), f64>,
    ) -> ControlFlow<(), f64> {
        let back = self.place.inverse();
        let of_first = Region::new(simd, b.hull, &back, (&(back.rotation * direction), margin));
        let of_second = Region::new(simd, a.hull, self.place, (&-direction, margin));
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
            let near_block = of_second.within_of(block.around(), -block.least(), margin);
            let mut second = PiecesInside::new(near_block, &self.second.spheres, b.below);
            while let Some(&[p, q, r]) = second.next(simd) {
                let second = Triangle::new(p, q, r);
                while let Some(first) = block.near(simd, &second, margin) {
                    margin = visit(first, &second)?.min(margin - SAME);
                }
            }
        }
    }
}

/// Points of two meshes that are near each other, and a direction in which the first is probably beyond the second.
struct Guess {
    nearest: NearPoints,
    /// In the frame of the second; of length 1.
    direction: Vector3<f64>,
}
