//! Kinematics of a path problem: pose and Jacobian of its tip, and the errors of a configuration on the path.

use nalgebra::{Isometry3, Vector6};

use super::path_errors::PathErrors;
use super::path_problem::PathProblem;
use super::standing_goals::GoalValues;
use urdf_ik_mathematics::spatial;
use urdf_ik_robot::{Chain, ChainPoses};

/// Number of points between two configurations at which the distance is measured.
const POINTS_BETWEEN: u8 = 7;

/// Computes the Jacobian of one tip, with scratch memory.
pub(super) struct TipJacobian<'a> {
    chain: &'a Chain,
    tip: usize,
    poses: ChainPoses,
    /// Twist of the tip per unit speed of each variable, linear part first, in the tip's frame.
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

    /// The pose of the tip at `positions`, in the base link's frame. Updates the `columns`.
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

/// A configuration and its path length.
#[derive(Clone, Copy)]
pub(super) struct PathConfiguration<'a> {
    /// Path length \[m\].
    pub(super) length: f64,
    pub(super) positions: &'a [f64],
}

/// The configuration at a fraction of the straight motion in joint space.
pub(super) fn interpolated(from: &[f64], to: &[f64], fraction: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + fraction * (to - from)).collect()
}

/// Measures errors on the path, with scratch memory.
pub(super) struct PathDeviation<'a> {
    problem: &'a PathProblem<'a>,
    tip: TipJacobian<'a>,
    goals: GoalValues<&'a Chain>,
}

impl<'a> PathDeviation<'a> {
    pub(super) fn new(chain: &'a Chain, problem: &'a PathProblem<'a>) -> Self {
        Self { problem, tip: TipJacobian::new(chain, problem.target.tip), goals: GoalValues::new(&chain) }
    }

    /// Distance of the tip from the pose of the path, over the axes that are not free, and violations of the goals.
    pub(super) fn at(&mut self, at: PathConfiguration) -> PathErrors {
        let tip = self.problem.target_at(at.length).residual(&self.tip.pose(at.positions));
        PathErrors { tip, violations: self.goals.violations(self.problem.goals, at.positions) }
    }

    /// Maximum errors between two configurations where joints and path length change linearly.
    pub(super) fn between(&mut self, from: PathConfiguration, to: PathConfiguration) -> PathErrors {
        let mut greatest = PathErrors::default();
        for point in 1..=POINTS_BETWEEN {
            let fraction = f64::from(point) / f64::from(POINTS_BETWEEN + 1);
            let length = from.length + fraction * (to.length - from.length);
            let positions = &interpolated(from.positions, to.positions, fraction);
            greatest.include(&self.at(PathConfiguration { length, positions }));
        }
        greatest
    }
}
