//! Solves problems by a closed form, or by the search if the formulas do not apply.

use super::candidates::Candidates;
use super::chain_form::{ClosedForm, ClosedFormKind};
use super::choices::{EXACT_RESIDUAL, fold_into_limits, hand_out};
use crate::search::{OnSolution, Run, SearchInput, SearchScratch};
use crate::{Mode, Pick, Solution, Target, counted_axes};
use urdf_ik_closed_form::{ArmSolutions, JOINTS, MAX_SOLUTIONS, SAME_SOLUTION, SixAxis, same};

/// A configuration inside the limits \[rad\], and whether it represents a continuum.
type Choice = ([f64; JOINTS], bool);

impl ClosedForm {
    /// Solves a validated problem, without a closed form by the search of the run.
    pub(crate) fn solve(&self, run: &Run, scratch: &mut SearchScratch, solution: &mut Solution) {
        let (joints, posed) = (self.chain.joints().len(), run.input);
        scratch.exploration.clearance.begin();
        let solved = match &self.form {
            // Tracking with goals stays near the seed by its descents.
            _ if run.tracks() && !run.has_continuation() => false,
            ClosedFormKind::SevenAxis(arm) => arm.solve(posed, scratch, solution),
            _ => self.choices(posed, scratch).is_some_and(|choices| {
                choices.as_slice().iter().any(|choice| {
                    let (positions, continuous) = choice.at;
                    let met = hand_out(posed, &positions[..joints], scratch, solution);
                    solution.continuous = met && continuous;
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
        solution.elapsed = run.start.elapsed();
    }

    /// See [`Solver::solve_all`](crate::Solver::solve_all).
    pub(crate) fn solve_all(
        &self,
        run: &Run,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
        on_solution: OnSolution,
    ) -> usize {
        let (posed, problem) = (run.input, run.input.problem);
        // With two free rotations the formulas may miss solutions.
        let all = |target: &Target| target.free_axes[3..].iter().filter(|free| **free).count() != 2;
        let choices = match problem.mode {
            Mode::Search { .. } if problem.targets.iter().all(all) => self.choices(posed, scratch),
            _ => None,
        };
        // Solutions of a continuum, and relations of joints that depend on revolutions, are left to the search.
        let has_relation = problem.goals.iter().any(|goal| !goal.kind().coefficients().is_empty());
        let decides = |choices: &Candidates<Choice>| {
            problem.goals.is_empty() || !has_relation && choices.as_slice().iter().all(|choice| !choice.at.1)
        };
        let Some(choices) = choices.filter(decides) else {
            return run.solve_all(scratch, solution, on_solution);
        };
        scratch.exploration.clearance.begin();
        let (mut known, mut count, joints) = ([[0.0; JOINTS]; MAX_SOLUTIONS], 0, self.chain.joints().len());
        for (positions, continuous) in choices.as_slice().iter().map(|choice| choice.at) {
            if !hand_out(posed, &positions[..joints], scratch, solution)
                || known[..count].iter().any(|known| same(known, &solution.positions, SAME_SOLUTION))
            {
                continue;
            }
            known[count][..joints].copy_from_slice(&solution.positions);
            count += 1;
            solution.continuous = continuous;
            solution.elapsed = run.start.elapsed();
            if on_solution(solution).is_break() {
                break;
            }
        }
        if count > 0 { count } else { run.solve_all(scratch, solution, on_solution) }
    }

    /// The configurations inside the limits, each joint at the revolution nearest to the seed, the best by the
    /// preference of the problem first; in tracking, only those within its largest steps. `None` for problems without
    /// a closed form.
    fn choices(&self, posed: SearchInput, scratch: &mut SearchScratch) -> Option<Candidates<Choice>> {
        let SearchInput { search, problem } = posed;
        let [target] = problem.targets else { return None };
        let track = matches!(problem.mode, Mode::Track { .. });
        let mut seed = [0.0; JOINTS];
        let joints = problem.seed.len();
        seed.get_mut(..joints)?.copy_from_slice(problem.seed);
        let (mut solutions, exact) = match &self.form {
            ClosedFormKind::SixAxis { arm: SixAxis::General(_), .. } if track && !target.free_axes.contains(&true) => {
                // Tracking needs one configuration: Newton steps take a hundredth of the time of all solutions.
                let mut start = ArmSolutions::default();
                start.push(seed, false);
                (start, false)
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
        let mut choices = Candidates::default();
        for (configuration, continuous) in solutions.as_slice().iter().zip(solutions.continuous()) {
            let mut positions = *configuration;
            let Some(largest_move) = fold_into_limits(posed, &mut positions) else { continue };
            let own = &positions[..joints];
            let cost = match (problem.cost, problem.mode) {
                (Some(cost), _) => cost(own),
                (None, Mode::Search { pick: Pick::MostManipulable, .. }) => {
                    search.manipulability_cost(problem.targets, own, scratch)
                }
                (None, _) => largest_move,
            };
            choices.insert(cost, (positions, *continuous));
        }
        Some(choices)
    }
}
