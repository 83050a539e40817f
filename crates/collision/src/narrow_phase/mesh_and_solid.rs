//! What spheres, hulls of parts and triangles say of a mesh and a solid.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};
use nalgebra::Vector3;
use parry3d_f64::math::{Pose, Vector as Point};
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::Triangle;

use crate::narrow_phase::convex::{convex_nearest, is_within_of_triangle};
use crate::narrow_phase::separation::{Outline, are_apart, nearest_outlines, separation};
use crate::scene::moving_joints::Frame;
use crate::scene::near_check::Wanted;
use crate::shapes::mesh::Mesh;
use crate::shapes::solid::Solid;
use crate::shapes::spheres::{BRANCHES, Below, DEPTH, Eight, Piece, Sphere};
use crate::shapes::{PlacedShape, pose};
use urdf_ik_mathematics::lanes::{LANES, Lanes, Vector};

/// Each division leaves at most seven others behind.
const STACK: usize = DEPTH * BRANCHES;

/// A mesh against a solid, and the place of the mesh in the solid's frame.
#[derive(Clone, Copy)]
pub(crate) struct MeshAndSolid<'a> {
    pub mesh: &'a Mesh,
    pub solid: &'a Solid,
    pub shape: &'a PlacedShape,
    pub place: &'a Frame,
}

