//! What spheres, convex hulls and triangles say of two meshes.

use fearless_simd::Simd;
use nalgebra::Vector3;
use parry3d_f64::math::Pose;
use parry3d_f64::shape::Triangle;

use super::convex_distance::convex_nearest;
use super::convex_piece::ConvexPiece;
use super::mesh::Mesh;
use super::moving_joints::Frame;
use super::nearness::are_triangles_within;
use super::open_spheres::{NearPoints, PART_STEPS, Verdict, centre, open_around, placed_triangle};
use super::region::{PiecesInside, Region};
use super::separation::{Outline, are_apart, least_overlap};
use super::spheres::{BRANCHES, Below, DEPTH, Piece, Sphere};
use super::triangle_block::TriangleBlock;

/// All that the first eight of each make, and for each division of either at most seven more.
const STACK: usize = BRANCHES * BRANCHES + 2 * DEPTH * (BRANCHES - 1);

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
        for a in &self.first.convex_pieces {
            for b in &self.second.convex_pieces {
                if let Some(direction) = self.least_overlap(simd, (a, b), margin)
                    && self.are_pieces_within(simd, (a, b), &direction, margin)
                {
                    return true;
                }
            }
        }
        false
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

    /// Whether any triangles are no farther apart than `margin` where two pieces overlap, which is little along `direction`.
    #[inline(always)]
    fn are_pieces_within<S: Simd>(
        &self,
        simd: S,
        (a, b): (&ConvexPiece, &ConvexPiece),
        direction: &Vector3<f64>,
        margin: f64,
    ) -> bool {
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
                return false;
            }
            let mut second = PiecesInside::new(of_second.within_of(block.around(), margin), &self.second.spheres);
            while let Some(piece) = second.next(simd) {
                if block.is_near(simd, piece, margin) {
                    return true;
                }
            }
        }
    }

    /// The nearest points of any of their triangles that are no farther apart than `within`, in the frame of the second.
    #[inline(always)]
    pub fn nearest<S: Simd>(&self, simd: S, within: f64) -> Option<NearPoints> {
        Descent::new(self).nearest(simd, within)
    }
}

/// A sphere: the index of its eight, and which of them it is.
type At = (u32, usize);

/// Goes down both trees of spheres together.
struct Descent<'a> {
    meshes: &'a TwoMeshes<'a>,
    /// The place of the second mesh in the frame of the first.
    back: Frame,
    /// A sphere of each, which may be near each other, and how far apart they are; less than 0 where they overlap \[m\].
    stack: [(At, At, f64); STACK],
    height: usize,
}

impl<'a> Descent<'a> {
    #[inline(always)]
    fn new(meshes: &'a TwoMeshes<'a>) -> Self {
        Self { meshes, back: meshes.place.inverse(), stack: [((0, 0), (0, 0), 0.0); STACK], height: 0 }
    }

    /// The nearest points that are no farther apart than `within`.
    #[inline(always)]
    fn nearest<S: Simd>(&mut self, simd: S, within: f64) -> Option<NearPoints> {
        let (mut found, mut within) = (None, within);
        let (a, b) = (&self.meshes.first.spheres, &self.meshes.second.spheres);
        for branch in 0..a.eights[0].used.count_ones() as usize {
            self.divide_second(simd, (0, branch), 0, within);
        }
        self.nearest_last(0);
        while self.height > 0 {
            self.height -= 1;
            let (at_a, at_b, _) = self.stack[self.height];
            if self.are_parts_apart(simd, at_a, at_b, within) {
                continue;
            }
            let (eight_a, eight_b) = (&a.eights[at_a.0 as usize], &b.eights[at_b.0 as usize]);
            let is_first_larger = eight_a.get(at_a.1).radius >= eight_b.get(at_b.1).radius;
            match (a.below(eight_a, at_a.1), b.below(eight_b, at_b.1)) {
                (Below::Pieces(first), Below::Pieces(second)) => {
                    found = self.nearer(first, second, found, within);
                    if let Some((distance, _)) = found {
                        within = distance;
                        if distance <= 0.0 {
                            return found;
                        }
                    }
                }
                (Below::Eight(below), Below::Eight(_)) if is_first_larger => {
                    self.divide_first(simd, below, at_b, within);
                }
                (_, Below::Eight(below)) => self.divide_second(simd, at_a, below, within),
                (Below::Eight(below), Below::Pieces(_)) => self.divide_first(simd, below, at_b, within),
            }
        }
        found
    }

