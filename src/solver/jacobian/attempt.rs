//! One attempt: Newton steps from one starting point, and the refinement of the best posture.

use super::{Jacobian, JacobianScratch, Method};
use crate::solver::problem::Target;

/// Iterations of one attempt at most.
const ITERATIONS: usize = 16;
/// Adaptive damping is the squared error \[rad²\] up to this. More would only slow the steps far from the target, and on a long gantry
/// they would get nowhere. Found by experiment on seven arms: 20, 1, 0.25 and 0.1 take ever fewer iterations.
const GREATEST_DAMPING: f64 = 0.1;
/// A stall is an iteration that leaves more than this fraction of the squared error.
const STALL: f64 = 0.7;
/// An attempt is given up after this many stalls, unless the squared error has halved between them.
const STALLS: usize = 2;
/// Halvings of a pseudoinverse step that does not lessen the error.
const HALVINGS: usize = 6;
/// Iterations of the refinement at most, and the relative gain below which it has arrived.
const REFINEMENTS: usize = 200;
const LEAST_GAIN: f64 = 1e-9;
/// A step with an entry above this \[rad or m\] is no arrival, however small the gain: of a far target's error it always is.
const LEAST_STEP: f64 = 1e-3;
/// Fraction of the tolerance that an attempt must meet, so that what rounding does afterwards cannot take it back.
pub(super) const MARGIN: f64 = 0.999;

/// What has been spent, and when to stop.
pub(super) struct Budget<'a> {
    pub iterations: usize,
    pub expired: &'a dyn Fn() -> bool,
}

/// A posture as forward kinematics sees it.
#[derive(Clone, Copy)]
pub(super) struct Measure {
    /// Squared norm of the task's rows.
    pub squared_error: f64,
    /// Whether every target is met.
    pub met: bool,
}

impl Jacobian {
    /// Forward kinematics and residual rows of `current`.
    pub(super) fn measure(&self, targets: &[Target], scratch: &mut JacobianScratch) -> Measure {
        self.chain.forward_kinematics(&scratch.current, &mut scratch.poses);
        scratch.rows.clear();
        let mut measure = Measure { squared_error: 0.0, met: true };
        for target in targets {
            let difference = self.task.difference(target, &scratch.poses.tips()[target.tip]);
            measure.squared_error += difference.rows.norm_squared();
            measure.met &= difference.residual.within(target, MARGIN);
            scratch.rows.push(difference.rows);
        }
        measure
    }

    /// Newton steps from `current` until the targets are met or progress stalls. Short enough to need no look at the clock.
    pub(super) fn attempt(&self, targets: &[Target], scratch: &mut JacobianScratch, budget: &mut Budget) -> Measure {
        let mut now = self.measure(targets, scratch);
        let (mut stalls, mut mark) = (0, now.squared_error);
        for _ in 0..ITERATIONS {
            if now.met {
                break;
            }
            budget.iterations += 1;
            let before = now.squared_error;
            self.linearise(targets, scratch);
            let damping = match self.method {
                Method::Damped { damping: Some(factor) } => factor * factor,
                _ => before.min(GREATEST_DAMPING),
            };
            self.bounded_step(scratch, self.method, damping);
            now = match self.method {
                Method::Damped { .. } => self.advance(targets, scratch),
                Method::Pseudoinverse => self.advance_or_halve(targets, scratch, before),
            };
            if now.squared_error < 0.5 * mark {
                (stalls, mark) = (0, now.squared_error);
            }
            if now.squared_error > STALL * before {
                stalls += 1;
                if stalls >= STALLS {
                    break;
                }
            }
        }
        now
    }

