//! Nearby triangles of two meshes: only pieces in the region between the meshes are compared.

use std::slice::Iter;

use fearless_simd::Simd;
use fearless_simd::prelude::*;
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::Triangle;

use super::convex::are_triangles_within;
use crate::shapes::hull::Hull;
use crate::shapes::spheres::{SphereChildren, SphereOctet, SphereTraversal, Spheres, SurfacePiece};
use crate::shapes::transform::{Transform, point, vector};
use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// Bound for the rounding error of a coordinate, per metre from the origin \[m\].
const RELATIVE_ROUNDING: f64 = 1e-9;

/// An axis-aligned box, cut off by a plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Region {
    low: Vector3<f64>,
    high: Vector3<f64>,
    /// Unit normal of the plane.
    direction: Vector3<f64>,
    /// Offset of the plane along the normal.
    most: f64,
}

impl Region {
    /// The region within `margin` \[m\] of a hull at `place`, and within `margin` of its farthest point along the
    /// unit vector `direction`.
    #[inline(always)]
    pub fn new<S: Simd>(simd: S, hull: &Hull, place: &Transform, direction: &Vector3<f64>, margin: f64) -> Self {
        let reach = margin + hull.rounding + RELATIVE_ROUNDING * (1.0 + place.origin.amax());
        let [mut low, mut high] = [Vector3::zeros(); 2];
        for axis in 0..3 {
            let along = Vector3::ith(axis, 1.0);
            low[axis] = -farthest(simd, hull, place, &-along) - reach;
            high[axis] = farthest(simd, hull, place, &along) + reach;
        }
        Self { low, high, direction: *direction, most: farthest(simd, hull, place, direction) + reach }
    }

    /// The part of the region within `margin` \[m\] of a block of triangles, whose direction is opposite.
    pub fn around(&self, block: &TriangleBlock, margin: f64) -> Self {
        let low = self.low.sup(&vector(block.around.0 - Point::splat(margin)));
        let high = self.high.inf(&vector(block.around.1 + Point::splat(margin)));
        Self { low, high, most: self.most.min(margin - block.least), ..*self }
    }

    /// Bit mask of the spheres that intersect the region.
    #[inline(always)]
    fn reached<S: Simd>(&self, simd: S, octet: &SphereOctet) -> u32 {
        let mut reached = 0;
        for half in 0..2 {
            let [x, y, z] = &octet.centre[half];
            let [x, y, z] = [x.load(simd), y.load(simd), z.load(simd)];
            let radius = octet.radius[half].load(simd);
            let along = x * self.direction.x + y * self.direction.y + z * self.direction.z;
            let mut inside = (along - radius).simd_le(self.most);
            for (axis, coordinate) in [x, y, z].into_iter().enumerate() {
                inside &=
                    (coordinate + radius).simd_ge(self.low[axis]) & (coordinate - radius).simd_le(self.high[axis]);
            }
            #[expect(clippy::cast_possible_truncation, reason = "four bits")]
            let bits = inside.to_bitmask() as u32;
            reached |= bits << (LANES * half);
        }
        reached & octet.used
    }

    /// True if a piece may intersect the region.
    fn has(&self, piece: &SurfacePiece) -> bool {
        let [a, b, c] = piece.map(vector);
        let along = [a, b, c].map(|corner| corner.dot(&self.direction));
        along[0].min(along[1]).min(along[2]) <= self.most
            && a.sup(&b).sup(&c) >= self.low
            && a.inf(&b).inf(&c) <= self.high
    }
}

/// The largest coordinate of a hull along a direction, without its inflation.
#[inline(always)]
fn farthest<S: Simd>(simd: S, hull: &Hull, place: &Transform, direction: &Vector3<f64>) -> f64 {
    place.origin.dot(direction) - hull.least(simd, &-place.rotation.tr_mul(direction))
}

/// Iterates over the pieces of a surface that intersect a region.
pub(crate) struct PiecesInside<'a> {
    region: Region,
    descent: SphereTraversal<'a>,
    /// Remaining pieces of the current leaf.
    pieces: Iter<'a, SurfacePiece>,
}

impl<'a> PiecesInside<'a> {
    /// The pieces inside a sphere that are within the region.
    #[inline(always)]
    pub fn new(region: Region, spheres: &'a Spheres, children: SphereChildren<'a>) -> Self {
        let pieces = if let SphereChildren::Pieces(pieces) = children { pieces } else { &[] };
        Self { region, descent: SphereTraversal::new(spheres, children), pieces: pieces.iter() }
    }

