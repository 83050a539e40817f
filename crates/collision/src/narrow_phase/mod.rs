//! The narrow phase: whether two shapes are within a margin of each other, and how near they are.
//!
//! All questions go the same way, with another bound: spheres, hulls of whole shapes, hulls of parts, triangles.

mod convex;
pub(crate) mod depth;
pub(crate) mod mesh_and_solid;
mod near_triangles;
pub(crate) mod separation;
mod two_meshes;
pub(crate) mod visitors;

use fearless_simd::{Level, Simd, dispatch};
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::Triangle;

use crate::shapes::frame::{Frame, point, vector};
use crate::shapes::mesh::Mesh;
use crate::shapes::spheres::Piece;
use crate::shapes::{Convex, Core, PlacedShape};
use convex::{NearPoints, convex_nearest};
use depth::Depths;
use mesh_and_solid::MeshAndSolid;
use separation::ConvexPair;
use two_meshes::TwoMeshes;
use visitors::{Verdict, Wanted};

/// What is no farther apart than this touches \[m\]: distances are found by iterations, which end near the true one.
pub const TOUCHING: f64 = 1e-7;
/// So many directions are tried to prove that two shapes are apart, before GJK.
const STEPS: usize = 5;
/// So many directions are tried to prove that two shapes are not near, before their nearest points are looked for.
const NEAREST_STEPS: usize = 6;
/// So many directions are tried to prove that parts of meshes are apart.
const PART_STEPS: usize = 8;

/// Two shapes, and the place of the core of the first in the frame of the core of the second. Of a mesh and a solid the mesh is the first.
pub(crate) struct ShapePair<'a> {
    first: &'a PlacedShape,
    second: &'a PlacedShape,
    cores: Cores<'a>,
    place: Frame,
    /// The inverse of the place where the shapes were given the other way round.
    turned: Option<Frame>,
}

/// What the shapes of a pair are.
#[derive(Clone, Copy)]
enum Cores<'a> {
    Meshes(&'a Mesh, &'a Mesh),
    MeshAndSolid(&'a Mesh, &'a Convex),
    Solids(&'a Convex, &'a Convex),
}

/// How two shapes are near each other, in the frame of the second.
pub(crate) struct Contact {
    /// Their distance \[m\]; 0 where they touch.
    pub distance: f64,
    /// How far one has to move at least to leave the other \[m\].
    pub depth: f64,
    /// The nearest point of each, or the deepest where they overlap \[m\].
    pub points: [Vector3<f64>; 2],
    /// The direction in which the first moves away from the second; of length 1.
    pub normal: Vector3<f64>,
}

impl<'a> ShapePair<'a> {
    /// The pair of two shapes, where `place` is that of the core of the first in the frame of the core of the second.
    #[inline(always)]
    pub fn new(first: &'a PlacedShape, second: &'a PlacedShape, place: Frame) -> Self {
        let cores = match (&first.core, &second.core) {
            (Core::Mesh(a), Core::Mesh(b)) => Cores::Meshes(a, b),
            (Core::Mesh(mesh), Core::Convex(convex)) => Cores::MeshAndSolid(mesh, convex),
            (Core::Convex(a), Core::Convex(b)) => Cores::Solids(a, b),
            (Core::Convex(convex), Core::Mesh(mesh)) => {
                let cores = Cores::MeshAndSolid(mesh, convex);
                return Self { first: second, second: first, cores, place: place.inverse(), turned: Some(place) };
            }
        };
        Self { first, second, cores, place, turned: None }
    }

