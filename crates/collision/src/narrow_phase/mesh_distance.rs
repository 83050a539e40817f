//! The distance between two triangle meshes.

use std::cell::Cell;

use parry3d_f64::math::{Matrix, Pose};
use parry3d_f64::partitioning::BvhNode;
use parry3d_f64::query::details::distance_support_map_support_map;
use parry3d_f64::shape::{TriMesh, Triangle};

use crate::narrow_phase::convex::{box_gap, half_extents};

/// Greatest number of rounds in which two near triangles are looked for. One that is not the nearest costs time only.
const ROUNDS: usize = 4;

/// The distance between two meshes, where `pose` is that of the second in the frame of the first; 0 where their triangles meet.
///
/// Both trees of boxes are descended together. What is farther apart than the nearest triangles so far is left out.
pub(crate) fn mesh_distance(first: &TriMesh, second: &TriMesh, pose: &Pose) -> f64 {
    let boxes = Boxes::new(*pose);
    let nearest = Cell::new(near_triangles(first, second, pose));
    let is_nearer = |a: &BvhNode, b: &BvhNode| boxes.gap(a, b) < nearest.get();
    for (a, b) in first.bvh().leaf_pairs(second.bvh(), is_nearer) {
        if nearest.get() <= 0.0 {
            break;
        }
        let apart = triangle_distance(&first.triangle(a), &second.triangle(b).transformed(pose));
        nearest.set(nearest.get().min(apart));
    }
    nearest.get()
}

/// The distance between two triangles that are near: from one mesh to the nearest of the other, and back.
fn near_triangles(first: &TriMesh, second: &TriMesh, pose: &Pose) -> f64 {
    let back = pose.inverse();
    let (mut at, mut least) = (0, f64::MAX);
    for _ in 0..ROUNDS {
        let Some((there, _)) = nearest_to(second, &first.triangle(at).transformed(&back), f64::MAX) else { break };
        match nearest_to(first, &second.triangle(there).transformed(pose), least) {
            Some((here, apart)) => (at, least) = (here, apart),
            None => break,
        }
    }
    least
}

/// The triangle of `mesh` that is nearest to `triangle`, with its distance, where that is below `bound`.
fn nearest_to(mesh: &TriMesh, triangle: &Triangle, bound: f64) -> Option<(u32, f64)> {
    let around = triangle.local_aabb();
    let (centre, half) = (around.center(), around.half_extents());
    let gap = |node: &BvhNode, _| box_gap(node.center() - centre, half + half_extents(node));
    mesh.bvh().find_best(bound, gap, |part, _| Some(triangle_distance(&mesh.triangle(part), triangle)))
}

fn triangle_distance(first: &Triangle, second: &Triangle) -> f64 {
    distance_support_map_support_map(&Pose::identity(), first, second)
}

/// Boxes of two meshes.
struct Boxes {
    /// Pose of the second mesh in the frame of the first.
    pose: Pose,
    /// The absolute values of its rotation matrix: half extents of a turned box.
    spread: Matrix,
}

impl Boxes {
    fn new(pose: Pose) -> Self {
        Self { pose, spread: Matrix::from_quat(pose.rotation).abs() }
    }

    /// Two boxes are at least that far apart.
    fn gap(&self, first: &BvhNode, second: &BvhNode) -> f64 {
        box_gap(self.pose * second.center() - first.center(), self.spread * half_extents(second) + half_extents(first))
    }
}
