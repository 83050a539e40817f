//! A mesh with what surrounds it: spheres and convex hulls.

use std::ops::Range;

use parry3d_f64::shape::TriMesh;

use super::convex_piece::ConvexPiece;
use super::decomposition::convex_pieces;
use super::hull::Hull;
use super::spheres::{Below, Sphere, Spheres};

/// The hull of a mesh has so many corners at most.
const CORNERS: usize = 224;
/// Those of its convex pieces.
const PIECE_CORNERS: usize = 128;
/// And those of its parts.
const PART_CORNERS: usize = 48;
/// Spheres that are divided so often have no hull.
const PARTS_DEPTH: usize = 2;

/// A mesh with what surrounds it. Constant.
pub(super) struct Mesh {
    pub triangles: TriMesh,
    pub spheres: Spheres,
    pub hull: Hull,
    /// Their hulls have together all of it.
    pub convex_pieces: Vec<ConvexPiece>,
    /// For each eight spheres, the hulls of what they have; none for those that are divided often.
    parts: Vec<Vec<Hull>>,
}

/// A part of a mesh: what a sphere has.
pub(super) struct MeshPart<'a> {
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
