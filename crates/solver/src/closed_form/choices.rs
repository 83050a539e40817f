//! Folds the solutions of a closed form into the limits, orders them by what the problem prefers, and makes answers of them.

use crate::search::{Posed, SearchScratch};
use crate::{Mode, Problem, Solution, Stop};
use urdf_ik_closed_form::{ArmSolutions, JOINTS, MAX_SOLUTIONS, REDUNDANT_JOINTS};
use urdf_ik_robot::{Domain, nearest_turn};

/// A position that passes a limit by no more than this \[rad\] does so by rounding.
pub(super) const LIMIT_ROUNDING: f64 = 1e-9;

/// Configurations that pass limits by no more than this \[rad\] may lead to others that do not.
pub(super) const MAX_LIMIT_EXCESS: f64 = 0.8;

/// Residuals above this \[m and rad\] are more than rounding: Newton steps follow.
pub(super) const EXACT_RESIDUAL: f64 = 1e-10;

/// A configuration inside the limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    /// Positions \[rad\].
    pub positions: [f64; JOINTS],
    /// How well it serves the problem: less is better.
    pub score: f64,
}

/// The configurations of one pose that are inside the limits.
pub(super) struct Choices {
    /// Each with whether it stands for a continuum.
    entries: [(Choice, bool); MAX_SOLUTIONS],
    count: usize,
}

impl Choices {
    /// Those of `solutions` that lie in the limits, or can be brought there by whole turns, each joint at the turn nearest to the
    /// seed; in tracking also within its greatest step. `score` is given their positions and the largest move of a joint from the
    /// seed \[rad\].
    pub(super) fn new(
        posed: Posed,
        solutions: &ArmSolutions,
        score: &mut dyn FnMut(&[f64; JOINTS], f64) -> f64,
    ) -> Self {
        let nothing = Choice { positions: [0.0; JOINTS], score: f64::INFINITY };
        let mut choices = Self { entries: [(nothing, false); MAX_SOLUTIONS], count: 0 };
        for (configuration, continuous) in solutions.as_slice().iter().zip(solutions.continuous()) {
            if let Some((positions, largest_move)) = folded_into_limits(posed, configuration) {
                let score = score(&positions, largest_move);
                choices.entries[choices.count] = (Choice { positions, score }, *continuous);
                choices.count += 1;
            }
        }
        choices.entries[..choices.count].sort_unstable_by(|(a, _), (b, _)| a.score.total_cmp(&b.score));
        choices
    }

    /// The best first, and whether it stands for a continuum.
    pub(super) fn as_slice(&self) -> &[(Choice, bool)] {
        &self.entries[..self.count]
    }
}

/// The configuration at turns that lie in the limits, and the largest move of a joint from the seed.
pub(super) fn folded_into_limits<const N: usize>(posed: Posed, configuration: &[f64; N]) -> Option<([f64; N], f64)> {
    let mut positions = *configuration;
    fold_into_limits(posed, &mut positions).map(|largest_move| (positions, largest_move))
}

/// Brings a configuration to turns that lie in the limits; the largest move of a joint from the seed, if there are such turns.
pub(super) fn fold_into_limits(posed: Posed, positions: &mut [f64]) -> Option<f64> {
    let Posed { search, problem } = posed;
    let limits = search.chain.variables().iter().map(|variable| variable.domain);
    // Two loops, so that one without bounds does not ask for them.
    match problem.bounds {
        None => fold_into(limits, problem, positions),
        Some(bounds) => {
            fold_into(limits.enumerate().map(|(index, limits)| bounds.within(index, limits)), problem, positions)
        }
    }
}

fn fold_into(domains: impl Iterator<Item = Domain>, problem: &Problem, positions: &mut [f64]) -> Option<f64> {
    let mut largest_move = 0.0_f64;
    for (index, (position, domain)) in positions.iter_mut().zip(domains).enumerate() {
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

/// The configuration at turns that lie in the limits, or nearest to them, and by how much it passes them at most.
pub(super) fn folded_near_limits<const N: usize>(posed: Posed, configuration: &[f64; N]) -> ([f64; N], f64) {
    let (problem, mut positions, mut passed) = (posed.problem, *configuration, 0.0_f64);
    for (index, position) in positions.iter_mut().enumerate() {
        let domain = posed.domain(index);
        let seed = domain.clamp(problem.seed[index]);
        let turned = domain.turn_near(*position, seed, LIMIT_ROUNDING);
        *position = turned.unwrap_or_else(|| nearest_turn(*position, domain.middle()));
        passed = passed.max((*position - domain.clamp(*position)).abs());
        if let Mode::Track { max_step } = problem.mode {
            passed = passed.max((*position - seed).abs() - max_step[index]);
        }
    }
    (positions, passed)
}

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