impl MeshAndSolid<'_> {
    /// What the spheres prove that are at most `depth` divisions below the `open` ones of the first eight. With triangles they always prove
    /// something, if none is beyond that depth.
    #[inline(always)]
    pub fn descend<S: Simd>(&self, simd: S, open: u32, depth: usize, with_triangles: bool, margin: f64) -> Verdict {
        let spheres = &self.mesh.spheres;
        let mut stack = [(0_u32, 0_usize); STACK];
        let mut height = 0;
        let mut verdict = Verdict::Free;
        let (mut eight, mut at, mut open, mut divisions) = (&spheres.eights[0], 0, open, 0);
        loop {
            while open != 0 {
                let branch = open.trailing_zeros() as usize;
                open &= open - 1;
                if with_triangles && self.is_part_apart(simd, at, branch, margin) {
                    continue;
                }
                match spheres.below(eight, branch) {
                    Below::Eight(below) if divisions < depth => {
                        stack[height] = (below, divisions + 1);
                        height += 1;
                    }
                    Below::Pieces(pieces) if with_triangles => {
                        if self.is_near(pieces, margin) {
                            return Verdict::Near;
                        }
                    }
                    _ => verdict = Verdict::Open,
                }
            }
            if height == 0 {
                return verdict;
            }
            height -= 1;
            (at, divisions) = stack[height];
            eight = &spheres.eights[at as usize];
            match open_spheres(simd, eight, self.solid, self.place, margin) {
                Some(found) => open = found,
                None => return Verdict::Near,
            }
        }
    }

    /// The nearest points of any triangle and the solid, where they are wanted, in the solid's frame. `towards` is a direction in which the
    /// mesh may be beyond the solid.
    #[inline(always)]
    pub fn nearest<S: Simd>(&self, simd: S, towards: &Vector3<f64>, wanted: Wanted) -> Option<NearPoints> {
        let mut nearest = self.guess(towards, &wanted);
        let mut within = wanted.nearer_than(nearest.0);
        let [on_mesh, on_solid] = nearest.1;
        let direction = Vector3::from((on_mesh - on_solid).to_array()).try_normalize(0.0).unwrap_or(*towards);
        let spheres = &self.mesh.spheres;
        let (mut stack, mut height) = ([0_u32; STACK], 1);
        while height > 0 && within > 0.0 {
            height -= 1;
            let at = stack[height];
            let eight = &spheres.eights[at as usize];
            let mut open = 0;
            for half in 0..2 {
                let centres = placed(simd, self.place, &eight.centre[half]);
                let lanes = (&eight.radius[half], &eight.surface[half]);
                open |= open_lanes(simd, self.solid, centres, lanes, within)[0] << (LANES * half);
            }
            open &= eight.used;
            while open != 0 {
                let branch = open.trailing_zeros() as usize;
                open &= open - 1;
                if self.is_part_beyond(simd, (at, branch), &direction, within)
                    || self.is_part_apart(simd, at, branch, within)
                {
                    continue;
                }
                match spheres.below(eight, branch) {
                    Below::Eight(below) => {
                        stack[height] = below;
                        height += 1;
                    }
                    Below::Pieces(pieces) => {
                        for piece in pieces {
                            if let Some(nearer) = self.nearer(piece, &nearest, within) {
                                nearest = nearer;
                                within = wanted.nearer_than(nearest.0);
                            }
                        }
                    }
                }
            }
        }
        (nearest.0 <= wanted.within).then_some(nearest)
    }

    /// Points of both that are near each other: from the nearest points of the hull of the mesh and the solid to the nearest of one, and back.
    fn guess(&self, towards: &Vector3<f64>, wanted: &Wanted) -> NearPoints {
        let outlines = (Outline::Hull(&self.mesh.hull), Outline::Solid(self.solid));
        let (shape, rounding) = (self.shape.core.shape(), self.shape.margin);
        let place = pose(&self.place.pose());
        let back = place.inverse();
        let on_solid = nearest_outlines(outlines, self.place, towards).map_or(Point::ZERO, |(point, _)| point);
        let to_mesh = |point| place * self.mesh.triangles.project_local_point(back * point, false).point;
        let to_solid = |point| {
            let on_core = shape.project_local_point(point, true).point;
            let apart = point - on_core;
            if apart.length() > rounding { on_core + apart.normalize() * rounding } else { point }
        };
        wanted.guess(on_solid, to_mesh, to_solid)
    }

    /// Whether the hull of what a sphere has is farther than `margin` beyond the solid along a direction, of length 1.
    #[inline(always)]
    fn is_part_beyond<S: Simd>(
        &self,
        simd: S,
        (eight, branch): (u32, usize),
        direction: &Vector3<f64>,
        margin: f64,
    ) -> bool {
        let Some(part) = self.mesh.part(eight, branch) else { return false };
        separation(simd, (Outline::Hull(part), Outline::Solid(self.solid)), self.place, direction) > margin
    }

    /// The nearest points of a piece and the solid, where they are no farther apart than `within`; `found` are others.
    fn nearer(&self, piece: &Piece, (_, [on_mesh, on_solid]): &NearPoints, within: f64) -> Option<NearPoints> {
        let triangle = placed_triangle(self.place, piece);
        if self.is_beyond(&triangle, (on_mesh - on_solid).normalize_or_zero(), within)
            || self.is_beyond(&triangle, self.towards(&triangle), within)
        {
            return None;
        }
        let (shape, rounding) = (self.shape.core.shape(), self.shape.margin);
        if !is_within_of_triangle(shape, &triangle, within + rounding) {
            return None;
        }
        let Some([on_solid, on_mesh]) = convex_nearest(shape, &triangle, &Pose::IDENTITY) else {
            return Some((0.0, [triangle.center(), Point::ZERO]));
        };
        let apart = on_mesh - on_solid;
        let distance = (apart.length() - rounding).max(0.0);
        Some((distance, [on_mesh, on_solid + apart.normalize_or_zero() * rounding]))
    }

    /// Whether the hull of what a sphere has proves that it is farther than `margin` from the solid.
    #[inline(always)]
    fn is_part_apart<S: Simd>(&self, simd: S, eight: u32, branch: usize, margin: f64) -> bool {
        let Some(part) = self.mesh.part(eight, branch) else { return false };
        let centre = centre(&self.mesh.spheres.eights[eight as usize].get(branch));
        let direction = self.solid.direction_to(&self.place.point(&centre));
        let outlines = (Outline::Hull(part), Outline::Solid(self.solid));
        are_apart(simd, outlines, self.place, &direction, (PART_STEPS, margin))
    }

    fn is_near(&self, pieces: &[Piece], margin: f64) -> bool {
        pieces.iter().any(|piece| {
            let triangle = placed_triangle(self.place, piece);
            !self.is_beyond(&triangle, self.towards(&triangle), margin)
                && is_within_of_triangle(self.shape.core.shape(), &triangle, margin + self.shape.margin)
        })
    }

    /// The direction from the solid to the middle of a triangle.
    fn towards(&self, triangle: &Triangle) -> Point {
        let direction = self.solid.direction_to(&triangle.center().to_array().into());
        Point::new(direction.x, direction.y, direction.z)
    }

    /// Whether a direction, of length 1, proves that a triangle is farther than `margin` from the solid.
    fn is_beyond(&self, triangle: &Triangle, direction: Point, margin: f64) -> bool {
        let least = direction.dot(triangle.a).min(direction.dot(triangle.b)).min(direction.dot(triangle.c));
        least - self.solid.reach(&direction.to_array().into()) > margin
    }
}

