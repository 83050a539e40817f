//! Wraps the solutions of a closed form into the limits, ranks them by the preference of the problem, and returns
//! them as solutions.

use crate::search::{SearchInput, SearchScratch};
use crate::{Mode, Solution, Stop};
use urdf_ik_closed_form::{ArmSolutions, JOINTS, MAX_SOLUTIONS, REDUNDANT_JOINTS};
use urdf_ik_goals::Goal;

/// Violation of a limit that counts as rounding \[rad\].
pub(super) const LIMIT_ROUNDING: f64 = 1e-9;

/// Largest violation of a limit \[rad\] for a configuration that may lead to feasible ones.
pub(super) const MAX_LIMIT_EXCESS: f64 = 0.8;

/// Residual \[m and rad\] above which Newton steps follow.
pub(super) const EXACT_RESIDUAL: f64 = 1e-10;

/// A configuration inside the limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    /// Joint positions \[rad\].
    pub positions: [f64; JOINTS],
    /// Score of the pick; lower is better.
    pub score: f64,
}

/// The configurations of one pose that are inside the limits.
pub(super) struct Choices {
    /// Each with whether it represents a continuum.
    entries: [(Choice, bool); MAX_SOLUTIONS],
    count: usize,
}

impl Choices {
    /// The `solutions` inside the limits modulo 2π, each joint at the revolution nearest to the seed; when tracking,
    /// also within its largest step. `score` gets the positions and the largest joint displacement from the seed
    /// \[rad\].
    pub(super) fn new(
        posed: SearchInput,
        solutions: &ArmSolutions,
        score: &mut dyn FnMut(&[f64; JOINTS], f64) -> f64,
    ) -> Self {
        let nothing = Choice { positions: [0.0; JOINTS], score: f64::INFINITY };
        let mut choices = Self { entries: [(nothing, false); MAX_SOLUTIONS], count: 0 };
        for (configuration, continuous) in solutions.as_slice().iter().zip(solutions.continuous()) {
            let mut positions = *configuration;
            if let Some(largest_move) = fold_into_limits(posed, &mut positions) {
                let score = score(&positions, largest_move);
                choices.entries[choices.count] = (Choice { positions, score }, *continuous);
                choices.count += 1;
            }
        }
        choices.entries[..choices.count].sort_unstable_by(|(a, _), (b, _)| a.score.total_cmp(&b.score));
        choices
    }

    /// True if these configurations decide on the solutions with `goals`: none is one of a continuum, nor depends on
    /// its revolutions.
    pub(super) fn decide(&self, goals: &[Goal]) -> bool {
        let has_no_relation = || goals.iter().all(|goal| goal.kind().coefficients().is_empty());
        goals.is_empty() || has_no_relation() && self.as_slice().iter().all(|(_, continuous)| !continuous)
    }

    /// The configurations, best first, with whether they represent a continuum.
    pub(super) fn as_slice(&self) -> &[(Choice, bool)] {
        &self.entries[..self.count]
    }
}

/// Wraps a configuration into the limits. Returns the largest joint displacement from the seed \[rad\]; `None` if no
/// revolution is inside the limits.
pub(super) fn fold_into_limits(posed: SearchInput, positions: &mut [f64]) -> Option<f64> {
    let problem = posed.problem;
    let mut largest_move = 0.0_f64;
    for (index, position) in positions.iter_mut().enumerate().take(problem.seed.len()) {
        let domain = posed.domain(index);
        let seed = domain.clamp(problem.seed[index]);
        *position = domain.turn_near(*position, seed, LIMIT_ROUNDING)?;
        let step = (*position - seed).abs();
        if let Mode::Track { max_step } = problem.mode
            && step > max_step[index]
        {
            return None;
        }
        largest_move = largest_move.max(step);
    }
    Some(largest_move)
}

/// Writes the solution of a configuration, refined by Newton steps unless it is exact. Returns whether it meets the
/// target and is clear of collisions.
pub(super) fn hand_out(
    posed: SearchInput,
    positions: &[f64],
    scratch: &mut SearchScratch,
    solution: &mut Solution,
) -> bool {
    let SearchInput { search, problem } = posed;
    let mut met = scratch.evaluator.measure(search, problem, positions, solution);
    let residual = solution.worst_residual();
    if residual.position > EXACT_RESIDUAL || residual.orientation > EXACT_RESIDUAL {
        let mut polished = [0.0; REDUNDANT_JOINTS];
        let polished = &mut polished[..positions.len()];
        polished.copy_from_slice(positions);
        search.polish(&problem.targets[0], EXACT_RESIDUAL, polished, scratch);
        if fold_into_limits(posed, polished).is_some() {
            met = scratch.evaluator.measure(search, problem, polished, solution);
        }
    }
    met = met && scratch.exploration.clearance.appraise(problem, &solution.positions).is_some();
    if met {
        (solution.stop, solution.smallest_singular_value) = (Stop::Converged, None);
        (solution.iterations, solution.attempts, solution.refused) = (0, 1, 0);
    }
    met
}
