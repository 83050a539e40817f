//! What spheres, hulls of parts and triangles say of a mesh and a solid.

use std::ops::ControlFlow;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::Triangle;

use super::convex::{NearPoints, is_within_of_triangle};
use super::separation::ConvexPair;
use super::visitors::{AnyNear, Nearest, Verdict, Visitor, Wanted};
use super::{PART_STEPS, placed_triangle};
use crate::shapes::Convex;
use crate::shapes::frame::{Frame, point, vector};
use crate::shapes::hull::Outline;
use crate::shapes::mesh::Mesh;
use crate::shapes::solid::Solid;
use crate::shapes::spheres::{Below, Descent, Eight};
use urdf_ik_mathematics::lanes::{LANES, Lanes, Vector};

/// How often spheres are divided before hulls are asked.
const BEFORE_HULLS: u32 = 2;

/// A mesh against a solid, and the place of the mesh in the solid's frame.
#[derive(Clone, Copy)]
pub(crate) struct MeshAndSolid<'a> {
    pub mesh: &'a Mesh,
    pub convex: &'a Convex,
    pub place: &'a Frame,
}

/// Four spheres \[m\].
#[derive(Clone, Copy)]
pub(crate) struct FourSpheres<'a> {
    pub radius: &'a Lanes,
    pub surface: &'a Lanes,
}

/// Which of several spheres are not proved to be farther from something than the margin, and which certainly are not, as bits.
#[derive(Clone, Copy)]
pub(crate) struct OpenSpheres {
    pub open: u32,
    pub near: u32,
}

impl Solid {
    /// Which of four spheres around `centres`, which are in the solid's frame, are open.
    #[inline(always)]
    pub fn open_of_four<S: Simd>(&self, simd: S, centres: Vector<S>, spheres: FourSpheres, margin: f64) -> OpenSpheres {
        let [outside, beyond] = self.gap(simd, centres);
        let apart = spheres.radius.load(simd) + margin;
        let open = (!outside.simd_gt(apart * apart)).to_bitmask();
        if open == 0 {
            return OpenSpheres { open: 0, near: 0 };
        }
        let deepest = (margin - spheres.surface.load(simd)).min(f64x4::splat(simd, 0.0));
        let near = beyond.simd_le(deepest).to_bitmask();
        #[expect(clippy::cast_possible_truncation, reason = "four bits")]
        let [open, near] = [open, near].map(|bits| bits as u32);
        OpenSpheres { open, near }
    }
}

impl Frame {
    /// Four points of this frame in the outer one.
    #[inline(always)]
    pub fn four_points<S: Simd>(&self, simd: S, points: &[Lanes; 3]) -> Vector<S> {
        let [x, y, z] = [points[0].load(simd), points[1].load(simd), points[2].load(simd)];
        let (r, o) = (&self.rotation, &self.origin);
        [
            x * r[(0, 0)] + y * r[(0, 1)] + z * r[(0, 2)] + o[0],
            x * r[(1, 0)] + y * r[(1, 1)] + z * r[(1, 2)] + o[1],
            x * r[(2, 0)] + y * r[(2, 1)] + z * r[(2, 2)] + o[2],
        ]
    }
}

