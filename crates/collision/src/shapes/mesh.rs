//! A mesh with what surrounds it: spheres and convex hulls.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;

use super::decomposition::convex_pieces;
use super::frame::vector;
use super::hull::Hull;
use super::spheres::{Below, Descent, Sphere, Spheres, around};

/// The hull of a mesh has so many corners at most.
const CORNERS: usize = 224;
/// The hull of each of its convex pieces has so many corners at most.
const PIECE_CORNERS: usize = 128;
/// The hull of each of its parts has so many corners at most.
const PART_CORNERS: usize = 48;
/// Spheres that are divided so often have no hull.
const PARTS_DEPTH: u32 = 2;

/// A mesh with what surrounds it. Constant.
pub(crate) struct Mesh {
    /// Each place once \[m\].
    pub vertices: Vec<Point>,
    /// Each triangle once, by its vertices.
    pub faces: Vec<[u32; 3]>,
    pub spheres: Spheres,
    pub hull: Hull,
    /// Their hulls have together all of it.
    pub convex_pieces: Vec<ConvexPiece>,
    /// For each eight spheres, the hulls of what they have; none for those that are divided often.
    parts: Vec<Vec<Hull>>,
}

/// A piece of a mesh that is nearly convex, and what surrounds it \[m\].
pub(crate) struct ConvexPiece {
    pub hull: Hull,
    /// A sphere around this middle has all of it.
    pub middle: Vector3<f64>,
    pub radius: f64,
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
    /// The mesh of these triangles; `None` where there are none. Each face names vertices that there are \[m\].
    pub fn new(vertices: &[[f64; 3]], faces: &[[u32; 3]]) -> Option<Self> {
        let (vertices, faces) = distinct(vertices, faces);
        if faces.is_empty() {
            return None;
        }
        let spheres = Spheres::new(faces.iter().map(|face| face.map(|vertex| vertices[vertex as usize])).collect());
        let hull = Hull::new(&vertices, CORNERS);
        let convex_pieces = convex_pieces(&vertices, &faces).iter().map(|points| ConvexPiece::new(points)).collect();
        let mut parts = vec![Vec::new(); spheres.eights.len()];
        let mut descent = Descent::new(&spheres, Below::Eight(0));
        while let Some((at, eight)) = descent.next_eight() {
            descent.open(eight.used);
            while let Some(branch) = descent.next_open() {
                parts[at as usize].push(Hull::new(&spheres.corners(spheres.below(eight, branch)), PART_CORNERS));
                if descent.divisions + 1 < PARTS_DEPTH {
                    descent.enter(branch);
                }
            }
        }
        Some(Self { vertices, faces, spheres, hull, convex_pieces, parts })
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

impl ConvexPiece {
    /// The piece with these points, of which there is at least one.
    fn new(points: &[Point]) -> Self {
        let (low, high) = around(points.iter().copied());
        let hull = Hull::new(points, PIECE_CORNERS);
        let middle = (low + high) * 0.5;
        let radius = points.iter().fold(0.0_f64, |most, point| most.max(point.distance(middle))) + hull.rounding;
        Self { hull, middle: vector(middle), radius }
    }
}

/// Each vertex once, and each triangle once, whichever its first corner and its orientation: files of triangles repeat each vertex, and
/// some repeat triangles.
fn distinct(vertices: &[[f64; 3]], faces: &[[u32; 3]]) -> (Vec<Point>, Vec<[u32; 3]>) {
    let mut places = Vec::new();
    let mut index = HashMap::with_capacity(vertices.len());
    let mut number = |vertex: [f64; 3]| {
        // Adding 0 makes -0 the same as 0.
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

/// What all triangles with these corners have in common: three corners, two of what is no more than a line between them, one of a point.
fn corners_of(face: [u32; 3]) -> [u32; 3] {
    let mut corners = face;
    corners.sort_unstable();
    let [a, b, c] = corners;
    if a == b { [a, c, c] } else { corners }
}
