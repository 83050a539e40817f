//! What is known of a reach once its poses are solved.

use nalgebra::Vector3;

use super::grid::Grid;

/// How many orientations are reached in each voxel.
pub struct ReachMap {
    pub base: String,
    pub tip: String,
    pub grid: Grid,
    /// Number of orientations that were tried in each voxel.
    pub orientations: usize,
    /// For each voxel, the number of those that were reached.
    pub counts: Vec<usize>,
}

/// A reach in three numbers.
pub struct Summary {
    /// Voxels with an orientation that is reached.
    pub voxels: usize,
    /// The mean fraction of orientations over these voxels; 0 where there is none.
    pub mean_fraction: f64,
    /// Their volume \[m³\].
    pub volume: f64,
}

impl ReachMap {
    /// The voxels that are reached, each with the fraction of orientations.
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
