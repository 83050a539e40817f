//! Rates of the variables that move the tip exactly along the path.

use nalgebra::{Matrix6, Vector6};

use super::path::Path;
use crate::robot::{Chain, ChainPoses, Domain};
use crate::solver::Target;
use crate::spatial;

/// Path length \[m\] over which its direction is measured.
const STEP: f64 = 1e-5;
/// Damping over the trace of the normal matrix: no correction where the tip cannot follow it.
const DAMPING: f64 = 1e-6;

/// How near a limit a variable stands at it \[rad or m\].
const AT_LIMIT: f64 = 1e-9;

/// Corrects rates by the Jacobian.
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

    /// Adds to `rates` \[rad/m or m/m\] the least that gives the tip the path's direction at `length`, which lies between the two ends of
    /// a smooth stretch: damped least squares, over the axes that count. Variables that stand at a limit stay: the others take over.
    pub(super) fn correct(&mut self, length: f64, ends: (f64, f64), positions: &[f64], rates: &mut [f64]) {
        self.chain.forward_kinematics(positions, &mut self.poses);
        let tip = self.poses.tips()[self.target.tip];
        self.chain.jacobian(&self.poses, self.target.tip, &tip.translation.vector.into(), &mut self.columns);
        let (before, after) = ((length - STEP).max(ends.0), (length + STEP).min(ends.1));
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
            if *at <= lower + AT_LIMIT || *at >= upper - AT_LIMIT {
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
            let share = factor.solve(&missing);
            for (rate, column) in rates.iter_mut().zip(&self.columns) {
                *rate += column.dot(&share);
            }
        }
    }
}