    /// Puts on the stack which of eight spheres of the first are near one of the second.
    #[inline(always)]
    fn divide_first<S: Simd>(&mut self, simd: S, below: u32, at_b: At, margin: f64) {
        let TwoMeshes { first, second, .. } = self.meshes;
        let sphere = second.spheres.eights[at_b.0 as usize].get(at_b.1);
        let eight = &first.spheres.eights[below as usize];
        let (at, start) = (self.back.point(&centre(&sphere)), self.height);
        let mut open = open_around(simd, eight, &at, sphere.radius + margin);
        while open != 0 {
            let branch = open.trailing_zeros() as usize;
            self.stack[self.height] = ((below, branch), at_b, gap(&eight.get(branch), &at) - sphere.radius);
            self.height += 1;
            open &= open - 1;
        }
        self.nearest_last(start);
    }

    /// The same the other way round.
    #[inline(always)]
    fn divide_second<S: Simd>(&mut self, simd: S, at_a: At, below: u32, margin: f64) {
        let TwoMeshes { first, second, place } = self.meshes;
        let sphere = first.spheres.eights[at_a.0 as usize].get(at_a.1);
        let eight = &second.spheres.eights[below as usize];
        let (at, start) = (place.point(&centre(&sphere)), self.height);
        let mut open = open_around(simd, eight, &at, sphere.radius + margin);
        while open != 0 {
            let branch = open.trailing_zeros() as usize;
            self.stack[self.height] = (at_a, (below, branch), gap(&eight.get(branch), &at) - sphere.radius);
            self.height += 1;
            open &= open - 1;
        }
        self.nearest_last(start);
    }

    /// Sorts what stands on the stack from `start` on, so that the nearest is looked at first: contacts are found soon there.
    #[inline(always)]
    fn nearest_last(&mut self, start: usize) {
        self.stack[start..self.height].sort_unstable_by(|a, b| b.2.total_cmp(&a.2));
    }

    /// Whether hulls prove that what two spheres have is farther apart than `margin`.
    #[inline(always)]
    fn are_parts_apart<S: Simd>(&self, simd: S, at_a: At, at_b: At, margin: f64) -> bool {
        let TwoMeshes { first, second, place } = self.meshes;
        let (Some(part_a), Some(part_b)) = (first.part(at_a.0, at_a.1), second.part(at_b.0, at_b.1)) else {
            return false;
        };
        let sphere_a = first.spheres.eights[at_a.0 as usize].get(at_a.1);
        let sphere_b = second.spheres.eights[at_b.0 as usize].get(at_b.1);
        let apart = place.point(&centre(&sphere_a)) - centre(&sphere_b);
        let direction = apart.try_normalize(0.0).unwrap_or_else(Vector3::y);
        are_apart(simd, (Outline::Hull(part_a), Outline::Hull(part_b)), place, &direction, (PART_STEPS, margin))
    }

    /// The nearest points of any of these pieces, where they are no farther apart than `within`, or else what was found before.
    fn nearer(
        &self,
        first: &[Piece],
        second: &[Piece],
        mut found: Option<NearPoints>,
        mut within: f64,
    ) -> Option<NearPoints> {
        for piece in first {
            let first = placed_triangle(self.meshes.place, piece);
            for &[a, b, c] in second {
                let second = Triangle::new(a, b, c);
                if !are_triangles_within(&first, &second, within) {
                    continue;
                }
                let Some([p, q]) = convex_nearest(&first, &second, &Pose::IDENTITY) else {
                    return Some((0.0, [first.center(), second.center()]));
                };
                within = (p - q).length();
                found = Some((within, [p, q]));
            }
        }
        found
    }
}

/// How far a point is from a sphere; less than 0 inside \[m\].
fn gap(sphere: &Sphere, point: &Vector3<f64>) -> f64 {
    (centre(sphere) - point).norm() - sphere.radius
}
