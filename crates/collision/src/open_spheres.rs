//! Which of eight spheres are not proved to be apart from something.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::Triangle;

use super::moving_joints::Frame;
use super::solid::Solid;
use super::spheres::{Eight, Piece, Sphere};
use urdf_ik_mathematics::lanes::{LANES, Lanes, Vector};

/// So many directions are tried to prove that parts of meshes are apart.
pub(super) const PART_STEPS: usize = 8;

/// A distance, and the points of the first and of the second that have it.
pub(super) type NearPoints = (f64, [Point; 2]);

/// What is known of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
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
pub(super) fn open_lanes<S: Simd>(
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
pub(super) fn placed<S: Simd>(simd: S, place: &Frame, centres: &[Lanes; 3]) -> Vector<S> {
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
pub(super) fn open_spheres<S: Simd>(simd: S, eight: &Eight, solid: &Solid, place: &Frame, margin: f64) -> Option<u32> {
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
pub(super) fn centre(sphere: &Sphere) -> Vector3<f64> {
    sphere.centre.to_array().into()
}

/// `place` times a piece.
pub(super) fn placed_triangle(place: &Frame, piece: &Piece) -> Triangle {
    let [a, b, c] = piece.map(|corner| {
        let placed = place.point(&corner.to_array().into());
        Point::new(placed.x, placed.y, placed.z)
    });
    Triangle::new(a, b, c)
}

/// Which of eight spheres are no farther from `centre` than `reach` and their radius, as bits.
#[inline(always)]
pub(super) fn open_around<S: Simd>(simd: S, eight: &Eight, centre: &Vector3<f64>, reach: f64) -> u32 {
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
