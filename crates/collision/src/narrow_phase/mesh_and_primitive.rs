//! Proximity of a mesh and a primitive, by spheres, hulls of parts and triangles.

use std::ops::ControlFlow;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::Triangle;

use super::convex::{NearPoints, is_within_of_triangle};
use super::separation::ConvexPair;
use super::visitors::{AnyVisitor, DistanceQuery, NearestVisitor, Proximity, Visitor};
use super::{PART_SEPARATION_STEPS, placed_triangle};
use crate::shapes::Convex;
use crate::shapes::hull::ConvexBound;
use crate::shapes::mesh::Mesh;
use crate::shapes::primitive::Primitive;
use crate::shapes::spheres::{SphereChildren, SphereOctet, SphereTraversal};
use crate::shapes::transform::{Transform, point, vector};
use urdf_ik_mathematics::lanes::{LANES, Lanes, Vector};

/// Levels of the sphere tree that are tested before hulls.
const SPHERE_TEST_LEVELS: u32 = 2;

/// A mesh and a primitive, and the pose of the mesh in the primitive's frame.
#[derive(Clone, Copy)]
pub(crate) struct MeshAndPrimitive<'a> {
    pub mesh: &'a Mesh,
    pub convex: &'a Convex,
    pub place: &'a Transform,
}

/// Four spheres \[m\].
#[derive(Clone, Copy)]
pub(crate) struct FourSpheres<'a> {
    pub radius: &'a Lanes,
    pub surface: &'a Lanes,
}

/// Bit masks of the spheres not proven farther than the margin, and of those certainly within it.
#[derive(Clone, Copy)]
pub(crate) struct OpenSpheres {
    pub open: u32,
    pub near: u32,
}

impl Primitive {
    /// Tests four spheres with `centres` in the primitive's frame against `margin` \[m\].
    #[inline(always)]
    pub fn test_four<S: Simd>(&self, simd: S, centres: Vector<S>, spheres: FourSpheres, margin: f64) -> OpenSpheres {
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

impl Transform {
    /// Transforms four points to the primitive's frame.
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

impl MeshAndPrimitive<'_> {
    /// Bit mask of the eight root spheres not yet proven clear; `None` if one is definitely within `margin` \[m\].
    #[inline(always)]
    pub fn first_spheres<S: Simd>(&self, simd: S, margin: f64) -> Option<u32> {
        let OpenSpheres { open, near } = self.test_octet(simd, &self.mesh.spheres.octets[0], margin);
        (near == 0).then_some(open)
    }

    /// Tests the first levels of the sphere tree below the `open` root spheres against `margin` \[m\].
    #[inline(always)]
    pub fn proximity_by_spheres<S: Simd>(&self, simd: S, open: u32, margin: f64) -> Proximity {
        let mut verdict = Proximity::Apart;
        let mut descent = self.descent(open);
        loop {
            while let Some(branch) = descent.next_open() {
                if descent.divisions >= SPHERE_TEST_LEVELS || descent.enter(branch).is_some() {
                    verdict = Proximity::Undecided;
                }
            }
            let Some((_, octet)) = descent.next_octet() else { return verdict };
            let OpenSpheres { open, near } = self.test_octet(simd, octet, margin);
            if near != 0 {
                return Proximity::Within;
            }
            descent.open = open;
        }
    }

    /// True if a triangle below the `open` root spheres is within `margin` \[m\] of the primitive.
    #[inline(always)]
    pub fn are_within<S: Simd>(&self, simd: S, open: u32, margin: f64) -> bool {
        self.each_near(simd, open, None, margin, &mut AnyVisitor).is_break()
    }

    /// The nearest points \[m\] of the triangles and the primitive in the primitive's frame; `None` if they are beyond
    /// the query's distance. `towards`, in the same frame, is an initial direction from the primitive to the mesh.
    #[inline(always)]
    pub fn nearest<S: Simd>(&self, simd: S, towards: &Vector3<f64>, query: DistanceQuery) -> Option<NearPoints> {
        let found = self.guess(towards, &query);
        let direction = vector(found.on_first - found.on_second).try_normalize(0.0).unwrap_or(*towards);
        let within = query.improvement_bound(found.distance);
        let mut visitor = NearestVisitor { query, found, rounding: self.convex.rounding };
        if within > 0.0 {
            let open = self.test_octet(simd, &self.mesh.spheres.octets[0], within).open;
            let _ = self.each_near(simd, open, Some(&direction), within, &mut visitor);
        }
        (visitor.found.distance <= query.within).then_some(visitor.found)
    }

    /// Calls `visitor` for each triangle within the margin below the `open` root spheres; the visitor may shrink the
    /// margin. A good unit `direction` from the primitive to the mesh makes this fast.
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
            let Some((next, octet)) = descent.next_octet() else { return ControlFlow::Continue(()) };
            let OpenSpheres { open, near } = self.test_octet(simd, octet, margin);
            if near != 0 {
                visitor.near_sphere()?;
            }
            descent.open = open;
            at = next;
        }
    }

