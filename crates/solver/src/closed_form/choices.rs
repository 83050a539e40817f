//! Folds the solutions of a closed form into the limits, and orders them by what the problem prefers.

use std::f64::consts::{PI, TAU};

use crate::problem::{Mode, Problem};
use urdf_ik_closed_form::arm_solutions::{ArmSolutions, MAX_SOLUTIONS};
use urdf_ik_closed_form::axes::JOINTS;
use urdf_ik_closed_form::whole_turns::whole_turns;
use urdf_ik_robot::{Chain, Domain};

/// A position that passes a limit by no more than this \[rad\] does so by rounding.
pub(super) const LIMIT_ROUNDING: f64 = 1e-9;

/// Configurations that pass limits by no more than this \[rad\] may lead to others that do not.
pub(super) const MAX_LIMIT_EXCESS: f64 = 0.8;

/// A configuration inside the limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<const N: usize = JOINTS> {
    /// Positions \[rad\].
    pub positions: [f64; N],
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
        chain: &Chain,
        problem: &Problem,
        solutions: &ArmSolutions,
        score: &mut dyn FnMut(&[f64; JOINTS], f64) -> f64,
    ) -> Self {
        let nothing = Choice { positions: [0.0; JOINTS], score: f64::INFINITY };
        let mut choices = Self { entries: [(nothing, false); MAX_SOLUTIONS], count: 0 };
        for (configuration, continuous) in solutions.as_slice().iter().zip(solutions.continuous()) {
            if let Some((positions, largest_move)) = folded_into_limits(chain, problem, configuration) {
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
pub(super) fn folded_into_limits<const N: usize>(
    chain: &Chain,
    problem: &Problem,
    configuration: &[f64; N],
) -> Option<([f64; N], f64)> {
    let mut positions = *configuration;
    fold_into_limits(chain, problem, &mut positions).map(|largest_move| (positions, largest_move))
}

/// Brings a configuration to turns that lie in the limits; the largest move of a joint from the seed, if there are such turns.
pub(super) fn fold_into_limits(chain: &Chain, problem: &Problem, positions: &mut [f64]) -> Option<f64> {
    let limits = chain.variables().iter().map(|variable| variable.domain);
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
        *position = nearest_turn(domain, *position, seed)?;
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
pub(super) fn folded_near_limits<const N: usize>(
    chain: &Chain,
    problem: &Problem,
    configuration: &[f64; N],
) -> ([f64; N], f64) {
    let (mut positions, mut passed) = (*configuration, 0.0_f64);
    for (index, (position, variable)) in positions.iter_mut().zip(chain.variables()).enumerate() {
        let domain = problem.domain(index, variable.domain);
        let seed = domain.clamp(problem.seed[index]);
        *position = nearest_turn(domain, *position, seed).unwrap_or_else(|| {
            let middle = domain.middle();
            *position + whole_turns(middle - *position)
        });
        passed = passed.max((*position - domain.clamp(*position)).abs());
        if let Mode::Track { max_step } = problem.mode {
            passed = passed.max((*position - seed).abs() - max_step[index]);
        }
    }
    (positions, passed)
}

/// The position whole turns from `position` that lies in `domain` and nearest to `seed`.
fn nearest_turn(domain: Domain, position: f64, seed: f64) -> Option<f64> {
    let step = seed - position;
    let nearest = if step.abs() <= PI { position } else { position + whole_turns(step) };
    let Domain::Interval { lower, upper } = domain else { return Some(nearest) };
    let inside = if nearest > upper + LIMIT_ROUNDING {
        nearest - ((nearest - upper - LIMIT_ROUNDING) / TAU).ceil() * TAU
    } else if nearest < lower - LIMIT_ROUNDING {
        nearest + ((lower - LIMIT_ROUNDING - nearest) / TAU).ceil() * TAU
    } else {
        nearest
    };
    (lower - LIMIT_ROUNDING..=upper + LIMIT_ROUNDING).contains(&inside).then(|| domain.clamp(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_comes_to_the_turn_nearest_to_the_seed() {
        let wide = Domain::Interval { lower: -TAU, upper: TAU };
        assert_eq!(nearest_turn(wide, 1.0, 5.0), Some(1.0));
        assert!((nearest_turn(wide, 1.0, -5.0).unwrap() - (1.0 - TAU)).abs() < 1e-15);
        let shifted = Domain::Interval { lower: 3.0, upper: 8.0 };
        assert!((nearest_turn(shifted, 1.0, 3.5).unwrap() - (1.0 + TAU)).abs() < 1e-15);
        assert!(nearest_turn(shifted, 2.5, 3.5).is_none());
        assert_eq!(nearest_turn(Domain::Interval { lower: -1.0, upper: 1.0 }, 1.0 + 1e-12, 0.0), Some(1.0));
        assert!((nearest_turn(Domain::Circle, 1.0, 100.0).unwrap() - 101.530_964_9).abs() < 1e-6);
        let narrow = Domain::Interval { lower: -1.0, upper: 1.0 };
        assert!(nearest_turn(narrow, 3.0, -1.0).is_none() && nearest_turn(narrow, -3.0, 1.0).is_none());
    }
}