    fn outlines(&self) -> ConvexPair<'_> {
        ConvexPair { first: self.first.outline(), second: self.second.outline(), place: &self.place }
    }

    /// A direction in which the first is probably beyond the second, of length 1.
    #[inline(always)]
    fn direction(&self) -> Vector3<f64> {
        let towards = self.place.point(&vector(self.first.sphere().centre));
        match self.second.convex() {
            Some(convex) => convex.solid.direction_to(&towards),
            None => (towards - vector(self.second.sphere().centre)).try_normalize(0.0).unwrap_or_else(Vector3::y),
        }
    }

    /// Which of the first eight spheres of the first are not proved to be farther from the second than `margin`, as bits, all where they prove
    /// nothing; `None` where one is certainly not.
    #[inline(always)]
    pub fn first_spheres<S: Simd>(&self, simd: S, margin: f64) -> Option<u32> {
        let place = &self.place;
        match self.cores {
            Cores::Meshes(first, second) => {
                let is_free = TwoMeshes { first, second, place }.are_first_spheres_apart(simd, margin);
                Some(if is_free { 0 } else { u32::MAX })
            }
            Cores::MeshAndSolid(mesh, convex) => MeshAndSolid { mesh, convex, place }.first_spheres(simd, margin),
            Cores::Solids(..) => Some(u32::MAX),
        }
    }

    /// What spheres below the `open` ones of the first eight, and hulls, tell of the shapes.
    #[inline(always)]
    pub fn verdict_by_bounds<S: Simd>(&self, simd: S, open: u32, margin: f64) -> Verdict {
        let place = &self.place;
        if let Cores::MeshAndSolid(mesh, convex) = self.cores {
            let verdict = MeshAndSolid { mesh, convex, place }.verdict_by_spheres(simd, open, margin);
            if verdict != Verdict::Open {
                return verdict;
            }
        }
        if let Cores::Meshes(first, second) = self.cores
            && first.convex_pieces.len() + second.convex_pieces.len() > 2
        {
            return TwoMeshes { first, second, place }.verdict_by_pieces(simd, margin);
        }
        let (outlines, direction) = (self.outlines(), self.direction());
        if outlines.are_apart(simd, &direction, STEPS, margin) {
            return Verdict::Free;
        }
        match outlines.separating_direction(&direction, margin) {
            Some(direction) if outlines.separation(simd, &direction) > margin => Verdict::Free,
            _ => Verdict::Open,
        }
    }

    /// Whether the shapes are no farther apart than `margin`, exactly: for what spheres and hulls leave open.
    #[inline(always)]
    pub fn are_within<S: Simd>(&self, simd: S, open: u32, margin: f64) -> bool {
        let place = &self.place;
        match self.cores {
            Cores::Meshes(first, second) => TwoMeshes { first, second, place }.are_within(simd, margin),
            Cores::MeshAndSolid(mesh, convex) => MeshAndSolid { mesh, convex, place }.are_within(simd, open, margin),
            Cores::Solids(first, second) => self.nearest_of_solids(first, second).distance <= margin,
        }
    }

    /// Their distance, where it is no greater than `bound` \[m\]; 0 where they touch.
    pub fn distance(&self, bound: f64) -> Option<f64> {
        let found = dispatch!(Level::new(), simd => self.nearest(simd, &self.direction(), Wanted::exact(bound)));
        found.map(|near| near.distance)
    }

    /// How near they are to each other, where that is wanted, or how deep in each other.
    pub fn contact(&self, wanted: Wanted, depths: &mut Depths) -> Option<Contact> {
        let towards = self.direction();
        let NearPoints { distance, on_first, on_second } =
            dispatch!(Level::new(), simd => self.nearest(simd, &towards, wanted))?;
        let points = [on_first, on_second].map(vector);
        let contact = if distance <= TOUCHING {
            let touch = Contact { distance: 0.0, depth: 0.0, points, normal: towards };
            depths.of(self.first, self.second, &self.place, &towards).unwrap_or(touch)
        } else {
            let normal = (points[0] - points[1]).try_normalize(0.0).unwrap_or(towards);
            Contact { distance, depth: 0.0, points, normal }
        };
        Some(match &self.turned {
            None => contact,
            Some(back) => {
                let [p, q] = contact.points.map(|point| back.point(&point));
                Contact { points: [q, p], normal: -(back.rotation * contact.normal), ..contact }
            }
        })
    }

    /// Their nearest points, where they are wanted. `towards` is the direction of the pair.
    #[inline(always)]
    fn nearest<S: Simd>(&self, simd: S, towards: &Vector3<f64>, wanted: Wanted) -> Option<NearPoints> {
        if self.outlines().are_apart(simd, towards, NEAREST_STEPS, wanted.within) {
            return None;
        }
        let place = &self.place;
        match self.cores {
            Cores::Meshes(first, second) => TwoMeshes { first, second, place }.nearest(simd, wanted),
            Cores::MeshAndSolid(mesh, convex) => MeshAndSolid { mesh, convex, place }.nearest(simd, towards, wanted),
            Cores::Solids(first, second) => {
                Some(self.nearest_of_solids(first, second)).filter(|near| near.distance <= wanted.within)
            }
        }
    }

    fn nearest_of_solids(&self, first: &Convex, second: &Convex) -> NearPoints {
        let place = self.place.pose();
        let Some([on_second, on_first]) = convex_nearest(&*second.shape, &*first.shape, &place) else {
            return NearPoints { distance: 0.0, on_first: place.translation, on_second: Point::ZERO };
        };
        let apart = on_first - on_second;
        let direction = apart.normalize_or_zero();
        NearPoints {
            distance: (apart.length() - (first.rounding + second.rounding)).max(0.0),
            on_first: on_first - direction * first.rounding,
            on_second: on_second + direction * second.rounding,
        }
    }
}

/// `place` times a piece of a mesh.
fn placed_triangle(place: &Frame, piece: &Piece) -> Triangle {
    let [a, b, c] = piece.map(|corner| point(&place.point(&vector(corner))));
    Triangle::new(a, b, c)
}
