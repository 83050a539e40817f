//! A mesh with what surrounds it: spheres and convex hulls.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use nalgebra::Vector3;
use parry3d_f64::math::{Vector, Vector as Point};
use parry3d_f64::shape::TriMesh;

use crate::shapes::decomposition::convex_pieces;
use crate::shapes::hull::Hull;
use crate::shapes::spheres::{Below, Sphere, Spheres};

/// The hull of a mesh has so many corners at most.
const CORNERS: usize = 224;
/// Those of its convex pieces.
const PIECE_CORNERS: usize = 128;
/// And those of its parts.
const PART_CORNERS: usize = 48;
/// Spheres that are divided so often have no hull.
const PARTS_DEPTH: usize = 2;

/// A mesh with what surrounds it. Constant.
pub(crate) struct Mesh {
    pub triangles: TriMesh,
    pub spheres: Spheres,
    pub hull: Hull,
    /// Their hulls have together all of it.
    pub convex_pieces: Vec<ConvexPiece>,
    /// For each eight spheres, the hulls of what they have; none for those that are divided often.
    parts: Vec<Vec<Hull>>,
}

/// A part of a mesh: what a sphere has.
pub(crate) struct MeshPart<'a> {
    pub hull: &'a Hull,
    pub sphere: Sphere,
    pub below: Below<'a>,
    /// Where the sphere is among those of the mesh.
    eight: usize,
    branch: usize,
}

impl Mesh {
    pub fn new(triangles: TriMesh) -> Self {
        let spheres = Spheres::new(triangles.triangles());
        let hull = Hull::new(triangles.vertices(), CORNERS);
        let pieces = convex_pieces(&triangles);
        let convex_pieces = pieces.iter().map(|points| ConvexPiece::new(points, PIECE_CORNERS)).collect();
        let mut parts = vec![Vec::new(); spheres.eights.len()];
        spheres.each_above(PARTS_DEPTH, &mut |at, branch| {
            parts[at].push(Hull::new(&spheres.corners(at, branch), PART_CORNERS));
        });
        Self { triangles, spheres, hull, convex_pieces, parts }
    }

    /// The first eight parts.
    #[inline(always)]
    pub fn parts(&self) -> impl Iterator<Item = MeshPart<'_>> {
        self.parts_at(0, 0..self.parts[0].len())
    }

    /// The parts into which a part is divided, or that one where it has no others.
    #[inline(always)]
    pub fn divided(&self, part: &MeshPart) -> impl Iterator<Item = MeshPart<'_>> {
        match part.below {
            Below::Eight(below) if !self.parts[below as usize].is_empty() => {
                self.parts_at(below as usize, 0..self.parts[below as usize].len())
            }
            _ => self.parts_at(part.eight, part.branch..part.branch + 1),
        }
    }

    #[inline(always)]
    fn parts_at(&self, eight: usize, branches: Range<usize>) -> impl Iterator<Item = MeshPart<'_>> {
        let spheres = &self.spheres.eights[eight];
        branches.map(move |branch| MeshPart {
            hull: &self.parts[eight][branch],
            sphere: spheres.get(branch),
            below: self.spheres.below(spheres, branch),
            eight,
            branch,
        })
    }

    /// The hull of what that sphere has, if there is one.
    #[inline(always)]
    pub fn part(&self, eight: u32, branch: usize) -> Option<&Hull> {
        self.parts[eight as usize].get(branch)
    }
}

/// What surrounds a piece of a mesh \[m\].
pub(crate) struct ConvexPiece {
    pub hull: Hull,
    /// A sphere around this middle has all of it.
    pub middle: Vector3<f64>,
    pub radius: f64,
}

impl ConvexPiece {
    /// The piece with these points, of which there is at least one; the hull has at most `most` corners.
    pub fn new(points: &[Point], most: usize) -> Self {
        let (low, high) =
            points.iter().fold((Point::INFINITY, Point::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)));
        let hull = Hull::new(points, most);
        let middle = (low + high) * 0.5;
        let radius = points.iter().fold(0.0_f64, |most, point| most.max(point.distance(middle))) + hull.rounding;
        Self { hull, middle: middle.to_array().into(), radius }
    }
}

/// Each vertex once, and each triangle once, whichever its first corner and its orientation. Each face names vertices that there are.
pub(crate) fn distinct(vertices: &[[f64; 3]], faces: &[[u32; 3]]) -> (Vec<Vector>, Vec<[u32; 3]>) {
    let mut places = Vec::new();
    let mut index = HashMap::with_capacity(vertices.len());
    let mut number = |vertex: [f64; 3]| {
        // Adding 0 makes -0 the same as 0.
        *index.entry(vertex.map(|coordinate| (coordinate + 0.0).to_bits())).or_insert_with(|| {
            places.push(Vector::from(vertex));
            u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
        })
    };
    let numbers: Vec<u32> = vertices.iter().map(|&vertex| number(vertex)).collect();
    let mut known = HashSet::with_capacity(faces.len());
    let mut faces: Vec<[u32; 3]> = faces.iter().map(|face| face.map(|corner| numbers[corner as usize])).collect();
    faces.retain(|&face| known.insert(corners_of(face)));
    (places, faces)
}

/// The same for all triangles with these corners; two for what is no more than a line between two of them, and one for a point.
fn corners_of(face: [u32; 3]) -> [u32; 3] {
    let mut corners = face;
    corners.sort_unstable();
    let [a, b, c] = corners;
    if a == b { [a, c, c] } else { corners }
}
