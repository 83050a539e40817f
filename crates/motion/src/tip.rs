//! The tip of a path's problem at a configuration: its pose, its Jacobian, and how far it is from the path.

use nalgebra::{Isometry3, Vector6};

use super::path_problem::{PathProblem, larger};
use urdf_ik_mathematics::spatial;
use urdf_ik_robot::{Chain, ChainPoses};
use urdf_ik_solver::Residual;

/// Number of points between two configurations where the distance is measured.
const POINTS_BETWEEN: u8 = 7;

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

    /// The pose of the tip at `positions`, in the base link's frame. Writes the `columns`.
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

/// A configuration for a place on a path.
#[derive(Clone, Copy)]
pub(super) struct OnPath<'a> {
    /// Length of the path before it \[m\].
    pub(super) length: f64,
    pub(super) positions: &'a [f64],
}

/// Measures how far the tip of a path's problem is from the path. Holds its scratch.
pub(super) struct TipDistance<'a> {
    chain: &'a Chain,
    problem: &'a PathProblem<'a>,
    poses: ChainPoses,
    between: Vec<f64>,
}

impl<'a> TipDistance<'a> {
    pub(super) fn new(chain: &'a Chain, problem: &'a PathProblem<'a>) -> Self {
        Self { chain, problem, poses: ChainPoses::new(chain), between: vec![0.0; chain.variables().len()] }
    }

    /// The distance of the tip from the pose of the path, over the axes that are not free.
    pub(super) fn at(&mut self, place: OnPath) -> Residual {
        self.chain.forward_kinematics(place.positions, &mut self.poses);
        let target = self.problem.target_at(place.length);
        target.residual(&self.poses.tips()[target.tip])
    }

    /// The greatest distance between two configurations, where joints and path length change evenly from one to the other.
    pub(super) fn between(&mut self, from: OnPath, to: OnPath) -> Residual {
        let mut between = std::mem::take(&mut self.between);
        let mut greatest = Residual::default();
        for point in 1..=POINTS_BETWEEN {
            let part = f64::from(point) / f64::from(POINTS_BETWEEN + 1);
            for (between, (from, to)) in between.iter_mut().zip(from.positions.iter().zip(to.positions)) {
                *between = from + part * (to - from);
            }
            let length = from.length + part * (to.length - from.length);
            greatest = larger(greatest, self.at(OnPath { length, positions: &between }));
        }
        self.between = between;
        greatest
    }
}
