//! A mesh with what surrounds it: spheres and convex hulls.

use parry3d_f64::shape::TriMesh;

use super::convex_piece::ConvexPiece;
use super::decomposition::convex_pieces;
use super::hull::Hull;
use super::spheres::Spheres;

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

    /// The hull of what that sphere has, if there is one.
    #[inline(always)]
    pub fn part(&self, eight: u32, branch: usize) -> Option<&Hull> {
        self.parts[eight as usize].get(branch)
    }
}
