//! Triangles of two meshes that can be near each other: what is outside the region between the meshes is not compared.

use std::slice::Iter;

use fearless_simd::Simd;
use fearless_simd::prelude::*;
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::Triangle;

use super::convex::are_triangles_within;
use crate::shapes::frame::{Frame, point, vector};
use crate::shapes::hull::Hull;
use crate::shapes::spheres::{Below, Descent, Eight, Piece, Spheres};
use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// What rounding may do to a place, for each metre from the origin \[m\].
const ROUNDING: f64 = 1e-9;

/// What is inside a box along the axes, and not beyond a plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Region {
    low: Vector3<f64>,
    high: Vector3<f64>,
    /// Across the plane, of length 1.
    direction: Vector3<f64>,
    /// The coordinate of the plane along the direction.
    most: f64,
}

impl Region {
    /// What is within `margin` of a hull that has this `place`, and not farther beyond it along `direction`, of length 1, than that.
    #[inline(always)]
    pub fn new<S: Simd>(simd: S, hull: &Hull, place: &Frame, direction: &Vector3<f64>, margin: f64) -> Self {
        let reach = margin + hull.rounding + ROUNDING * (1.0 + place.origin.amax());
        let [mut low, mut high] = [Vector3::zeros(); 2];
        for axis in 0..3 {
            let along = Vector3::ith(axis, 1.0);
            low[axis] = -farthest(simd, hull, place, &-along) - reach;
            high[axis] = farthest(simd, hull, place, &along) + reach;
        }
        Self { low, high, direction: *direction, most: farthest(simd, hull, place, direction) + reach }
    }

    /// What of it is within `margin` of some triangles, and not farther beyond them along the direction, which is against that of the
    /// triangles.
    pub fn around(&self, block: &TriangleBlock, margin: f64) -> Self {
        let low = self.low.sup(&vector(block.around.0 - Point::splat(margin)));
        let high = self.high.inf(&vector(block.around.1 + Point::splat(margin)));
        Self { low, high, most: self.most.min(margin - block.least), ..*self }
    }

    /// Which of eight spheres reach into it, as bits.
    #[inline(always)]
    fn reached<S: Simd>(&self, simd: S, eight: &Eight) -> u32 {
        let mut reached = 0;
        for half in 0..2 {
            let [x, y, z] = &eight.centre[half];
            let [x, y, z] = [x.load(simd), y.load(simd), z.load(simd)];
            let radius = eight.radius[half].load(simd);
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
        reached & eight.used
    }

    /// Whether a piece reaches into it.
    fn has(&self, piece: &Piece) -> bool {
        let [a, b, c] = piece.map(vector);
        let along = [a, b, c].map(|corner| corner.dot(&self.direction));
        along[0].min(along[1]).min(along[2]) <= self.most
            && a.sup(&b).sup(&c) >= self.low
            && a.inf(&b).inf(&c) <= self.high
    }
}

/// The greatest coordinate of a hull along a direction, without its rounding.
#[inline(always)]
fn farthest<S: Simd>(simd: S, hull: &Hull, place: &Frame, direction: &Vector3<f64>) -> f64 {
    place.origin.dot(direction) - hull.least(simd, &-place.rotation.tr_mul(direction))
}

/// Goes through the pieces of a surface that reach into a region.
pub(crate) struct PiecesInside<'a> {
    region: Region,
    descent: Descent<'a>,
    /// What is left of those of the last sphere.
    pieces: Iter<'a, Piece>,
}

impl<'a> PiecesInside<'a> {
    /// The pieces of what is `below` a sphere.
    #[inline(always)]
    pub fn new(region: Region, spheres: &'a Spheres, below: Below<'a>) -> Self {
        let pieces = if let Below::Pieces(pieces) = below { pieces } else { &[] };
        Self { region, descent: Descent::new(spheres, below), pieces: pieces.iter() }
    }

    /// The next of them.
    #[inline(always)]
    pub fn next<S: Simd>(&mut self, simd: S) -> Option<&'a Piece> {
        loop {
            for piece in self.pieces.by_ref() {
                if self.region.has(piece) {
                    return Some(piece);
                }
            }
            if let Some(branch) = self.descent.next_open() {
                self.pieces = self.descent.enter(branch).unwrap_or_default().iter();
            } else {
                let (_, eight) = self.descent.next_eight()?;
                self.descent.open(self.region.reached(simd, eight));
            }
        }
    }
}

/// So many triangles at most: few are close together, and have a small box around them.
const MAX_IN_BLOCK: usize = 16;

/// Some triangles, and the boxes around four at once.
pub(crate) struct TriangleBlock {
    triangles: [Triangle; MAX_IN_BLOCK],
    length: usize,
    /// The least coordinates of each, and the greatest. The boxes of triangles that are not there are empty.
    low: [[Lanes; 3]; MAX_IN_BLOCK / LANES],
    high: [[Lanes; 3]; MAX_IN_BLOCK / LANES],
    /// The least coordinate of each along `direction`.
    along: [Lanes; MAX_IN_BLOCK / LANES],
    direction: Point,
    /// The box around all, and the least coordinate of all along the direction.
    around: (Point, Point),
    least: f64,
}

impl TriangleBlock {
    /// Without triangles. They are probably beyond others along `direction`, of length 1.
    pub fn new(direction: &Vector3<f64>) -> Self {
        Self {
            along: [Lanes::splat(f64::INFINITY); MAX_IN_BLOCK / LANES],
            direction: point(direction),
            triangles: [Triangle::new(Point::ZERO, Point::ZERO, Point::ZERO); MAX_IN_BLOCK],
            length: 0,
            low: [[Lanes::splat(f64::INFINITY); 3]; MAX_IN_BLOCK / LANES],
            high: [[Lanes::splat(f64::NEG_INFINITY); 3]; MAX_IN_BLOCK / LANES],
            around: (Point::INFINITY, Point::NEG_INFINITY),
            least: f64::INFINITY,
        }
    }

    pub fn is_full(&self) -> bool {
        self.length == MAX_IN_BLOCK
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds one, where there is room.
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

    /// The least and the greatest coordinate of a triangle along the direction.
    #[inline(always)]
    fn reach(&self, triangle: &Triangle) -> [f64; 2] {
        let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| self.direction.dot(corner));
        [a.min(b).min(c), a.max(b).max(c)]
    }

    /// One of them that is no farther than `margin` from a triangle.
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
