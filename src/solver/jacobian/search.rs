//! A whole solve: attempts from one starting point after the other, the choice among them, and the verdict.

use std::f64::consts::TAU;
use std::time::Instant;

use super::attempt::{Budget, Measure};
use super::{Jacobian, JacobianScratch};
use crate::robot::Domain;
use crate::solver::problem::{Mode, Problem};
use crate::solver::solution::{Outcome, Reason, Solution, Stop};

/// Slope of half the squared error \[rad²\] by a variable that counts as more than rounding.
const PRESSURE: f64 = 1e-9;

/// Attempts at a target that is certainly out of reach, for the sake of the closest answer.
const HOPELESS_ATTEMPTS: usize = 8;

impl Jacobian {
    /// Solves a problem that has been checked.
    pub(in crate::solver) fn solve(&self, problem: &Problem, scratch: &mut JacobianScratch, solution: &mut Solution) {
        let start = Instant::now();
        let expired = || problem.deadline.is_some_and(|deadline| start.elapsed() >= deadline);
        let mut budget = Budget { iterations: 0, expired: &expired };
        let proof = self.out_of_reach(problem);
        self.set_bounds(problem, scratch);
        scratch.ranking.reset();
        let (attempts, random_seed) = match problem.mode {
            Mode::Search { attempts, random_seed } => {
                // No attempt can succeed where the target is out of reach; a few keep a stretched seed from staying where it is.
                let useful = if proof.is_some() { HOPELESS_ATTEMPTS } else { usize::MAX };
                (attempts.clamp(1, useful), random_seed)
            }
            Mode::Track { .. } => (1, 0),
        };
        solution.stop = Stop::Attempts;
        let met = self.search(problem, (attempts, random_seed), scratch, &mut budget, solution);
        scratch.current.copy_from_slice(&scratch.best);
        if !met {
            self.refine(problem.targets, scratch, &mut budget);
            if expired() {
                solution.stop = Stop::Deadline;
            }
        }
        self.fold(problem, scratch);
        solution.iterations = budget.iterations;
        self.judge(problem, proof, scratch, solution);
        solution.elapsed = start.elapsed();
    }

    /// Tries one starting point after the other and leaves the best posture in `best`; tells whether it meets the targets.
    fn search(
        &self,
        problem: &Problem,
        (attempts, random_seed): (usize, u64),
        scratch: &mut JacobianScratch,
        budget: &mut Budget,
        solution: &mut Solution,
    ) -> bool {
        let mut least = f64::INFINITY;
        solution.attempts = 0;
        for attempt in 0..attempts {
            if attempt > 0 && (budget.expired)() {
                solution.stop = Stop::Deadline;
                return false;
            }
            self.set_start(problem, (attempt, random_seed), scratch);
            let Measure { squared_error, met } = self.attempt(problem.targets, scratch, budget);
            solution.attempts += 1;
            if squared_error < least || met || attempt == 0 {
                least = squared_error;
                scratch.best.copy_from_slice(&scratch.current);
            }
            if met {
                return true;
            }
        }
        false
    }

    /// The first target that is certainly out of reach.
    fn out_of_reach(&self, problem: &Problem) -> Option<Reason> {
        problem.targets.iter().enumerate().find_map(|(index, target)| {
            let (distance, reach) = self.reach[target.tip].refutes(&self.chain, target)?;
            Some(Reason::OutOfReach { target: index, distance, reach })
        })
    }

    /// Bounds for the variables while solving.
    ///
    /// A search takes those that turn for circles and folds them into their limits at the end. Tracking does not: a fold would
    /// be a jump of a whole turn.
    fn set_bounds(&self, problem: &Problem, scratch: &mut JacobianScratch) {
        for (i, variable) in self.chain.variables().iter().enumerate() {
            let circle = (f64::NEG_INFINITY, f64::INFINITY);
            let limits = match variable.domain {
                Domain::Interval { lower, upper } => (lower, upper),
                Domain::Circle => circle,
            };
            (scratch.lower[i], scratch.upper[i]) = match problem.mode {
                Mode::Search { .. } if self.turns[i] => circle,
                Mode::Search { .. } => limits,
                Mode::Track { max_step } => {
                    let seed = variable.domain.clamp(problem.seed[i]);
                    (limits.0.max(seed - max_step[i]), limits.1.min(seed + max_step[i]))
                }
            };
        }
    }