/// So many directions are tried to prove that parts of meshes are apart.
pub(crate) const PART_STEPS: usize = 8;

/// A distance, and the points of the first and of the second that have it.
pub(crate) type NearPoints = (f64, [Point; 2]);

/// What is known of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They are farther apart than the margin.
    Free,
    /// They are not.
    Near,
    /// Neither is proved.
    Open,
}

/// Which of four spheres are not proved to be farther from `solid` than `margin`, and the surface in which of them certainly is not, as
/// bits. The centres are in the solid's frame.
#[inline(always)]
pub(crate) fn open_lanes<S: Simd>(
    simd: S,
    solid: &Solid,
    centres: Vector<S>,
    (radius, surface): (&Lanes, &Lanes),
    margin: f64,
) -> [u32; 2] {
    let [outside, beyond] = solid.gap(simd, centres);
    let apart = radius.load(simd) + margin;
    let open = (!outside.simd_gt(apart * apart)).to_bitmask();
    if open == 0 {
        return [0; 2];
    }
    let deepest = (margin - surface.load(simd)).min(f64x4::splat(simd, 0.0));
    let near = beyond.simd_le(deepest).to_bitmask();
    #[expect(clippy::cast_possible_truncation, reason = "four bits")]
    [open, near].map(|bits| bits as u32)
}

/// `place` times four points.
#[inline(always)]
pub(crate) fn placed<S: Simd>(simd: S, place: &Frame, centres: &[Lanes; 3]) -> Vector<S> {
    let [x, y, z] = [centres[0].load(simd), centres[1].load(simd), centres[2].load(simd)];
    let (r, o) = (&place.rotation, &place.origin);
    [
        x * r[(0, 0)] + y * r[(0, 1)] + z * r[(0, 2)] + o[0],
        x * r[(1, 0)] + y * r[(1, 1)] + z * r[(1, 2)] + o[1],
        x * r[(2, 0)] + y * r[(2, 1)] + z * r[(2, 2)] + o[2],
    ]
}

/// Which of eight spheres are not proved to be farther from `solid` than `margin`, as bits; `None` where one is certainly not. `place` is
/// that of the spheres in the solid's frame.
#[inline(always)]
pub(crate) fn open_spheres<S: Simd>(simd: S, eight: &Eight, solid: &Solid, place: &Frame, margin: f64) -> Option<u32> {
    let mut open = 0;
    for half in 0..2 {
        let centres = placed(simd, place, &eight.centre[half]);
        let [found, near] = open_lanes(simd, solid, centres, (&eight.radius[half], &eight.surface[half]), margin);
        if near & (eight.used >> (LANES * half)) != 0 {
            return None;
        }
        open |= found << (LANES * half);
    }
    Some(open & eight.used)
}

/// Its centre.
#[inline(always)]
pub(crate) fn centre(sphere: &Sphere) -> Vector3<f64> {
    sphere.centre.to_array().into()
}

/// `place` times a piece.
pub(crate) fn placed_triangle(place: &Frame, piece: &Piece) -> Triangle {
    let [a, b, c] = piece.map(|corner| {
        let placed = place.point(&corner.to_array().into());
        Point::new(placed.x, placed.y, placed.z)
    });
    Triangle::new(a, b, c)
}

/// Which of eight spheres are no farther from `centre` than `reach` and their radius, as bits.
#[inline(always)]
pub(crate) fn open_around<S: Simd>(simd: S, eight: &Eight, centre: &Vector3<f64>, reach: f64) -> u32 {
    let mut open = 0;
    for half in 0..2 {
        let [x, y, z] = &eight.centre[half];
        let [x, y, z] = [x.load(simd) - centre.x, y.load(simd) - centre.y, z.load(simd) - centre.z];
        let apart = eight.radius[half].load(simd) + reach;
        #[expect(clippy::cast_possible_truncation, reason = "four bits")]
        let bits = (x * x + y * y + z * z).simd_le(apart * apart).to_bitmask() as u32;
        open |= bits << (LANES * half);
    }
    open & eight.used
}
