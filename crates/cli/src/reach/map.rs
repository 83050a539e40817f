//! The result of `urdf_ik reach`.

use nalgebra::Vector3;

use super::grid::VoxelGrid;

/// The number of reachable orientations in each voxel.
pub struct ReachMap {
    /// Name of the base link.
    pub base: String,
    /// Name of the tip link.
    pub tip: String,
    pub grid: VoxelGrid,
    /// Number of orientations tested at each voxel.
    pub orientations: usize,
    /// Number of reachable orientations at each voxel, in the order of `grid.voxels`.
    pub counts: Vec<usize>,
}

/// The summary of a [`ReachMap`].
pub struct Summary {
    /// Number of voxels with at least one reachable orientation.
    pub voxels: usize,
    /// Mean over these voxels of the fraction of orientations reached, from 0 to 1; 0 if there are none.
    pub mean_fraction: f64,
    /// Total volume of these voxels \[m³\].
    pub volume: f64,
}

impl ReachMap {
    /// The centre of each reachable voxel in multiples of its edge, with the fraction of orientations reached (0 to 1).
    #[expect(clippy::cast_precision_loss, reason = "numbers of orientations are far below 2^52")]
    pub fn reachable(&self) -> impl Iterator<Item = (&Vector3<i32>, f64)> {
        let counted = self.grid.voxels.iter().zip(&self.counts).filter(|(_, count)| **count > 0);
        counted.map(|(voxel, count)| (voxel, *count as f64 / self.orientations as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers of voxels are far below 2^52")]
    pub fn summary(&self) -> Summary {
        let voxels = self.reachable().count();
        let sum: f64 = self.reachable().map(|(_, fraction)| fraction).sum();
        let volume = voxels as f64 * self.grid.voxel.powi(3);
        Summary { voxels, mean_fraction: sum / voxels.max(1) as f64, volume }
    }
}
