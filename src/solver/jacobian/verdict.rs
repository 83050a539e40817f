//! From the posture that a search ends in to the answer: turns, residuals, reasons.

use std::f64::consts::TAU;

use super::null_space::counted;
use super::{Jacobian, JacobianScratch};
use crate::robot::Domain;
use crate::solver::problem::{Mode, Problem, Target};
use crate::solver::solution::{Outcome, Reason, Residual, Solution};

/// Slope of half the squared error \[rad²\] by a variable that counts as more than rounding.
const PRESSURE: f64 = 1e-9;

impl Jacobian {
    /// The first target that is certainly out of reach.
    pub(super) fn out_of_reach(&self, problem: &Problem) -> Option<Reason> {
        problem.targets.iter().enumerate().find_map(|(index, target)| {
            let (distance, reach) = self.reach[target.tip].refutes(&self.chain, target)?;
            Some(Reason::OutOfReach { target: index, distance, reach })
        })
    }

    /// Where a search lets a variable come to rest: if it turns, at the turn that lies in the limits and nearest to the seed.
    pub(super) fn folded(&self, i: usize, position: f64, scratch: &JacobianScratch) -> f64 {
        if !self.turns[i] {
            return position;
        }
        let nearest = position - ((position - scratch.start[i]) / TAU).round() * TAU + scratch.whole_turns[i];
        match self.chain.variables()[i].domain {
            Domain::Interval { upper, .. } if nearest > upper => nearest - TAU,
            Domain::Interval { lower, .. } if nearest < lower => nearest + TAU,
            _ => nearest,
        }
    }

    /// Brings `scratch.best` back to where the seed is: the whole turns that were taken off, and for a search the turn that lies in
    /// the limits and nearest to the seed.
    pub(super) fn fold(&self, problem: &Problem, scratch: &mut JacobianScratch) {
        for (i, variable) in self.chain.variables().iter().enumerate() {
            if !self.turns[i] {
                continue;
            }
            let seed = variable.domain.clamp(problem.seed[i]);
            let folded = self.folded(i, scratch.best[i], scratch);
            let position = &mut scratch.best[i];
            match problem.mode {
                Mode::Search { .. } => *position = folded,
                Mode::Track { max_step } => {
                    // Rounding must not carry it out of its bounds.
                    *position += scratch.whole_turns[i];
                    *position = position.max(seed - max_step[i]).min(seed + max_step[i]);
                }
            }
            // A range of exactly one turn may be missed by rounding.
            *position = variable.domain.clamp(*position);
        }
    }

    /// Measures exactly the positions that are handed out, by the chain's own forward kinematics; tells whether they meet the targets.
    pub(in crate::solver) fn hand_out(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut JacobianScratch,
        solution: &mut Solution,
    ) -> bool {
        solution.positions.copy_from_slice(positions);
        self.chain.forward_kinematics(&solution.positions, &mut scratch.poses);
        solution.residuals.clear();
        solution.residuals.extend(targets.iter().map(|target| target.residual(&scratch.poses.tips()[target.tip])));
        solution.squared_error = targets.iter().zip(&solution.residuals).map(|(t, r)| self.squared_error(t, r)).sum();
        solution.saturated.clear();
        solution.continuous = false;
        let met = targets.iter().zip(&solution.residuals).all(|(target, residual)| residual.within(target));
        solution.outcome = if met { Outcome::Solved } else { Outcome::Closest(Reason::NotConverged) };
        met
    }

    /// Hands out `scratch.best` and says what became of the problem.
    pub(super) fn judge(&self, problem: &Problem, scratch: &mut JacobianScratch, solution: &mut Solution) {
        let best = std::mem::take(&mut scratch.best);
        let met = self.hand_out(problem.targets, &best, scratch, solution);
        scratch.best = best;
        if met {
            return;
        }
        let step_limited = self.find_saturated(scratch, solution);
        solution.outcome = Outcome::Closest(match self.out_of_reach(problem) {
            Some(reason) => reason,
            None if step_limited => Reason::StepLimited,
            None if !solution.saturated.is_empty() => Reason::JointLimits,
            None => Reason::NotConverged,
        });
    }

    /// Lists the variables that stand at a limit and would lessen the error beyond it; tells whether any stands so at a
    /// step bound that is no limit.
    fn find_saturated(&self, scratch: &mut JacobianScratch, solution: &mut Solution) -> bool {
        scratch.trial.iter_mut().zip(&solution.positions).zip(&scratch.whole_turns).for_each(|((t, p), w)| *t = p - w);
        scratch.batch.write_all(&scratch.trial);
        self.measure(scratch);
        self.linearise(scratch);
        let mut step_limited = false;
        let variables = self.chain.variables();
        for (i, variable) in variables.iter().enumerate() {
            let descent = scratch.descent(i);
            let pressed = |position: f64, lower: f64, upper: f64| {
                (position <= lower && descent < -PRESSURE) || (position >= upper && descent > PRESSURE)
            };
            let at_limit = match variable.domain {
                Domain::Interval { lower, upper } => pressed(solution.positions[i], lower, upper),
                Domain::Circle => false,
            };
            if at_limit {
                solution.saturated.push(i);
            } else if pressed(scratch.trial[i], scratch.lower[i], scratch.upper[i]) {
                step_limited = true;
            }
        }
        step_limited
    }

    /// See [`Solver::smallest_singular_value`](crate::solver::Solver::smallest_singular_value).
    pub(in crate::solver) fn smallest_singular_value(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut JacobianScratch,
    ) -> f64 {
        self.set_goals(targets, scratch);
        self.singular_value_at(targets, positions, scratch)
    }

    /// The same where the goals of the targets have been set.
    pub(super) fn singular_value_at(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut JacobianScratch,
    ) -> f64 {
        self.linearise_at(positions, scratch);
        scratch.linear.smallest_singular_value(counted(targets))
    }

    /// The logarithm of the manipulability at `positions`.
    pub(in crate::solver) fn log_manipulability(
        &self,
        targets: &[Target],
        positions: &[f64],
        scratch: &mut JacobianScratch,
    ) -> f64 {
        self.set_goals(targets, scratch);
        self.linearise_at(positions, scratch);
        scratch.linear.log_manipulability(counted(targets))
    }

    /// Takes the Jacobian at `positions` in.
    fn linearise_at(&self, positions: &[f64], scratch: &mut JacobianScratch) {
        for (i, (at, position)) in scratch.trial.iter_mut().zip(positions).enumerate() {
            *at = position - if self.turns[i] { (position / TAU).round() * TAU } else { 0.0 };
        }
        scratch.batch.write_all(&scratch.trial);
        self.measure(scratch);
        self.linearise(scratch);
        scratch.take_in(0);
    }

    /// What a target adds to the squared error \[rad²\].
    fn squared_error(&self, target: &Target, residual: &Residual) -> f64 {
        let position = residual.position / self.length_scale;
        target.weight * (position * position + residual.orientation * residual.orientation)
    }
}

impl JacobianScratch {
    /// How fast half the squared error of the first lane falls with a variable.
    fn descent(&self, variable: usize) -> f64 {
        let variables = self.trial.len();
        let products = self.goals.iter().enumerate().flat_map(|(target, _)| {
            let (rows, column) = (&self.batch.rows[target], &self.batch.columns[target * variables + variable]);
            rows.iter().zip(column).map(|(row, entry)| row.0[0] * entry.0[0])
        });
        products.sum()
    }
}
