//! Triangles that are compared with another together.

use fearless_simd::Simd;
use fearless_simd::prelude::*;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::Triangle;

use super::nearness::are_triangles_within;
use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// So many triangles at most: few are close together, and have a small box around them.
const MOST: usize = 16;

/// Some triangles, and the boxes around four at once.
pub(super) struct TriangleBlock {
    triangles: [Triangle; MOST],
    length: usize,
    /// The least coordinates of each, and the greatest. The boxes of triangles that are not there are empty.
    low: [[Lanes; 3]; MOST / LANES],
    high: [[Lanes; 3]; MOST / LANES],
    /// The box around all.
    around: (Point, Point),
}

impl TriangleBlock {
    pub fn new() -> Self {
        Self {
            triangles: [Triangle::new(Point::ZERO, Point::ZERO, Point::ZERO); MOST],
            length: 0,
            low: [[Lanes::splat(f64::INFINITY); 3]; MOST / LANES],
            high: [[Lanes::splat(f64::NEG_INFINITY); 3]; MOST / LANES],
            around: (Point::INFINITY, Point::NEG_INFINITY),
        }
    }

    pub fn is_full(&self) -> bool {
        self.length == MOST
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The box around all of them.
    pub fn around(&self) -> (Point, Point) {
        self.around
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
        self.around = (self.around.0.min(low), self.around.1.max(high));
        self.triangles[self.length] = triangle;
        self.length += 1;
    }

    /// One of them that is no farther than `margin` from a triangle.
    #[inline(always)]
    pub fn near<S: Simd>(&self, simd: S, triangle: &Triangle, margin: f64) -> Option<&Triangle> {
        let Triangle { a, b, c } = *triangle;
        let (low, high) = (a.min(b).min(c) - Point::splat(margin), a.max(b).max(c) + Point::splat(margin));
        for group in 0..self.length.div_ceil(LANES) {
            let mut overlap = 0b1111;
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