    /// Puts the starting point of an attempt into `current`: the seed first, then the seed table.
    fn set_start(&self, problem: &Problem, attempt: (usize, u64), scratch: &mut JacobianScratch) {
        if attempt.0 == 0 {
            for (i, variable) in self.chain.variables().iter().enumerate() {
                scratch.current[i] = variable.domain.clamp(problem.seed[i]);
            }
        } else {
            self.table.start((self.task, problem), attempt, &mut scratch.ranking, &mut scratch.current);
        }
    }

    /// Brings variables that were solved for as circles to the turn that lies in their limits and nearest to the seed.
    fn fold(&self, problem: &Problem, scratch: &mut JacobianScratch) {
        if matches!(problem.mode, Mode::Track { .. }) {
            return;
        }
        for (i, variable) in self.chain.variables().iter().enumerate() {
            if !self.turns[i] {
                continue;
            }
            let seed = variable.domain.clamp(problem.seed[i]);
            let position = &mut scratch.current[i];
            *position -= ((*position - seed) / TAU).round() * TAU;
            if let Domain::Interval { lower, upper } = variable.domain {
                if *position > upper {
                    *position -= TAU;
                } else if *position < lower {
                    *position += TAU;
                }
                // A range of exactly one turn may be missed by rounding.
                *position = position.clamp(lower, upper);
            }
        }
    }

    /// Measures exactly the positions that are handed out, and says what became of the problem.
    fn judge(&self, problem: &Problem, proof: Option<Reason>, scratch: &mut JacobianScratch, solution: &mut Solution) {
        let targets = problem.targets;
        solution.squared_error = self.measure(targets, scratch).squared_error;
        self.linearise(targets, scratch);
        solution.positions.copy_from_slice(&scratch.current);
        solution.residuals.clear();
        let mut met = true;
        for target in targets {
            let residual = self.task.difference(target, &scratch.poses.tips()[target.tip]).residual;
            met &= residual.within(target, 1.0);
            solution.residuals.push(residual);
        }
        let counted = targets.iter().map(|target| target.free_axes.iter().filter(|free| !**free).count()).sum();
        let step_limited = self.find_saturated(scratch, solution);
        solution.smallest_singular_value =
            scratch.linear.smallest_singular_value(&scratch.columns, &scratch.rows, counted);
        solution.outcome = if met {
            solution.stop = Stop::Converged;
            Outcome::Solved
        } else {
            Outcome::Closest(match proof {
                Some(reason) => reason,
                None if step_limited => Reason::StepLimited,
                None if !solution.saturated.is_empty() => Reason::JointLimits,
                None => Reason::NotConverged,
            })
        };
    }

    /// Lists the variables that stand at a limit and would lessen the error beyond it; tells whether any stands so at a
    /// step bound that is no limit.
    fn find_saturated(&self, scratch: &JacobianScratch, solution: &mut Solution) -> bool {
        solution.saturated.clear();
        let mut step_limited = false;
        let variables = self.chain.variables();
        for (i, variable) in variables.iter().enumerate() {
            let descent: f64 =
                scratch.rows.iter().enumerate().map(|(b, row)| scratch.columns[b * variables.len() + i].dot(row)).sum();
            let position = scratch.current[i];
            let pressed = |lower: f64, upper: f64| {
                (position <= lower && descent < -PRESSURE) || (position >= upper && descent > PRESSURE)
            };
            let at_limit = match variable.domain {
                Domain::Interval { lower, upper } => pressed(lower, upper),
                Domain::Circle => false,
            };
            if at_limit {
                solution.saturated.push(i);
            } else if pressed(scratch.lower[i], scratch.upper[i]) {
                step_limited = true;
            }
        }
        step_limited
    }
}