    #[inline(always)]
    pub fn next<S: Simd>(&mut self, simd: S) -> Option<&'a SurfacePiece> {
        loop {
            if let Some(piece) = self.pieces.find(|piece| self.region.has(piece)) {
                return Some(piece);
            }
            if let Some(branch) = self.descent.next_open() {
                self.pieces = self.descent.enter(branch).unwrap_or_default().iter();
            } else {
                let (_, octet) = self.descent.next_octet()?;
                self.descent.open = self.region.reached(simd, octet);
            }
        }
    }
}

/// Maximum number of triangles in a block: few triangles are close together and have a small box.
pub(super) const BLOCK_SIZE: usize = 16;

/// A block of triangles, with boxes in groups of four.
pub(crate) struct TriangleBlock {
    triangles: [Triangle; BLOCK_SIZE],
    pub length: usize,
    /// Lower and upper bounds of each triangle; those of unused slots are empty.
    low: [[Lanes; 3]; BLOCK_SIZE / LANES],
    high: [[Lanes; 3]; BLOCK_SIZE / LANES],
    /// The smallest coordinate of each triangle along `direction`.
    along: [Lanes; BLOCK_SIZE / LANES],
    direction: Point,
    /// The box around all triangles, and their smallest coordinate along the direction.
    around: (Point, Point),
    least: f64,
}

impl TriangleBlock {
    /// An empty block. `direction` is a unit vector, approximately towards these triangles from the others.
    pub fn new(direction: &Vector3<f64>) -> Self {
        Self {
            along: [Lanes::splat(f64::INFINITY); BLOCK_SIZE / LANES],
            direction: point(direction),
            triangles: [Triangle::new(Point::ZERO, Point::ZERO, Point::ZERO); BLOCK_SIZE],
            length: 0,
            low: [[Lanes::splat(f64::INFINITY); 3]; BLOCK_SIZE / LANES],
            high: [[Lanes::splat(f64::NEG_INFINITY); 3]; BLOCK_SIZE / LANES],
            around: (Point::INFINITY, Point::NEG_INFINITY),
            least: f64::INFINITY,
        }
    }

    /// Adds a triangle to a block that is not full.
    pub fn push(&mut self, triangle: Triangle) {
        let (group, lane) = (self.length / LANES, self.length % LANES);
        let low = triangle.a.min(triangle.b).min(triangle.c);
        let high = triangle.a.max(triangle.b).max(triangle.c);
        for axis in 0..3 {
            self.low[group][axis].0[lane] = low[axis];
            self.high[group][axis].0[lane] = high[axis];
        }
        let along = self.reach(&triangle)[0];
        self.along[group].0[lane] = along;
        self.least = self.least.min(along);
        self.around = (self.around.0.min(low), self.around.1.max(high));
        self.triangles[self.length] = triangle;
        self.length += 1;
    }

    /// The smallest and the largest coordinate of a triangle along the direction.
    #[inline(always)]
    fn reach(&self, triangle: &Triangle) -> [f64; 2] {
        let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| self.direction.dot(corner));
        [a.min(b).min(c), a.max(b).max(c)]
    }

    /// A triangle of the block within `margin` \[m\] of another triangle; `None` if there is none.
    #[inline(always)]
    pub fn near<S: Simd>(&self, simd: S, triangle: &Triangle, margin: f64) -> Option<&Triangle> {
        let Triangle { a, b, c } = *triangle;
        let (low, high) = (a.min(b).min(c) - Point::splat(margin), a.max(b).max(c) + Point::splat(margin));
        let most = self.reach(triangle)[1] + margin;
        for group in 0..self.length.div_ceil(LANES) {
            let mut overlap = self.along[group].load(simd).simd_le(most).to_bitmask();
            for axis in 0..3 {
                let is_below = self.low[group][axis].load(simd).simd_le(high[axis]);
                let is_above = self.high[group][axis].load(simd).simd_ge(low[axis]);
                overlap &= (is_below & is_above).to_bitmask();
            }
            while overlap != 0 {
                let at = group * LANES + overlap.trailing_zeros() as usize;
                overlap &= overlap - 1;
                if are_triangles_within(&self.triangles[at], triangle, margin) {
                    return Some(&self.triangles[at]);
                }
            }
        }
        None
    }
}
