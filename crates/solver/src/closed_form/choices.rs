//! Wraps the configurations of a closed form into the limits, and returns them as solutions.

use crate::search::{SearchInput, SearchScratch};
use crate::{Mode, Solution, Stop};
use urdf_ik_closed_form::REDUNDANT_JOINTS;

/// Violation of a limit that counts as rounding \[rad\].
pub(super) const LIMIT_ROUNDING: f64 = 1e-9;

/// Largest violation of a limit \[rad\] for a configuration that may lead to feasible ones.
pub(super) const MAX_LIMIT_EXCESS: f64 = 0.8;

/// Residual \[m and rad\] above which Newton steps follow.
pub(super) const EXACT_RESIDUAL: f64 = 1e-10;

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
