//! The pose of a tip with its Jacobian, in the tip's own frame.

use nalgebra::{Isometry3, Vector6};

use urdf_ik_mathematics::spatial;
use urdf_ik_robot::{Chain, ChainPoses};

/// Computes the Jacobian of one tip. Holds its scratch.
pub(super) struct TipJacobian<'a> {
    chain: &'a Chain,
    tip: usize,
    poses: ChainPoses,
    /// The twist of the tip for unit speed of each variable, in the tip's frame.
    pub(super) columns: Vec<Vector6<f64>>,
}

impl<'a> TipJacobian<'a> {
    pub(super) fn new(chain: &'a Chain, tip: usize) -> Self {
        let columns = vec![Vector6::zeros(); chain.variables().len()];
        Self { chain, tip, poses: ChainPoses::new(chain), columns }
    }

    /// The pose of the tip at `positions`, in the base link's frame.
    pub(super) fn pose(&mut self, positions: &[f64]) -> Isometry3<f64> {
        self.chain.forward_kinematics(positions, &mut self.poses);
        self.poses.tips()[self.tip]
    }

    /// The same, and writes the `columns`.
    pub(super) fn find(&mut self, positions: &[f64]) -> Isometry3<f64> {
        let pose = self.pose(positions);
        self.chain.jacobian(&self.poses, self.tip, &pose.translation.vector.into(), &mut self.columns);
        let back = pose.rotation.inverse().to_rotation_matrix();
        for column in &mut self.columns {
            let (linear, angular) = (column.fixed_rows::<3>(0).into_owned(), column.fixed_rows::<3>(3).into_owned());
            *column = spatial::stacked(&(back * linear), &(back * angular));
        }
        pose
    }
}
