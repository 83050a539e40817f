//! Judges the positions that a search ends with: whether they meet the targets, and if not, whether they are out of reach
//! or the step is too short.

use super::prepared_search::Search;
use super::setup::Setup;
use crate::kernel::configurations::Configurations;
use crate::problem::{Problem, Target};
use crate::solution::{Outcome, Reason, Residual, Solution};
use urdf_ik_robot::{ChainPoses, Domain};

/// Slope of half the squared error \[rad²\] by a variable that counts as more than rounding.
const LEAST_SLOPE: f64 = 1e-9;

/// Where answers are measured.
#[derive(Debug, Clone)]
pub struct VerdictScratch {
    poses: ChainPoses,
    configurations: Configurations,
    /// The positions, less the whole turns.
    positions: Vec<f64>,
}

impl VerdictScratch {
    pub fn new(search: &Search) -> Self {
        Self {
            poses: ChainPoses::new(&search.chain),
            configurations: Configurations::new(&search.kernel.links),
            positions: vec![0.0; search.variables()],
        }
    }
}

impl Search {
    /// The first target that is certainly out of reach.
    pub fn out_of_reach(&self, problem: &Problem) -> Option<Reason> {
        problem.targets.iter().enumerate().find_map(|(index, target)| {
            let (distance, reach) = self.reach[target.tip].refutes(&self.chain, target)?;
            Some(Reason::OutOfReach { target: index, distance, reach })
        })
    }

    /// Measures exactly the positions that are handed out, by the chain's own forward kinematics; tells whether they meet the targets.
    pub fn measure_answer(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut VerdictScratch,
        solution: &mut Solution,
    ) -> bool {
        solution.positions.copy_from_slice(positions);
        self.chain.forward_kinematics(&solution.positions, &mut scratch.poses);
        solution.residuals.clear();
        solution.residuals.extend(targets.iter().map(|target| target.residual(&scratch.poses.tips()[target.tip])));
        solution.squared_error = targets.iter().zip(&solution.residuals).map(|(t, r)| self.squared_error(t, r)).sum();
        solution.saturated.clear();
        solution.continuous = false;
        solution.nearest = None;
        let met = targets.iter().zip(&solution.residuals).all(|(target, residual)| residual.within(target));
        solution.outcome = if met { Outcome::Solved } else { Outcome::Closest(Reason::NotConverged) };
        met
    }

    /// Makes `positions` the answer and says how it meets the problem, or why not.
    pub fn judge(
        &self,
        problem: &Problem,
        setup: &Setup,
        positions: &[f64],
        scratch: &mut VerdictScratch,
        solution: &mut Solution,
    ) {
        if self.measure_answer(problem.targets, positions, scratch, solution) {
            return;
        }
        let step_limited = self.find_saturated(setup, scratch, solution);
        solution.outcome = Outcome::Closest(match self.out_of_reach(problem) {
            Some(reason) => reason,
            None if step_limited => Reason::StepLimited,
            None => Reason::NotConverged,
        });
    }

    /// Lists the variables that stand at a limit and would lessen the error beyond it; tells whether any stands so at a
    /// step bound that is no limit.
    fn find_saturated(&self, setup: &Setup, scratch: &mut VerdictScratch, solution: &mut Solution) -> bool {
        let VerdictScratch { configurations, positions, .. } = scratch;
        positions.iter_mut().zip(&solution.positions).zip(&setup.whole_turns).for_each(|((t, p), w)| *t = p - w);
        configurations.write_all(positions);
        self.kernel.measure_angles(&setup.goals, configurations);
        self.kernel.linearise(&setup.goals, configurations);
        let bounds = setup.bounds();
        let mut step_limited = false;
        for (i, domain) in setup.domains.iter().enumerate() {
            let descent = descent(configurations, setup.goals.len(), i);
            let pressed = |position: f64, lower: f64, upper: f64| {
                (position <= lower && descent < -LEAST_SLOPE) || (position >= upper && descent > LEAST_SLOPE)
            };
            let at_limit = match domain {
                Domain::Interval { lower, upper } => pressed(solution.positions[i], *lower, *upper),
                Domain::Circle => false,
            };
            if at_limit {
                solution.saturated.push(i);
            } else if pressed(positions[i], bounds.lower[i], bounds.upper[i]) {
                step_limited = true;
            }
        }
        step_limited
    }

    /// What a target adds to the squared error \[rad²\].
    fn squared_error(&self, target: &Target, residual: &Residual) -> f64 {
        let position = residual.position / self.length_scale();
        target.weight * (position * position + residual.orientation * residual.orientation)
    }
}

/// How fast half the squared error of the first lane falls with a variable.
fn descent(configurations: &Configurations, targets: usize, variable: usize) -> f64 {
    let variables = configurations.positions.len();
    let products = (0..targets).flat_map(|target| {
        let (rows, column) = (&configurations.rows[target], &configurations.columns[target * variables + variable]);
        rows.iter().zip(column).map(|(row, entry)| row.0[0] * entry.0[0])
    });
    products.sum()
}
