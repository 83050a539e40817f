//! The narrow phase: margin tests, distances and contacts of two shapes.
//!
//! All queries use the same sequence of bounds: spheres, hulls of whole shapes, hulls of parts, triangles.
//!
//! A query differs from the others in its bound alone: within a margin, nearest points, or the exact distance, which
//! has no bound. Each mesh has one tree of spheres, and two meshes are descended together.

mod convex;
pub(crate) mod depth;
pub(crate) mod mesh_and_primitive;
mod near_triangles;
pub(crate) mod separation;
mod two_meshes;
pub(crate) mod visitors;

use fearless_simd::{Level, Simd, dispatch};
use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::shape::Triangle;

use crate::shapes::mesh::Mesh;
use crate::shapes::spheres::SurfacePiece;
use crate::shapes::transform::{Transform, point, vector};
use crate::shapes::{Convex, Core, PlacedShape};
use convex::{NearPoints, convex_nearest};
use depth::Depths;
use mesh_and_primitive::MeshAndPrimitive;
use separation::ConvexPair;
use two_meshes::TwoMeshes;
use visitors::{DistanceQuery, Proximity};

/// Maximum distance of shapes in contact \[m\]: distances are computed iteratively, to about this accuracy.
pub const TOUCHING: f64 = 1e-7;
/// Directions tried to separate two shapes before GJK.
const SEPARATION_STEPS: usize = 5;
/// Directions tried to separate two shapes before a search for nearest points.
const NEAREST_SEPARATION_STEPS: usize = 6;
/// Directions tried to separate parts of meshes.
const PART_SEPARATION_STEPS: usize = 8;

/// Two shapes, and the pose of the first core in the frame of the second. In a pair of a mesh and a primitive, the mesh
/// is the first.
pub(crate) struct ShapePair<'a> {
    first: &'a PlacedShape,
    second: &'a PlacedShape,
    cores: Cores<'a>,
    place: Transform,
    /// The inverse pose, if the shapes were swapped.
    turned: Option<Transform>,
}

/// The kinds of cores of a pair.
#[derive(Clone, Copy)]
enum Cores<'a> {
    Meshes(&'a Mesh, &'a Mesh),
    MeshAndPrimitive(&'a Mesh, &'a Convex),
    Primitives(&'a Convex, &'a Convex),
}

/// Nearest or deepest points of two shapes, in the frame of the second.
pub(crate) struct Contact {
    /// Distance \[m\]; 0 for touching or overlapping shapes.
    pub distance: f64,
    /// Penetration depth \[m\].
    pub depth: f64,
    /// The nearest point of each shape in the frame of the second core \[m\]; the deepest points if the shapes overlap.
    pub points: [Vector3<f64>; 2],
    /// Unit vector in the frame of the second core, along which the first shape moves away from the second.
    pub normal: Vector3<f64>,
}

impl<'a> ShapePair<'a> {
    /// The pair of two shapes; `place` is the pose of the first core in the frame of the second \[m\].
    #[inline(always)]
    pub fn new(first: &'a PlacedShape, second: &'a PlacedShape, place: Transform) -> Self {
        let cores = match (&first.core, &second.core) {
            (Core::Mesh(a), Core::Mesh(b)) => Cores::Meshes(a, b),
            (Core::Mesh(mesh), Core::Convex(convex)) => Cores::MeshAndPrimitive(mesh, convex),
            (Core::Convex(a), Core::Convex(b)) => Cores::Primitives(a, b),
            (Core::Convex(convex), Core::Mesh(mesh)) => {
                let cores = Cores::MeshAndPrimitive(mesh, convex);
                return Self { first: second, second: first, cores, place: place.inverse(), turned: Some(place) };
            }
        };
        Self { first, second, cores, place, turned: None }
    }

