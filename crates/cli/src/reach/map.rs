//! The result of `urdf_ik reach`.

use nalgebra::Vector3;

use super::grid::VoxelGrid;

/// The number of reachable orientations in each voxel.
pub struct ReachMap {
    pub base: String,
    pub tip: String,
    pub grid: VoxelGrid,
    /// Number of orientations per voxel.
    pub orientations: usize,
    /// Number of reachable orientations for each voxel.
    pub counts: Vec<usize>,
}

/// A reach summarised.
pub struct Summary {
    /// Number of voxels with a reachable orientation.
    pub voxels: usize,
    /// Mean fraction of orientations over these voxels; 0 without any.
    pub mean_fraction: f64,
    /// Their volume \[m³\].
    pub volume: f64,
}

impl ReachMap {
    /// The reachable voxels, each with its fraction of orientations.
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
