//! A whole solve: attempts, the choice among what they find, and the verdict.

use std::f64::consts::TAU;
use std::ops::ControlFlow;
use std::time::Instant;

use super::attempts::Plan;
use super::goal::Goal;
use super::null_space::counted;
use super::{Jacobian, JacobianScratch};
use crate::robot::Domain;
use crate::solver::lanes::Lanes;
use crate::solver::problem::{Mode, Pick, Problem, Target};
use crate::solver::solution::{Outcome, Reason, Residual, Solution, Stop};

/// Slope of half the squared error \[rad²\] by a variable that counts as more than rounding.
const PRESSURE: f64 = 1e-9;

impl Jacobian {
    /// Solves a problem that has been checked.
    pub(in crate::solver) fn solve(&self, problem: &Problem, scratch: &mut JacobianScratch, solution: &mut Solution) {
        let start = Instant::now();
        let expired = || problem.deadline.is_some_and(|deadline| start.elapsed() >= deadline);
        self.set_up(problem, scratch);
        let (pick, attempts, random_seed) = match problem.mode {
            Mode::Search { pick, attempts, random_seed } => (pick, attempts.max(1), random_seed),
            Mode::Track { .. } => (Pick::First, 1, 0),
        };
        if attempts > 1 {
            self.table.rank(self.level, problem.targets, &mut scratch.ranking);
        }
        // No attempt can succeed where the target is out of reach; the first keep a stretched seed from staying where it is.
        let hopeless = || self.out_of_reach(problem).map(|_| Stop::Attempts);
        let over = || if expired() { Some(Stop::Deadline) } else { hopeless() };
        let plan = Plan { attempts, random_seed, over: &over };
        let mut least = f64::INFINITY;
        let mut spent = self.attempts(&plan, scratch, &mut |scratch, lane| {
            let score = self.score(pick, problem.targets, scratch, lane);
            if score < least {
                least = score;
                scratch.batch.read(lane, &mut scratch.picked);
            }
            if pick == Pick::First { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if least < f64::INFINITY {
            scratch.best.copy_from_slice(&scratch.picked);
            self.settle(problem.targets, &problem.preference, scratch);
        } else {
            spent.iterations += self.refine(scratch, &expired);
            if expired() {
                spent.stop = Stop::Deadline;
            }
        }
        self.fold(problem, scratch);
        self.judge(problem, scratch, solution);
        solution.stop = match solution.outcome {
            Outcome::Solved => Stop::Converged,
            Outcome::Closest(_) => spent.stop,
        };
        solution.smallest_singular_value = match problem.mode {
            Mode::Track { .. } => Some(self.smallest_singular_value(problem.targets, &solution.positions, scratch)),
            Mode::Search { .. } => None,
        };
        solution.iterations = spent.iterations;
        solution.attempts = spent.attempts;
        solution.elapsed = start.elapsed();
    }

    /// Takes `times` iterations from the seed of `problem`, whatever comes of them: forward kinematics, Jacobian and damped step, of
    /// four postures at once. For measurements of what one of them costs.
    #[doc(hidden)]
    pub fn iterate(&self, problem: &Problem, scratch: &mut JacobianScratch, times: usize) {
        self.set_up(problem, scratch);
        scratch.batch.write_all(&scratch.start);
        for _ in 0..times {
            self.measure(scratch);
            self.damped_step(scratch, &Lanes::splat(0.1), &Lanes::splat(1e-3));
        }
    }

    /// What `pick` makes of the posture of a lane: less is better.
    fn score(&self, pick: Pick, targets: &[Target], scratch: &mut JacobianScratch, lane: usize) -> f64 {
        match pick {
            Pick::First => 0.0,
            Pick::Nearest => self.largest_move(scratch, lane),
            Pick::MostManipulable => {
                self.linearise(scratch);
                scratch.take_in(lane);
                -scratch.linear.log_manipulability(counted(targets))
            }
        }
    }

    /// The largest move of any variable from the seed to where the posture of a lane comes to rest \[rad, or m over the length
    /// scale\].
    fn largest_move(&self, scratch: &JacobianScratch, lane: usize) -> f64 {
        let moves = scratch.batch.positions.iter().enumerate().map(|(i, position)| {
            let seed = scratch.start[i] + scratch.whole_turns[i];
            ((self.folded(i, position.0[lane], scratch) - seed) / self.unit(i)).abs()
        });
        moves.fold(0.0, f64::max)
    }

    /// Where a search lets a variable come to rest: if it turns, at the turn that lies in the limits and nearest to the seed.
    fn folded(&self, i: usize, position: f64, scratch: &JacobianScratch) -> f64 {
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

    /// Bounds, starting point and goals.
    fn set_up(&self, problem: &Problem, scratch: &mut JacobianScratch) {
        self.set_bounds(problem, scratch);
        self.set_goals(problem.targets, scratch);
    }

    fn set_goals(&self, targets: &[Target], scratch: &mut JacobianScratch) {
        // Weights count against each other alone: the heaviest is one, which keeps the damping in proportion.
        let heaviest = targets.iter().map(|target| target.weight).fold(0.0, f64::max);
        scratch.goals.clear();
        scratch.goals.extend(targets.iter().map(|target| {
            let target = Target { weight: target.weight / heaviest, ..*target };
            Goal::new(&target, &self.links, self.length_scale)
        }));
    }

    /// The first target that is certainly out of reach.
    fn out_of_reach(&self, problem: &Problem) -> Option<Reason> {
        problem.targets.iter().enumerate().find_map(|(index, target)| {
            let (distance, reach) = self.reach[target.tip].refutes(&self.chain, target)?;
            Some(Reason::OutOfReach { target: index, distance, reach })
        })
    }

    /// Bounds for the variables while solving, and where they start.
    ///
    /// Whole turns of the seed are taken off, since angles of many turns lose digits. A search takes variables that turn for circles and
    /// folds them into their limits at the end. Tracking does not: a fold would be a jump of a whole turn.
    fn set_bounds(&self, problem: &Problem, scratch: &mut JacobianScratch) {
        for (i, variable) in self.chain.variables().iter().enumerate() {
            let circle = (f64::NEG_INFINITY, f64::INFINITY);
            let limits = match variable.domain {
                Domain::Interval { lower, upper } => (lower, upper),
                Domain::Circle => circle,
            };
            let seed = variable.domain.clamp(problem.seed[i]);
            let turns = if self.turns[i] { (seed / TAU).round() * TAU } else { 0.0 };
            let (lower, upper) = match problem.mode {
                Mode::Search { .. } if self.turns[i] => circle,
                Mode::Search { .. } => limits,
                Mode::Track { max_step } => (limits.0.max(seed - max_step[i]), limits.1.min(seed + max_step[i])),
            };
            (scratch.lower[i], scratch.upper[i]) = (lower - turns, upper - turns);
            scratch.start[i] = seed - turns;
            scratch.whole_turns[i] = turns;
        }
    }

    /// Brings `scratch.best` back to where the seed is: the whole turns that were taken off, and for a search the turn that lies in
    /// the limits and nearest to the seed.
    fn fold(&self, problem: &Problem, scratch: &mut JacobianScratch) {
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

    /// Measures exactly the positions that are handed out, by the chain's own forward kinematics, and says what became of the
    /// problem.
    fn judge(&self, problem: &Problem, scratch: &mut JacobianScratch, solution: &mut Solution) {
        let targets = problem.targets;
        solution.positions.copy_from_slice(&scratch.best);
        self.chain.forward_kinematics(&solution.positions, &mut scratch.poses);
        solution.residuals.clear();
        solution.residuals.extend(targets.iter().map(|target| target.residual(&scratch.poses.tips()[target.tip])));
        solution.squared_error = targets.iter().zip(&solution.residuals).map(|(t, r)| self.squared_error(t, r)).sum();
        let met = targets.iter().zip(&solution.residuals).all(|(target, residual)| residual.within(target));
        solution.saturated.clear();
        if met {
            solution.outcome = Outcome::Solved;
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
        for (i, (at, position)) in scratch.trial.iter_mut().zip(positions).enumerate() {
            *at = position - if self.turns[i] { (position / TAU).round() * TAU } else { 0.0 };
        }
        scratch.batch.write_all(&scratch.trial);
        self.measure(scratch);
        self.linearise(scratch);
        scratch.take_in(0);
        scratch.linear.smallest_singular_value(counted(targets))
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
