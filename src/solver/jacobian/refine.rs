//! From the best posture down to a local minimum of the error, where the targets cannot be met.

use super::{Jacobian, JacobianScratch};
use crate::solver::lanes::{LANES, Lanes};

/// Iterations at most, and the relative gain below which it has arrived.
const ITERATIONS: usize = 200;
const LEAST_GAIN: f64 = 1e-9;
/// A step with an entry above this \[rad or m\] is no arrival, however small the gain: of a far target's error it always is.
const LEAST_STEP: f64 = 1e-3;
/// The four lanes try four dampings at once: what each has more than the last, and where they begin.
const LADDER: f64 = 8.0;
const LEAST_START: f64 = 1e-6;

impl Jacobian {
    /// Goes down from `scratch.best` to a local minimum of the squared error, by the method of Levenberg and Marquardt with four
    /// dampings at once, of which the one that lessens the error most is taken. Leaves the posture in `scratch.best`; gives the
    /// iterations it took.
    pub(super) fn refine(&self, scratch: &mut JacobianScratch, expired: &dyn Fn() -> bool) -> usize {
        let mut last_damping = None;
        for iteration in 0..ITERATIONS {
            scratch.batch.write_all(&scratch.best);
            self.measure(scratch);
            let error = scratch.batch.squared_error.0[0];
            // Of the size of the columns at most: more would make small steps look like the end of progress.
            let damping = last_damping.unwrap_or(error.clamp(LEAST_START, 1.0) / LADDER);
            // What bends the error grows with the error itself.
            let hopeless = damping > 1e8 * (1.0 + error.sqrt());
            if scratch.batch.met & 1 == 1 || hopeless || expired() {
                return iteration;
            }
            let ladder = [1.0, LADDER, LADDER * LADDER, LADDER * LADDER * LADDER];
            self.damped_step(scratch, &Lanes(ladder.map(|factor| factor * damping)), &Lanes::splat(1.0));
            self.measure(scratch);
            let errors = scratch.batch.squared_error.0;
            let lane = (1..LANES).fold(0, |best, lane| if errors[lane] < errors[best] { lane } else { best });
            if errors[lane] >= error {
                last_damping = Some(damping * ladder[LANES - 1]);
                continue;
            }
            let still = scratch.step.step.iter().all(|step| step.0[lane].abs() < LEAST_STEP);
            let arrived = still && error - errors[lane] < LEAST_GAIN * error.min(1.0);
            last_damping = Some(damping * ladder[lane] / LADDER);
            scratch.batch.read(lane, &mut scratch.best);
            if arrived {
                return iteration + 1;
            }
        }
        ITERATIONS
    }
}