    /// Goes down from `current` to a local minimum of the squared error by Levenberg-Marquardt: a step that does not
    /// lessen the error is taken back and damped more.
    pub(super) fn refine(&self, targets: &[Target], scratch: &mut JacobianScratch, budget: &mut Budget) -> Measure {
        let mut now = self.measure(targets, scratch);
        // Of the size of the columns at most: more would make small steps look like the end of progress.
        let mut damping = now.squared_error.clamp(1e-6, 1.0);
        let mut linearised = false;
        for _ in 0..REFINEMENTS {
            // What bends the error grows with the error itself.
            if now.met || damping > 1e8 * (1.0 + now.squared_error.sqrt()) || (budget.expired)() {
                break;
            }
            budget.iterations += 1;
            if !linearised {
                self.linearise(targets, scratch);
                linearised = true;
            }
            self.bounded_step(scratch, Method::default(), damping);
            scratch.previous.copy_from_slice(&scratch.current);
            let next = self.advance(targets, scratch);
            if next.squared_error < now.squared_error {
                let still = scratch.step.iter().all(|step| step.abs() < LEAST_STEP);
                let least = LEAST_GAIN * now.squared_error.min(1.0);
                let arrived = still && now.squared_error - next.squared_error < least;
                now = next;
                damping *= 0.2;
                linearised = false;
                if arrived && !now.met {
                    break;
                }
            } else {
                scratch.current.copy_from_slice(&scratch.previous);
                now = Measure { met: false, ..now };
                damping *= 8.0;
            }
        }
        // The rows may be those of a trial that was taken back.
        self.measure(targets, scratch)
    }

    /// Columns of the task at the posture that was measured last.
    pub(super) fn linearise(&self, targets: &[Target], scratch: &mut JacobianScratch) {
        let variables = self.chain.variables().len();
        for (target, columns) in targets.iter().zip(scratch.columns.chunks_exact_mut(variables)) {
            self.task.columns(&self.chain, target, &scratch.poses, columns);
        }
    }

    /// The step from `current`, every variable within its bounds: those that would leave theirs are stopped at them, what
    /// their motion does to the task is taken off the rows, and the others are solved for again.
    fn bounded_step(&self, scratch: &mut JacobianScratch, method: Method, damping: f64) {
        let variables = self.chain.variables().len();
        let JacobianScratch { step, free_step, stopped, lower, upper, current, .. } = scratch;
        let (columns, free_columns) = (&scratch.columns, &mut scratch.free_columns);
        let remaining = &mut scratch.remaining;
        remaining.clone_from(&scratch.rows);
        free_columns.copy_from_slice(columns);
        stopped.fill(false);
        loop {
            match method {
                Method::Damped { .. } => scratch.linear.damped(free_columns, remaining, damping, free_step),
                Method::Pseudoinverse => scratch.linear.pseudoinverse(free_columns, remaining, free_step),
            }
            let mut stopped_one = false;
            for i in 0..variables {
                if stopped[i] {
                    continue;
                }
                let aim = current[i] + free_step[i];
                let bounded = aim.max(lower[i]).min(upper[i]);
                if bounded == aim {
                    step[i] = free_step[i];
                    continue;
                }
                step[i] = bounded - current[i];
                stopped[i] = true;
                stopped_one = true;
                for (block, row) in remaining.iter_mut().enumerate() {
                    let at = block * variables + i;
                    *row -= columns[at] * step[i];
                    free_columns[at].fill(0.0);
                }
            }
            if !stopped_one {
                return;
            }
        }
    }

    /// Takes the whole step.
    fn advance(&self, targets: &[Target], scratch: &mut JacobianScratch) -> Measure {
        for (i, step) in scratch.step.iter().enumerate() {
            // Clamped again: the sum may miss a bound by rounding.
            scratch.current[i] = (scratch.current[i] + step).max(scratch.lower[i]).min(scratch.upper[i]);
        }
        self.measure(targets, scratch)
    }

    /// Takes the step, or the first of its halves that lessens the error below `before`, or the smallest of them.
    fn advance_or_halve(&self, targets: &[Target], scratch: &mut JacobianScratch, before: f64) -> Measure {
        scratch.previous.copy_from_slice(&scratch.current);
        let mut next = self.advance(targets, scratch);
        for _ in 0..HALVINGS {
            if next.squared_error < before {
                break;
            }
            scratch.step.iter_mut().for_each(|step| *step *= 0.5);
            scratch.current.copy_from_slice(&scratch.previous);
            next = self.advance(targets, scratch);
        }
        next
    }
}
