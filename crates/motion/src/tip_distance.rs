//! How far a tip is from its path, at one configuration and between two.

use super::followed::larger;
use super::path_problem::PathProblem;
use urdf_ik_robot::{Chain, ChainPoses};
use urdf_ik_solver::Residual;

/// Number of points between two configurations where the distance is measured.
const POINTS_BETWEEN: u8 = 7;

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
