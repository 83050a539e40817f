//! Errors of configurations on a path: the distance of the tip, and the violations of the goals.

use super::path_problem::{PathProblem, larger, ratio};
use super::path_stop::StopReason;
use super::standing_goals::is_length;
use urdf_ik_goals::Goal;
use urdf_ik_solver::{Residual, Tolerance};

/// Greatest errors of some configurations.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PathErrors {
    /// Distance of the tip from the path \[m and rad\].
    pub(super) tip: Residual,
    /// Violation of each goal \[m or rad\]; empty without configurations.
    pub(super) violations: Vec<f64>,
}

impl PathErrors {
    /// Includes the errors of further configurations.
    pub(super) fn include(&mut self, other: &Self) {
        self.tip = larger(self.tip, other.tip);
        self.violations.resize(other.violations.len().max(self.violations.len()), 0.0);
        for (violation, other) in self.violations.iter_mut().zip(&other.violations) {
            *violation = violation.max(*other);
        }
    }

    /// The greatest ratio of an error to the allowed one.
    pub(super) fn ratio(&self, problem: &PathProblem, allowed: &Tolerance) -> f64 {
        self.worst_goal(problem, allowed).map_or(0.0, |(_, ratio)| ratio).max(ratio(&self.tip, allowed))
    }

    /// The stop at a goal whose violation exceeds the allowed one.
    pub(super) fn violated_goal(&self, problem: &PathProblem, allowed: &Tolerance) -> Option<StopReason> {
        let (goal, _) = self.worst_goal(problem, allowed).filter(|(_, ratio)| *ratio > 1.0)?;
        Some(StopReason::Goal { goal: problem.goals[goal].clone(), violation: self.violations[goal] })
    }

    /// Index of the goal with the greatest ratio of its violation to the allowed one, and that ratio.
    fn worst_goal(&self, problem: &PathProblem, allowed: &Tolerance) -> Option<(usize, f64)> {
        let goals = problem.goals.iter().zip(&self.violations);
        let ratios = goals.map(|(goal, violation)| violation / allowed_violation(goal, allowed));
        ratios.enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other))
    }
}

/// The allowed violation of a goal \[m or rad\]: the allowed distance of the tip from the path.
fn allowed_violation(goal: &Goal, allowed: &Tolerance) -> f64 {
    if is_length(goal) { allowed.position } else { allowed.orientation }
}
