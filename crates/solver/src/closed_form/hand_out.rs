//! Measures a configuration from a closed form, and makes it a solution.

use super::choices::fold_into_limits;
use crate::search::{Posed, SearchScratch};
use crate::{Solution, Stop};
use urdf_ik_closed_form::REDUNDANT_JOINTS;

/// Residuals above this \[m and rad\] are more than rounding: Newton steps follow.
pub(super) const EXACT_RESIDUAL: f64 = 1e-10;

/// Makes a solution of a configuration, after Newton steps where it is not exact; tells whether it meets the target and
/// may be handed out.
pub(super) fn hand_out(posed: Posed, positions: &[f64], scratch: &mut SearchScratch, solution: &mut Solution) -> bool {
    let Posed { search, problem } = posed;
    let mut met = search.hand_out(problem.targets, positions, scratch, solution);
    let residual = solution.worst_residual();
    if residual.position > EXACT_RESIDUAL || residual.orientation > EXACT_RESIDUAL {
        let mut polished = [0.0; REDUNDANT_JOINTS];
        let polished = &mut polished[..positions.len()];
        polished.copy_from_slice(positions);
        search.polish(&problem.targets[0], EXACT_RESIDUAL, polished, scratch);
        if fold_into_limits(posed, polished).is_some() {
            met = search.hand_out(problem.targets, polished, scratch, solution);
        }
    }
    met = met && scratch.clearance().appraise(problem, &solution.positions).is_some();
    if met {
        (solution.stop, solution.smallest_singular_value) = (Stop::Converged, None);
        (solution.iterations, solution.attempts) = (0, 1);
    }
    met
}
