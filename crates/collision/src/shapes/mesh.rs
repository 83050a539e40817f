//! A mesh with its bounding volumes: spheres and convex hulls.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;

use super::decomposition::convex_pieces;
use super::hull::Hull;
use super::spheres::{Sphere, SphereChildren, SphereTraversal, Spheres, around};
use super::transform::vector;

/// Maximum number of vertices of the hull of a mesh.
const MAX_HULL_CORNERS: usize = 224;
/// Maximum number of vertices of the hull of a convex piece.
const MAX_PIECE_CORNERS: usize = 128;
/// Maximum number of vertices of the hull of a mesh part.
const MAX_PART_CORNERS: usize = 48;
/// Levels of the sphere tree that have hulls.
const PART_LEVELS: u32 = 2;

/// A mesh with its bounding volumes. Immutable.
pub(crate) struct Mesh {
    /// Distinct vertices \[m\].
    pub vertices: Vec<Point>,
    /// Distinct triangles, by the indices of their vertices.
    pub faces: Vec<[u32; 3]>,
    pub spheres: Spheres,
    pub hull: Hull,
    /// Convex pieces, whose hulls together contain the mesh.
    pub convex_pieces: Vec<ConvexPiece>,
    /// For each octet, the hulls of the contents of its spheres; empty below the first levels.
    parts: Vec<Vec<Hull>>,
}

/// A nearly convex piece of a mesh, with its bounding volumes \[m\].
pub(crate) struct ConvexPiece {
    pub hull: Hull,
    /// Centre of a bounding sphere \[m\].
    pub middle: Vector3<f64>,
    pub radius: f64,
}

/// The part of a mesh inside one sphere of its tree.
pub(crate) struct MeshPart<'a> {
    pub hull: &'a Hull,
    pub sphere: Sphere,
    pub children: SphereChildren<'a>,
    /// Position of the sphere in the tree.
    octet: usize,
    branch: usize,
}

impl Mesh {
    /// Builds a mesh from vertices \[m\] and faces, whose indices must be valid; `None` without triangles.
    pub fn new(vertices: &[[f64; 3]], faces: &[[u32; 3]]) -> Option<Self> {
        let (vertices, faces) = distinct(vertices, faces);
        if faces.is_empty() {
            return None;
        }
        let spheres = Spheres::new(faces.iter().map(|face| face.map(|vertex| vertices[vertex as usize])).collect());
        let hull = Hull::new(&vertices, MAX_HULL_CORNERS);
        let convex_pieces = convex_pieces(&vertices, &faces).iter().map(|points| ConvexPiece::new(points)).collect();
        let mut parts = vec![Vec::new(); spheres.octets.len()];
        let mut descent = SphereTraversal::new(&spheres, SphereChildren::Octet(0));
        while let Some((at, octet)) = descent.next_octet() {
            descent.open = octet.used;
            while let Some(branch) = descent.next_open() {
                parts[at as usize].push(Hull::new(&spheres.corners(spheres.children(octet, branch)), MAX_PART_CORNERS));
                if descent.divisions + 1 < PART_LEVELS {
                    descent.enter(branch);
                }
            }
        }
        Some(Self { vertices, faces, spheres, hull, convex_pieces, parts })
    }

    /// The parts of the first octet.
    #[inline(always)]
    pub fn parts(&self) -> impl Iterator<Item = MeshPart<'_>> {
        self.parts_at(0, 0..self.parts[0].len())
    }

    /// The subdivision of a part, or the part itself if it has none.
    #[inline(always)]
    pub fn divided(&self, part: &MeshPart) -> impl Iterator<Item = MeshPart<'_>> {
        match part.children {
            SphereChildren::Octet(children) if !self.parts[children as usize].is_empty() => {
                self.parts_at(children as usize, 0..self.parts[children as usize].len())
            }
            _ => self.parts_at(part.octet, part.branch..part.branch + 1),
        }
    }

    #[inline(always)]
    fn parts_at(&self, octet: usize, branches: Range<usize>) -> impl Iterator<Item = MeshPart<'_>> {
        let spheres = &self.spheres.octets[octet];
        branches.map(move |branch| MeshPart {
            hull: &self.parts[octet][branch],
            sphere: spheres.get(branch),
            children: self.spheres.children(spheres, branch),
            octet,
            branch,
        })
    }

    /// The hull of the contents of a sphere; `None` if it has none.
    #[inline(always)]
    pub fn part(&self, octet: u32, branch: usize) -> Option<&Hull> {
        self.parts[octet as usize].get(branch)
    }
}

impl ConvexPiece {
    /// The piece with these points, which must not be empty.
    fn new(points: &[Point]) -> Self {
        let (low, high) = around(points.iter().copied());
        let hull = Hull::new(points, MAX_PIECE_CORNERS);
        let middle = (low + high) * 0.5;
        let radius = points.iter().fold(0.0_f64, |most, point| most.max(point.distance(middle))) + hull.rounding;
        Self { hull, middle: vector(middle), radius }
    }
}

/// Removes repeated vertices, and repeated triangles regardless of their first corner and orientation: mesh files
/// contain both.
fn distinct(vertices: &[[f64; 3]], faces: &[[u32; 3]]) -> (Vec<Point>, Vec<[u32; 3]>) {
    let mut places = Vec::new();
    let mut index = HashMap::with_capacity(vertices.len());
    let mut number = |vertex: [f64; 3]| {
        // Adding 0 turns -0 into 0.
        *index.entry(vertex.map(|coordinate| (coordinate + 0.0).to_bits())).or_insert_with(|| {
            places.push(Point::from(vertex));
            u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
        })
    };
    let numbers: Vec<u32> = vertices.iter().map(|&vertex| number(vertex)).collect();
    let mut known = HashSet::with_capacity(faces.len());
    let mut faces: Vec<[u32; 3]> = faces.iter().map(|face| face.map(|corner| numbers[corner as usize])).collect();
    faces.retain(|&face| known.insert(corners_of(face)));
    (places, faces)
}

/// A key shared by all triangles with the same corners; degenerate triangles have the key of a line or a point.
fn corners_of(face: [u32; 3]) -> [u32; 3] {
    let mut corners = face;
    corners.sort_unstable();
    let [a, b, c] = corners;
    if a == b { [a, c, c] } else { corners }
}