    #[inline(always)]
    fn descent(&self, open: u32) -> SphereTraversal<'_> {
        let mut descent = SphereTraversal::new(&self.mesh.spheres, SphereChildren::Octet(0));
        descent.next_octet();
        descent.open = open & self.mesh.spheres.octets[0].used;
        descent
    }

    #[inline(always)]
    fn test_octet<S: Simd>(&self, simd: S, octet: &SphereOctet, margin: f64) -> OpenSpheres {
        let mut all = OpenSpheres { open: 0, near: 0 };
        for half in 0..2 {
            let centres = self.place.four_points(simd, &octet.centre[half]);
            let spheres = FourSpheres { radius: &octet.radius[half], surface: &octet.surface[half] };
            let OpenSpheres { open, near } = self.convex.solid.test_four(simd, centres, spheres, margin);
            all.open |= open << (LANES * half);
            all.near |= near << (LANES * half);
        }
        OpenSpheres { open: all.open & octet.used, near: all.near & octet.used }
    }

    /// An initial guess of the nearest points: from those of the mesh's hull and the primitive, by alternating
    /// projections.
    fn guess(&self, towards: &Vector3<f64>, query: &DistanceQuery) -> NearPoints {
        let back = self.place.inverse();
        let on_solid =
            self.hulls(ConvexBound::Hull(&self.mesh.hull)).nearest(towards).map_or(Point::ZERO, |(at, _)| at);
        let to_mesh = |at, bound| {
            let near = self.mesh.spheres.nearest_to(&back.point(&vector(at)), bound, query.guess_accuracy())?;
            Some(point(&self.place.point(&near)))
        };
        let to_solid = |at: Point, _| {
            let on_core = self.convex.shape.project_local_point(at, true).point;
            let apart = at - on_core;
            let rounding = self.convex.rounding;
            Some(if apart.length() > rounding { on_core + apart.normalize() * rounding } else { at })
        };
        query.guess(on_solid, to_mesh, to_solid)
    }

    fn hulls<'a>(&'a self, part: ConvexBound<'a>) -> ConvexPair<'a> {
        ConvexPair { first: part, second: ConvexBound::Primitive(self.convex.solid), place: self.place }
    }

    /// True if the hull of a sphere's contents is proven farther than `margin` from the primitive: along `direction`,
    /// if given, or another one.
    #[inline(always)]
    fn is_part_apart<S: Simd>(
        &self,
        simd: S,
        octet: u32,
        branch: usize,
        direction: Option<&Vector3<f64>>,
        margin: f64,
    ) -> bool {
        let Some(part) = self.mesh.part(octet, branch) else { return false };
        let hulls = self.hulls(ConvexBound::Hull(part));
        if let Some(direction) = direction
            && hulls.separation(simd, direction) > margin
        {
            return true;
        }
        let centre = vector(self.mesh.spheres.octets[octet as usize].get(branch).centre);
        let direction = self.convex.solid.direction_to(&self.place.point(&centre));
        hulls.are_apart(simd, &direction, PART_SEPARATION_STEPS, margin)
    }

    /// True if a triangle in the primitive's frame is within `margin`. A given direction is tried first.
    fn is_near(&self, triangle: &Triangle, direction: Option<&Vector3<f64>>, margin: f64) -> bool {
        let to_middle = self.convex.solid.direction_to(&vector(triangle.center()));
        !direction.is_some_and(|direction| self.is_beyond(triangle, direction, margin))
            && !self.is_beyond(triangle, &to_middle, margin)
            && is_within_of_triangle(&*self.convex.shape, triangle, margin + self.convex.rounding)
    }

    /// True if a unit direction proves that a triangle is farther than `margin` from the primitive.
    fn is_beyond(&self, triangle: &Triangle, direction: &Vector3<f64>, margin: f64) -> bool {
        let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| point(direction).dot(corner));
        a.min(b).min(c) - self.convex.solid.reach(direction) > margin
    }
}
