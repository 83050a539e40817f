//! The grid of voxels that a tip might reach.

use nalgebra::{Point3, Vector3};
use urdf_ik::solver::TipReach;

use crate::Result;

/// Greatest number of voxels in the cube around the reach. More would take hundreds of megabytes.
const MAX_VOXELS: f64 = 4e6;

/// The voxels whose centres are within the bounds of the reach. Centres are at integer multiples of the voxel size in
/// the base link's frame, so that planes through its origin contain centres.
pub struct VoxelGrid {
    /// Edge of a voxel \[m\].
    pub voxel: f64,
    /// The centre (x, y, z) of each voxel in multiples of its edge, sorted by z, then y, then x.
    pub voxels: Vec<Vector3<i32>>,
}

impl VoxelGrid {
    /// The voxels of edge `voxel` \[m\] whose centres are within `reach`.
    ///
    /// # Errors
    /// A message if the edge is not a finite number above 0 or too large for the reach, or the grid is empty or too
    /// large.
    pub fn new(voxel: f64, reach: &TipReach) -> Result<Self> {
        if !(voxel.is_finite() && voxel > 0.0) {
            return Err(format!("--voxel is {voxel:?}; it must be a finite number above 0").into());
        }
        let (inner, outer) = (reach.working.inner, reach.working.outer);
        if outer == 0.0 {
            return Err("the tip link only rotates: all that it reaches is one point".into());
        }
        if voxel > outer {
            return Err(format!("--voxel is {voxel:?} m, which is more than the reach of {outer:.3} m").into());
        }
        let in_cube = (2.0 * outer / voxel + 1.0).powi(3);
        let farthest = reach.centre.coords.amax() / voxel;
        if in_cube > MAX_VOXELS || farthest > 1e9 {
            return Err(format!(
                "a grid of {voxel} m has {in_cube:.2e} voxels around the reach of {outer:.3} m; the most is {MAX_VOXELS:e}: make --voxel larger"
            )
            .into());
        }
        let range = |axis: usize| {
            let bound = |sign: f64| whole((reach.centre[axis] + sign * outer) / voxel);
            bound(-1.0)..=bound(1.0)
        };
        let mut voxels = Vec::new();
        for z in range(2) {
            for y in range(1) {
                let row = range(0).map(|x| Vector3::new(x, y, z));
                voxels.extend(row.filter(|at| {
                    let distance = (centre(voxel, at) - reach.centre).norm();
                    (inner..=outer).contains(&distance)
                }));
            }
        }
        if voxels.is_empty() {
            return Err(format!(
                "no voxel of {voxel} m has its centre within the reach, {inner:.3} to {outer:.3} m: make --voxel smaller"
            )
            .into());
        }
        Ok(Self { voxel, voxels })
    }

    /// The centre of a voxel \[m\] in the base link's frame, from its centre `at` in multiples of the edge.
    pub fn centre(&self, at: &Vector3<i32>) -> Point3<f64> {
        centre(self.voxel, at)
    }
}

fn centre(voxel: f64, at: &Vector3<i32>) -> Point3<f64> {
    Point3::from(at.cast::<f64>() * voxel)
}

/// Rounds to the nearest integer.
#[expect(clippy::cast_possible_truncation, reason = "the grid has fewer than 1e9 voxels along an axis")]
pub fn whole(number: f64) -> i32 {
    number.round() as i32
}
