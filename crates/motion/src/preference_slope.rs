//! The slope and the curvature of a preference's cost, for motion along a path.

use nalgebra::DMatrix;

use super::path_problem::PathProblem;
use super::tip::TipJacobian;
use urdf_ik_robot::{Domain, without_whole_turns};
use urdf_ik_solver::Solver;

/// Half of the difference of positions by which the slope of the manipulability is found \[rad\].
const DIFFERENCE: f64 = 1e-4;
/// Added to each squared singular value, so that the slope is finite at singular configurations.
const MIN_SQUARED_SINGULAR_VALUE: f64 = 1e-8;

/// The cost of a [`Preference`](urdf_ik_solver::Preference) near a configuration.
pub(super) struct PreferenceSlope<'a> {
    solver: &'a Solver,
    problem: &'a PathProblem<'a>,
    /// Rate of change of the cost by each variable.
    pub(super) slope: Vec<f64>,
    /// Second derivative by each variable; that of the manipulability's logarithm counts as 1 in radians.
    pub(super) curvature: Vec<f64>,
    tip: TipJacobian<'a>,
    moved: Vec<f64>,
}

impl<'a> PreferenceSlope<'a> {
    pub(super) fn new(solver: &'a Solver, problem: &'a PathProblem<'a>) -> Self {
        let chain = solver.chain();
        let variables = chain.variables().len();
        let mut slopes = Self {
            solver,
            problem,
            slope: vec![0.0; variables],
            curvature: vec![0.0; variables],
            tip: TipJacobian::new(chain, problem.target.tip),
            moved: vec![0.0; variables],
        };
        let preference = &problem.preference;
        for i in 0..variables {
            let unit = slopes.unit(i);
            let posture = preference.posture.map_or(0.0, |_| preference.posture_weight);
            slopes.curvature[i] = (posture + preference.manipulability_weight) / (unit * unit)
                + preference.limits_weight / chain.variables()[i].half_range().powi(2);
        }
        slopes
    }

    /// The cost at `positions`.
    pub(super) fn cost(&mut self, positions: &[f64]) -> f64 {
        let preference = &self.problem.preference;
        let mut cost = 0.0;
        for (i, position) in positions.iter().enumerate() {
            let [from_posture, from_middle] = self.distances(i, *position);
            cost += 0.5 * preference.posture_weight * from_posture.powi(2);
            cost += 0.5 * preference.limits_weight * from_middle.powi(2);
        }
        if preference.manipulability_weight > 0.0 {
            self.moved.copy_from_slice(positions);
            cost -= preference.manipulability_weight * self.log_manipulability();
        }
        cost
    }

    /// How far a variable at `position` is from the preferred posture in radians, and from the middle of its range over half of it.
    fn distances(&self, i: usize, position: f64) -> [f64; 2] {
        let domain = self.solver.chain().variables()[i].domain;
        let from_posture = self.problem.preference.posture.map_or(0.0, |posture| position - posture[i]);
        match domain {
            Domain::Interval { .. } => {
                [from_posture / self.unit(i), (position - domain.middle()) / domain.half_range()]
            }
            Domain::Circle => [without_whole_turns(from_posture), 0.0],
        }
    }

    /// Writes the slope at `positions`.
    pub(super) fn find(&mut self, positions: &[f64]) {
        let preference = &self.problem.preference;
        for (i, position) in positions.iter().enumerate() {
            let [from_posture, from_middle] = self.distances(i, *position);
            self.slope[i] = preference.posture_weight * from_posture / self.unit(i)
                + preference.limits_weight * from_middle / self.solver.chain().variables()[i].half_range();
        }
        if preference.manipulability_weight > 0.0 {
            self.moved.copy_from_slice(positions);
            for (i, position) in positions.iter().enumerate() {
                let difference = DIFFERENCE * self.unit(i);
                let [behind, ahead] = [-difference, difference].map(|by| {
                    self.moved[i] = position + by;
                    self.log_manipulability()
                });
                self.moved[i] = *position;
                self.slope[i] -= preference.manipulability_weight * (ahead - behind) / (2.0 * difference);
            }
        }
    }

    /// The logarithm of the product of the Jacobian's singular values at `moved`, over the axes of the tip that count; lengths over the
    /// length scale.
    fn log_manipulability(&mut self) -> f64 {
        self.tip.find(&self.moved);
        let scale = self.solver.length_scale();
        let free = &self.problem.target.free_axes;
        let counted: Vec<usize> = (0..6).filter(|axis| !free[*axis]).collect();
        let entry =
            |axis: usize, i: usize| self.tip.columns[i][axis] * self.unit(i) / if axis < 3 { scale } else { 1.0 };
        let jacobian = DMatrix::from_fn(counted.len(), self.moved.len(), |row, i| entry(counted[row], i));
        let mut squares = &jacobian * jacobian.transpose();
        for axis in 0..counted.len() {
            squares[(axis, axis)] += MIN_SQUARED_SINGULAR_VALUE;
        }
        0.5 * squares.determinant().max(f64::MIN_POSITIVE).ln()
    }

    /// What counts as one radian: the length scale for prismatic joints.
    fn unit(&self, variable: usize) -> f64 {
        if self.solver.chain().variables()[variable].prismatic { self.solver.length_scale() } else { 1.0 }
    }
}
