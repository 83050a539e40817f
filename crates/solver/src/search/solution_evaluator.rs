//! Evaluation of the final positions: whether they meet the targets, and if not, whether these are out of reach or
//! the step too short.
//!
//! Success is decided on the returned joint positions: forward kinematics runs on exactly these, after all wrapping
//! into the limits.

use super::prepared_search::{Search, SearchInput};
use super::setup::Setup;
use crate::kernel::{Configurations, Goals, Svd};
use crate::{Outcome, Problem, Reason, Solution};
use urdf_ik_goals::{ExactConfiguration, Rows, TOLERANCE, Unit};
use urdf_ik_robot::ChainPoses;

/// Derivative of half the squared error by a variable that exceeds rounding \[rad²/rad or rad²/m\].
const MIN_DESCENT: f64 = 1e-9;

/// Evaluation of final positions.
#[derive(Debug, Clone)]
pub struct SolutionEvaluator {
    poses: ChainPoses,
    rows: Rows,
    /// Working memory.
    pub(super) configurations: Configurations,
    svd: Svd,
    /// Positions without full revolutions \[rad or m\].
    positions: Vec<f64>,
}

impl SolutionEvaluator {
    pub fn new(search: &Search) -> Self {
        Self {
            poses: ChainPoses::new(&search.chain),
            rows: Rows::default(),
            configurations: Configurations::new(&search.kernel.links),
            svd: search.svd(),
            positions: vec![0.0; search.variables()],
        }
    }

    /// Writes `positions` \[rad or m\] and their residuals, by the chain's own forward kinematics, into `solution`.
    /// Returns true if they meet the targets and goals.
    pub fn measure(&mut self, search: &Search, problem: &Problem, positions: &[f64], solution: &mut Solution) -> bool {
        let Problem { targets, goals, .. } = *problem;
        solution.positions.copy_from_slice(positions);
        search.chain.forward_kinematics(&solution.positions, &mut self.poses);
        let tips = self.poses.tips();
        solution.residuals.clear();
        solution.residuals.extend(targets.iter().map(|target| target.residual(&tips[target.tip])));
        let measured = || targets.iter().zip(&solution.residuals);
        let squared_error = measured().map(|(target, residual)| {
            let position = residual.position / search.kernel.length_scale;
            target.weight * (position * position + residual.orientation * residual.orientation)
        });
        solution.squared_error = squared_error.sum();
        let mut met = measured().all(|(target, residual)| residual.within(target));
        solution.violations.clear();
        solution.goals.clear();
        solution.goals.extend_from_slice(goals);
        for goal in goals {
            let at = ExactConfiguration { positions, poses: &self.poses };
            let violation = goal.violation(&at, &mut self.rows);
            let unit = if goal.kind().unit() == Unit::Metre { search.kernel.length_scale } else { 1.0 };
            solution.squared_error += goal.weight() * (violation / unit).powi(2);
            solution.violations.push(violation);
            met &= violation <= TOLERANCE;
        }
        solution.saturated.clear();
        (solution.continuous, solution.nearest) = (false, None);
        solution.outcome = if met { Outcome::Solved } else { Outcome::Closest(Reason::NotConverged) };
        met
    }

    /// Writes `positions` \[rad or m\] into `solution`, with the outcome and its reason.
    pub fn evaluate(&mut self, input: SearchInput, setup: &Setup, positions: &[f64], solution: &mut Solution) {
        let search = input.search;
        if self.measure(search, input.problem, positions, solution) {
            return;
        }
        let step_limited = self.find_saturated(search, setup, solution);
        let step_limited = if step_limited { Reason::StepLimited } else { Reason::NotConverged };
        solution.outcome = Outcome::Closest(input.out_of_reach().unwrap_or(step_limited));
    }

    /// Lists the variables at a limit that would reduce the error beyond it. True if any is at a step bound
    /// that is not a limit.
    fn find_saturated(&mut self, search: &Search, setup: &Setup, solution: &mut Solution) -> bool {
        let Self { configurations, positions, .. } = self;
        positions.iter_mut().zip(&solution.positions).zip(&setup.whole_turns).for_each(|((t, p), w)| *t = p - w);
        configurations.write_all(positions);
        search.kernel.measure_angles(&setup.goals, configurations);
        search.kernel.linearise(&setup.goals, configurations);
        let bounds = setup.bounds();
        let mut step_limited = false;
        for (i, domain) in setup.domains.iter().enumerate() {
            let descent = descent(configurations, setup.goals.len(), i);
            let pressed = |position: f64, lower: f64, upper: f64| {
                (position <= lower && descent < -MIN_DESCENT) || (position >= upper && descent > MIN_DESCENT)
            };
            let [lower, upper] = domain.ends();
            if pressed(solution.positions[i], lower, upper) {
                solution.saturated.push(i);
            } else if pressed(positions[i], bounds.lower[i], bounds.upper[i]) {
                step_limited = true;
            }
        }
        step_limited
    }

    /// The decomposed Jacobian at `positions` \[rad or m\], over the constrained axes of the targets of `goals`: six
    /// rows per target in the tip's frame, positions divided by the length scale, and one column per variable.
    pub fn decompose(&mut self, search: &Search, goals: &Goals, positions: &[f64]) -> &mut Svd {
        let Self { configurations, svd, positions: wrapped, .. } = self;
        search.wrap(positions, wrapped);
        configurations.write_all(wrapped);
        search.kernel.measure(goals, configurations);
        search.kernel.linearise(goals, configurations);
        svd.decompose(configurations, goals.targets.len(), 0);
        svd
    }
}

/// Negative derivative of half the squared error of the first lane by a variable.
fn descent(configurations: &Configurations, targets: usize, variable: usize) -> f64 {
    let variables = configurations.positions.len();
    let products = (0..targets).flat_map(|target| {
        let (rows, column) = (&configurations.rows[target], &configurations.columns[target * variables + variable]);
        rows.iter().zip(column).map(|(row, entry)| row.0[0] * entry.0[0])
    });
    products.sum()
}
