//! Solves problems by a closed form, or by the search if the formulas do not apply.

use std::time::Instant;

use super::chain_form::{ClosedForm, ClosedFormKind};
use super::choices::{Choices, EXACT_RESIDUAL, hand_out};
use crate::search::{Iteration, OnSolution, Run, SearchInput, SearchScratch};
use crate::{JacobianStep, Mode, Pick, Solution, Target, counted_axes};
use urdf_ik_closed_form::{ArmSolutions, JOINTS, MAX_SOLUTIONS, SAME_SOLUTION, SixAxis, same};

/// Iteration of the search for problems without a closed form.
const FALLBACK: Iteration = Iteration::Jacobian(JacobianStep::Damped { damping: None });

impl ClosedForm {
    /// Solves a validated problem.
    pub(crate) fn solve(&self, posed: SearchInput, scratch: &mut SearchScratch, solution: &mut Solution) {
        let start = Instant::now();
        let (joints, run) = (self.chain.joints().len(), Run::new(posed, FALLBACK));
        scratch.exploration.clearance.begin();
        let solved = match &self.form {
            // Tracking with goals stays near the seed by its descents.
            _ if run.tracks() && !run.has_continuation() => false,
            ClosedFormKind::SevenAxis(arm) => arm.solve(posed, scratch, solution),
            _ => self.choices(posed, scratch).is_some_and(|choices| {
                choices.as_slice().iter().any(|(choice, continuous)| {
                    let met = hand_out(posed, &choice.positions[..joints], scratch, solution);
                    solution.continuous = met && *continuous;
                    met
                })
            }),
        };
        if !solved || run.tracks() && !run.is_connected(scratch, &solution.positions) {
            run.solve(scratch, solution);
        } else if run.tracks() {
            let targets = posed.problem.targets;
            let decomposed = posed.search.decomposed(targets, &solution.positions, scratch);
            solution.smallest_singular_value = Some(decomposed.smallest_singular_value(counted_axes(targets)));
        }
        solution.elapsed = start.elapsed();
    }

    /// See [`Solver::solve_all`](crate::Solver::solve_all).
    pub(crate) fn solve_all(
        &self,
        posed: SearchInput,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
        on_solution: OnSolution,
    ) -> usize {
        let (start, problem) = (Instant::now(), posed.problem);
        // With two free rotations the formulas may miss solutions.
        let all = |target: &Target| target.free_axes[3..].iter().filter(|free| **free).count() != 2;
        let choices = match problem.mode {
            Mode::Search { .. } if problem.targets.iter().all(all) => self.choices(posed, scratch),
            _ => None,
        };
        let choices = choices.filter(|choices| choices.decide(problem.goals));
        let Some(choices) = choices else {
            return Run::new(posed, FALLBACK).solve_all(scratch, solution, on_solution);
        };
        scratch.exploration.clearance.begin();
        let (mut known, mut count, joints) = ([[0.0; JOINTS]; MAX_SOLUTIONS], 0, self.chain.joints().len());
        for (choice, continuous) in choices.as_slice() {
            if !hand_out(posed, &choice.positions[..joints], scratch, solution)
                || known[..count].iter().any(|known| same(known, &solution.positions, SAME_SOLUTION))
            {
                continue;
            }
            known[count][..joints].copy_from_slice(&solution.positions);
            count += 1;
            solution.continuous = *continuous;
            solution.elapsed = start.elapsed();
            if on_solution(solution).is_break() {
                break;
            }
        }
        if count > 0 { count } else { Run::new(posed, FALLBACK).solve_all(scratch, solution, on_solution) }
    }

    /// The candidate configurations; `None` for problems without a closed form.
    fn choices(&self, posed: SearchInput, scratch: &mut SearchScratch) -> Option<Choices> {
        let SearchInput { search, problem } = posed;
        let [target] = problem.targets else { return None };
        let track = matches!(problem.mode, Mode::Track { .. });
        let mut seed = [0.0; JOINTS];
        let joints = problem.seed.len();
        seed.get_mut(..joints)?.copy_from_slice(problem.seed);
        let (mut solutions, exact) = match &self.form {
            ClosedFormKind::SixAxis { arm: SixAxis::General(_), .. } if track && !target.free_axes.contains(&true) => {
                // Tracking needs one configuration: Newton steps take a hundredth of the time of all solutions.
                (ArmSolutions::one(seed), false)
            }
            ClosedFormKind::SixAxis { arm, family } if !target.free_axes.contains(&true) => {
                (arm.solutions(&target.pose, &seed), family.exact())
            }
            ClosedFormKind::ShortChain(short) => short.solutions(target, &seed)?,
            ClosedFormKind::SixAxis { .. } | ClosedFormKind::SevenAxis(_) => return None,
        };
        if !exact {
            for configuration in solutions.as_mut_slice() {
                search.polish(target, EXACT_RESIDUAL, &mut configuration[..joints], scratch);
            }
        }
        let by_manipulability = matches!(problem.mode, Mode::Search { pick: Pick::MostManipulable, .. });
        Some(Choices::new(posed, &solutions, &mut |positions, largest_move| {
            if let Some(cost) = problem.cost {
                cost(&positions[..joints])
            } else if by_manipulability {
                search.manipulability_cost(problem.targets, &positions[..joints], scratch)
            } else {
                largest_move
            }
        }))
    }
}
