//! The joint rates with which the tip stays on the path.

use nalgebra::{Matrix6, Vector6};

use super::path::Path;
use crate::robot::{Chain, ChainPoses, Domain};
use crate::solver::Target;
use crate::spatial;

/// Path length before and after a point over which the direction is measured \[m\].
const DIRECTION_STEP: f64 = 1e-5;
/// Damping over the trace of the normal matrix: no correction where the tip cannot follow the path.
const DAMPING: f64 = 1e-6;

/// Greatest distance of a variable that counts as at its limit \[rad or m\].
const MAX_DISTANCE_AT_A_LIMIT: f64 = 1e-9;

/// Corrects rates with the Jacobian.
pub(super) struct TipRates<'a> {
    chain: &'a Chain,
    target: &'a Target,
    path: &'a Path,
    poses: ChainPoses,
    columns: Vec<Vector6<f64>>,
}

impl<'a> TipRates<'a> {
    pub(super) fn new(chain: &'a Chain, target: &'a Target, path: &'a Path) -> Self {
        let columns = vec![Vector6::zeros(); chain.variables().len()];
        Self { chain, target, path, poses: ChainPoses::new(chain), columns }
    }

    /// Adds to `rates` \[rad/m or m/m\] the least change that moves the tip in the path's direction at `length`, which is between the two
    /// `ends` of a smooth part: damped least squares, over the axes that are not free. Variables at a limit do not move; the others move
    /// instead.
    pub(super) fn correct(&mut self, length: f64, ends: (f64, f64), positions: &[f64], rates: &mut [f64]) {
        self.chain.forward_kinematics(positions, &mut self.poses);
        let tip = self.poses.tips()[self.target.tip];
        self.chain.jacobian(&self.poses, self.target.tip, &tip.translation.vector.into(), &mut self.columns);
        let (before, after) = ((length - DIRECTION_STEP).max(ends.0), (length + DIRECTION_STEP).min(ends.1));
        let moved = spatial::pose_difference(&self.path.pose_at(before), &self.path.pose_at(after));
        let counted = |twist: Vector6<f64>| {
            twist.zip_map(&Vector6::from(self.target.free_axes.map(|free| if free { 0.0 } else { 1.0 })), |a, b| a * b)
        };
        let mut missing = counted(moved / (after - before));
        let mut normal = Matrix6::zeros();
        let back = tip.rotation.inverse();
        let variables = self.chain.variables().iter().zip(positions);
        for ((column, rate), (variable, at)) in self.columns.iter_mut().zip(&mut *rates).zip(variables) {
            let Domain::Interval { lower, upper } = variable.domain else { continue };
            if *at <= lower + MAX_DISTANCE_AT_A_LIMIT || *at >= upper - MAX_DISTANCE_AT_A_LIMIT {
                (*column, *rate) = (Vector6::zeros(), 0.0);
            }
        }
        for (column, rate) in self.columns.iter_mut().zip(&*rates) {
            let (linear, angular) = (column.fixed_rows::<3>(0).into_owned(), column.fixed_rows::<3>(3).into_owned());
            *column = counted(spatial::stacked(&(back * linear), &(back * angular)));
            missing -= *column * *rate;
            normal += *column * column.transpose();
        }
        normal += Matrix6::identity() * (DAMPING * normal.trace());
        if let Some(factor) = normal.cholesky() {
            let multipliers = factor.solve(&missing);
            for (rate, column) in rates.iter_mut().zip(&self.columns) {
                *rate += column.dot(&multipliers);
            }
        }
    }
}
