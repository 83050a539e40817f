//! A mesh with what surrounds it: spheres and a convex hull.

use parry3d_f64::shape::TriMesh;

use super::hull::Hull;
use super::spheres::Spheres;

/// The hull of a mesh has so many corners at most.
const CORNERS: usize = 224;
/// And those of its parts.
const PART_CORNERS: usize = 48;
/// Spheres that are divided so often have no hull.
const PARTS_DEPTH: usize = 2;

/// A mesh with what surrounds it. Constant.
pub(super) struct Mesh {
    pub triangles: TriMesh,
    pub spheres: Spheres,
    pub hull: Hull,
    /// For each eight spheres, the hulls of what they have; none for those that are divided often.
    parts: Vec<Vec<Hull>>,
}

impl Mesh {
    pub fn new(triangles: TriMesh) -> Self {
        let spheres = Spheres::new(triangles.triangles());
        let hull = Hull::new(triangles.vertices(), CORNERS);
        let mut parts = vec![Vec::new(); spheres.eights.len()];
        spheres.each_above(PARTS_DEPTH, &mut |at, branch| {
            parts[at].push(Hull::new(&spheres.corners(at, branch), PART_CORNERS));
        });
        Self { triangles, spheres, hull, parts }
    }

    /// The hull of what that sphere has, if there is one.
    #[inline(always)]
    pub fn part(&self, eight: u32, branch: usize) -> Option<&Hull> {
        self.parts[eight as usize].get(branch)
    }
}