impl MeshAndSolid<'_> {
    /// Which of the first eight spheres are open, as bits; `None` where one is certainly within the margin.
    #[inline(always)]
    pub fn first_spheres<S: Simd>(&self, simd: S, margin: f64) -> Option<u32> {
        let OpenSpheres { open, near } = self.open_of_eight(simd, &self.mesh.spheres.eights[0], margin);
        (near == 0).then_some(open)
    }

    /// What the spheres prove that are a few divisions below the `open` ones of the first eight.
    #[inline(always)]
    pub fn verdict_by_spheres<S: Simd>(&self, simd: S, open: u32, margin: f64) -> Verdict {
        let mut verdict = Verdict::Free;
        let mut descent = self.descent(open);
        loop {
            while let Some(branch) = descent.next_open() {
                if descent.divisions >= BEFORE_HULLS || descent.enter(branch).is_some() {
                    verdict = Verdict::Open;
                }
            }
            let Some((_, eight)) = descent.next_eight() else { return verdict };
            let OpenSpheres { open, near } = self.open_of_eight(simd, eight, margin);
            if near != 0 {
                return Verdict::Near;
            }
            descent.open(open);
        }
    }

    /// Whether any triangle below the `open` ones of the first eight spheres is no farther from the solid than `margin`.
    #[inline(always)]
    pub fn are_within<S: Simd>(&self, simd: S, open: u32, margin: f64) -> bool {
        self.each_near(simd, open, None, margin, &mut AnyNear).is_break()
    }

    /// The nearest points of any triangle and the solid, where they are wanted, in the solid's frame. `towards` is a direction in which the
    /// mesh may be beyond the solid.
    #[inline(always)]
    pub fn nearest<S: Simd>(&self, simd: S, towards: &Vector3<f64>, wanted: Wanted) -> Option<NearPoints> {
        let found = self.guess(towards, &wanted);
        let direction = vector(found.on_first - found.on_second).try_normalize(0.0).unwrap_or(*towards);
        let within = wanted.nearer_than(found.distance);
        let mut visitor = Nearest { wanted, found, rounding: self.convex.rounding };
        if within > 0.0 {
            let open = self.open_of_eight(simd, &self.mesh.spheres.eights[0], within).open;
            let _ = self.each_near(simd, open, Some(&direction), within, &mut visitor);
        }
        (visitor.found.distance <= wanted.within).then_some(visitor.found)
    }

    /// Tells `visitor` of what is no farther from the solid than `margin` below the `open` ones of the first eight spheres, and goes on with
    /// the margin that it gives. It is fast where the mesh is beyond the solid along `direction`, of length 1.
    #[inline(always)]
    fn each_near<S: Simd>(
        &self,
        simd: S,
        open: u32,
        direction: Option<&Vector3<f64>>,
        mut margin: f64,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        let mut descent = self.descent(open);
        let mut at = 0;
        loop {
            while let Some(branch) = descent.next_open() {
                if self.is_part_apart(simd, at, branch, direction, margin) {
                    continue;
                }
                for piece in descent.enter(branch).unwrap_or_default() {
                    let triangle = placed_triangle(self.place, piece);
                    if self.is_near(&triangle, direction, margin) {
                        margin = visitor.near_triangle(&triangle, &*self.convex.shape)?;
                    }
                }
            }
            let Some((next, eight)) = descent.next_eight() else { return ControlFlow::Continue(()) };
            let OpenSpheres { open, near } = self.open_of_eight(simd, eight, margin);
            if near != 0 {
                visitor.near_sphere()?;
            }
            descent.open(open);
            at = next;
        }
    }

    #[inline(always)]
    fn descent(&self, open: u32) -> Descent<'_> {
        let mut descent = Descent::new(&self.mesh.spheres, Below::Eight(0));
        descent.next_eight();
        descent.open(open & self.mesh.spheres.eights[0].used);
        descent
    }

    #[inline(always)]
    fn open_of_eight<S: Simd>(&self, simd: S, eight: &Eight, margin: f64) -> OpenSpheres {
        let mut all = OpenSpheres { open: 0, near: 0 };
        for half in 0..2 {
            let centres = self.place.four_points(simd, &eight.centre[half]);
            let spheres = FourSpheres { radius: &eight.radius[half], surface: &eight.surface[half] };
            let OpenSpheres { open, near } = self.convex.solid.open_of_four(simd, centres, spheres, margin);
            all.open |= open << (LANES * half);
            all.near |= near << (LANES * half);
        }
        OpenSpheres { open: all.open & eight.used, near: all.near & eight.used }
    }

    /// Points of both that are near each other: from the nearest points of the hull of the mesh and the solid to the nearest of one, and back.
    fn guess(&self, towards: &Vector3<f64>, wanted: &Wanted) -> NearPoints {
        let back = self.place.inverse();
        let on_solid = self.hulls(Outline::Hull(&self.mesh.hull)).nearest(towards).map_or(Point::ZERO, |(at, _)| at);
        let to_mesh = |at, bound| {
            let near = self.mesh.spheres.nearest_to(&back.point(&vector(at)), bound, wanted.share_of_guess())?;
            Some(point(&self.place.point(&near)))
        };
        let to_solid = |at: Point, _| {
            let on_core = self.convex.shape.project_local_point(at, true).point;
            let apart = at - on_core;
            let rounding = self.convex.rounding;
            Some(if apart.length() > rounding { on_core + apart.normalize() * rounding } else { at })
        };
        wanted.guess(on_solid, to_mesh, to_solid)
    }

    fn hulls<'a>(&'a self, part: Outline<'a>) -> ConvexPair<'a> {
        ConvexPair { first: part, second: Outline::Solid(self.convex.solid), place: self.place }
    }

    /// Whether the hull of what a sphere has proves that it is farther than `margin` from the solid: along `direction`, if there is one, or
    /// along another one.
    #[inline(always)]
    fn is_part_apart<S: Simd>(
        &self,
        simd: S,
        eight: u32,
        branch: usize,
        direction: Option<&Vector3<f64>>,
        margin: f64,
    ) -> bool {
        let Some(part) = self.mesh.part(eight, branch) else { return false };
        let hulls = self.hulls(Outline::Hull(part));
        if let Some(direction) = direction
            && hulls.separation(simd, direction) > margin
        {
            return true;
        }
        let centre = vector(self.mesh.spheres.eights[eight as usize].get(branch).centre);
        let direction = self.convex.solid.direction_to(&self.place.point(&centre));
        hulls.are_apart(simd, &direction, PART_STEPS, margin)
    }

    /// Whether a triangle in the solid's frame is no farther from the solid than `margin`. If there is a direction, it is tried first.
    fn is_near(&self, triangle: &Triangle, direction: Option<&Vector3<f64>>, margin: f64) -> bool {
        let to_middle = self.convex.solid.direction_to(&vector(triangle.center()));
        !direction.is_some_and(|direction| self.is_beyond(triangle, direction, margin))
            && !self.is_beyond(triangle, &to_middle, margin)
            && is_within_of_triangle(&*self.convex.shape, triangle, margin + self.convex.rounding)
    }

    /// Whether a direction, of length 1, proves that a triangle is farther than `margin` from the solid.
    fn is_beyond(&self, triangle: &Triangle, direction: &Vector3<f64>, margin: f64) -> bool {
        let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| point(direction).dot(corner));
        a.min(b).min(c) - self.convex.solid.reach(direction) > margin
    }
}