    fn outlines(&self) -> ConvexPair<'_> {
        ConvexPair { first: self.first.outline(), second: self.second.outline(), place: &self.place }
    }

    /// Unit vector, probably pointing from the second to the first.
    #[inline(always)]
    fn direction(&self) -> Vector3<f64> {
        let towards = self.place.point(&vector(self.first.sphere().centre));
        match self.second.convex() {
            Some(convex) => convex.solid.direction_to(&towards),
            None => (towards - vector(self.second.sphere().centre)).try_normalize(0.0).unwrap_or_else(Vector3::y),
        }
    }

    /// Bit mask of root spheres not yet proven clear, all ones if the test does not apply; `None` if one is
    /// definitely within `margin` \[m\].
    #[inline(always)]
    pub fn first_spheres<S: Simd>(&self, simd: S, margin: f64) -> Option<u32> {
        let place = &self.place;
        match self.cores {
            Cores::Meshes(first, second) => {
                let is_free = TwoMeshes { first, second, place }.are_first_spheres_apart(simd, margin);
                Some(if is_free { 0 } else { u32::MAX })
            }
            Cores::MeshAndPrimitive(mesh, convex) => {
                MeshAndPrimitive { mesh, convex, place }.first_spheres(simd, margin)
            }
            Cores::Primitives(..) => Some(u32::MAX),
        }
    }

    /// Tests spheres below the `open` root spheres and hulls against `margin` \[m\].
    #[inline(always)]
    pub fn proximity_by_bounds<S: Simd>(&self, simd: S, open: u32, margin: f64) -> Proximity {
        let place = &self.place;
        if let Cores::MeshAndPrimitive(mesh, convex) = self.cores {
            let verdict = MeshAndPrimitive { mesh, convex, place }.proximity_by_spheres(simd, open, margin);
            if verdict != Proximity::Undecided {
                return verdict;
            }
        }
        if let Cores::Meshes(first, second) = self.cores
            && first.convex_pieces.len() + second.convex_pieces.len() > 2
        {
            return TwoMeshes { first, second, place }.proximity_by_pieces(simd, margin);
        }
        let (outlines, direction) = (self.outlines(), self.direction());
        if outlines.are_apart(simd, &direction, SEPARATION_STEPS, margin) {
            return Proximity::Apart;
        }
        match outlines.separating_direction(&direction, margin) {
            Some(direction) if outlines.separation(simd, &direction) > margin => Proximity::Apart,
            _ => Proximity::Undecided,
        }
    }

    /// Exact test against `margin` \[m\], for pairs that the bounds leave undecided.
    #[inline(always)]
    pub fn are_within<S: Simd>(&self, simd: S, open: u32, margin: f64) -> bool {
        let place = &self.place;
        match self.cores {
            Cores::Meshes(first, second) => TwoMeshes { first, second, place }.are_within(simd, margin),
            Cores::MeshAndPrimitive(mesh, convex) => {
                MeshAndPrimitive { mesh, convex, place }.are_within(simd, open, margin)
            }
            Cores::Primitives(first, second) => self.nearest_of_solids(first, second).distance <= margin,
        }
    }

    /// The distance \[m\]; 0 if they touch, `None` above `bound` \[m\].
    pub fn distance(&self, bound: f64) -> Option<f64> {
        let found = dispatch!(Level::new(), simd => self.nearest(simd, &self.direction(), DistanceQuery::exact(bound)));
        found.map(|near| near.distance)
    }

    /// The nearest points or the penetration, in the frame of the second core; `None` beyond the query's distance.
    pub fn contact(&self, query: DistanceQuery, depths: &mut Depths) -> Option<Contact> {
        let towards = self.direction();
        let NearPoints { distance, on_first, on_second } =
            dispatch!(Level::new(), simd => self.nearest(simd, &towards, query))?;
        let points = [on_first, on_second].map(vector);
        let contact = if distance <= TOUCHING {
            let touch = Contact { distance: 0.0, depth: 0.0, points, normal: towards };
            depths.of(self.first, self.second, &self.place, &towards).unwrap_or(touch)
        } else {
            let normal = (points[0] - points[1]).try_normalize(0.0).unwrap_or(towards);
            Contact { distance, depth: 0.0, points, normal }
        };
        let Some(back) = &self.turned else { return Some(contact) };
        let [p, q] = contact.points.map(|point| back.point(&point));
        Some(Contact { points: [q, p], normal: -(back.rotation * contact.normal), ..contact })
    }

    /// The nearest points, if they are within the query. `towards` is the direction of the pair.
    #[inline(always)]
    fn nearest<S: Simd>(&self, simd: S, towards: &Vector3<f64>, query: DistanceQuery) -> Option<NearPoints> {
        if self.outlines().are_apart(simd, towards, NEAREST_SEPARATION_STEPS, query.within) {
            return None;
        }
        let place = &self.place;
        match self.cores {
            Cores::Meshes(first, second) => TwoMeshes { first, second, place }.nearest(simd, query),
            Cores::MeshAndPrimitive(mesh, convex) => {
                MeshAndPrimitive { mesh, convex, place }.nearest(simd, towards, query)
            }
            Cores::Primitives(first, second) => {
                Some(self.nearest_of_solids(first, second)).filter(|near| near.distance <= query.within)
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

/// A surface piece, transformed by `place`.
fn placed_triangle(place: &Transform, piece: &SurfacePiece) -> Triangle {
    let [a, b, c] = piece.map(|corner| point(&place.point(&vector(corner))));
    Triangle::new(a, b, c)
}
