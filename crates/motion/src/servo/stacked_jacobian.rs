//! The Jacobians of all tips in one.

use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion, Vector3, Vector6};

use urdf_ik_mathematics::vectors::dot;
use urdf_ik_robot::{Chain, ChainPoses};

/// The Jacobian of all tips at one configuration: six rows a tip, those of translation over the length scale, along the axes of the base
/// link.
#[derive(Debug, Clone)]
pub struct StackedJacobian {
    chain: Arc<Chain>,
    /// Metres that count as much as a radian.
    length_scale: f64,
    poses: ChainPoses,
    columns: Vec<Vector6<f64>>,
    /// One row after the other, each with an entry for each variable.
    pub rows: Vec<f64>,
}

impl StackedJacobian {
    pub fn new(chain: &Arc<Chain>, length_scale: f64) -> Self {
        let variables = chain.variables().len();
        Self {
            poses: ChainPoses::new(chain),
            columns: vec![Vector6::zeros(); variables],
            rows: vec![0.0; 6 * chain.tips().len() * variables],
            length_scale,
            chain: Arc::clone(chain),
        }
    }

    /// Poses of the tips, in the base link's frame.
    pub fn tips(&self) -> &[Isometry3<f64>] {
        self.poses.tips()
    }

    /// Computes poses and rows at `positions`.
    pub fn find(&mut self, positions: &[f64]) {
        let variables = positions.len();
        self.chain.forward_kinematics(positions, &mut self.poses);
        for (tip, rows) in self.rows.chunks_exact_mut(6 * variables).enumerate() {
            let origin = self.poses.tips()[tip].translation.vector.into();
            self.chain.jacobian(&self.poses, tip, &origin, &mut self.columns);
            for (row, entries) in rows.chunks_exact_mut(variables).enumerate() {
                let unit = if row < 3 { 1.0 / self.length_scale } else { 1.0 };
                for (entry, column) in entries.iter_mut().zip(&self.columns) {
                    *entry = unit * column[row];
                }
            }
        }
    }

    /// The twist of a tip where the variables have these velocities \[m/s, rad/s\].
    pub fn twist(&self, tip: usize, velocities: &[f64]) -> Vector6<f64> {
        Vector6::from_fn(|row, _| self.unit(row) * dot(self.row(6 * tip + row), velocities))
    }

    /// The acceleration of a tip where the variables move on with these velocities \[m/s², rad/s²\].
    pub fn acceleration(&self, tip: usize, velocities: &[f64]) -> Vector6<f64> {
        let origin = self.poses.tips()[tip].translation.vector.into();
        self.chain.acceleration_of_constant_velocities(&self.poses, tip, &origin, velocities)
    }

    /// What a row is over: metres for translations.
    pub fn unit(&self, row: usize) -> f64 {
        if row % 6 < 3 { self.length_scale } else { 1.0 }
    }

    /// Appends a row to a list; that of a rotation along the axes that `frame` turns into those of the base link.
    pub fn push_row(&self, row: usize, frame: &UnitQuaternion<f64>, list: &mut Vec<f64>) {
        if row % 6 < 3 || *frame == UnitQuaternion::identity() {
            return list.extend_from_slice(self.row(row));
        }
        let axis = frame * Vector3::ith(row % 6 - 3, 1.0);
        let [x, y, z] = [3, 4, 5].map(|angular| self.row(row - row % 6 + angular));
        list.extend((0..x.len()).map(|i| axis.x * x[i] + axis.y * y[i] + axis.z * z[i]));
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        let variables = self.columns.len();
        &self.rows[row * variables..][..variables]
    }
}
