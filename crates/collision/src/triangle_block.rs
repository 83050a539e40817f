//! Triangles that are compared with another together.

use fearless_simd::Simd;
use fearless_simd::prelude::*;
use nalgebra::Vector3;
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
    /// The least coordinate of each along `direction`.
    along: [Lanes; MOST / LANES],
    direction: Point,
    /// The box around all, and the least coordinate of all along the direction.
    around: (Point, Point),
    least: f64,
}

impl TriangleBlock {
    /// Without triangles. They are probably beyond others along `direction`, of length 1.
    pub fn new(direction: &Vector3<f64>) -> Self {
        Self {
            along: [Lanes::splat(f64::INFINITY); MOST / LANES],
            direction: Point::from(<[f64; 3]>::from(*direction)),
            triangles: [Triangle::new(Point::ZERO, Point::ZERO, Point::ZERO); MOST],
            length: 0,
            low: [[Lanes::splat(f64::INFINITY); 3]; MOST / LANES],
            high: [[Lanes::splat(f64::NEG_INFINITY); 3]; MOST / LANES],
            around: (Point::INFINITY, Point::NEG_INFINITY),
            least: f64::INFINITY,
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

    /// The least coordinate of all of them along the direction.
    pub fn least(&self) -> f64 {
        self.least
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
