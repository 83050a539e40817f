//! Leads the best configurations down to local minima of the error, where no attempt met the targets, and keeps the least.

use super::candidate::{Candidate, GivenUp};
use super::explore::Run;
use super::prepared_search::Search;
use super::setup::Setup;
use crate::kernel::{Configurations, Kernel, LANES, Lanes, Task};

/// Iterations at most.
pub const ITERATIONS: usize = 200;
/// A descent has arrived where an iteration lessens the squared error by less than this share of it.
const MIN_GAIN: f64 = 1e-9;
/// After so many iterations, a descent goes on only where it is [`PROMISING`].
pub const FIRST_ITERATIONS: usize = 10;
/// A descent is promising where its squared error is below this multiple of the least so far.
pub const PROMISING: f64 = 1.1;
/// A step with an entry above this \[rad or m\] is no arrival, however small the gain: of a far target's error it always is.
const MIN_STEP: f64 = 1e-3;
/// The four lanes try four dampings at once, each this many times the one before.
const LADDER: f64 = 8.0;
/// The least damping that a descent begins with, times [`LADDER`] \[rad²\].
const MIN_START: f64 = 1e-6;

/// Descends to the closest configuration.
#[derive(Debug, Clone)]
pub struct ClosestDescent {
    configurations: Configurations,
}

/// What a descent lessens.
pub trait Objective {
    /// Writes the squared error of each configuration \[rad²\], and which of them meet the targets.
    fn measure(&self, configurations: &mut Configurations);

    /// Takes a damped step inside the bounds from configurations that were measured.
    fn step(&self, configurations: &mut Configurations, damping: &Lanes);
}

/// The error of all targets, in positions and angles.
struct WholeError<'a> {
    kernel: &'a Kernel,
    task: Task<'a>,
}

impl Objective for WholeError<'_> {
    fn measure(&self, configurations: &mut Configurations) {
        self.kernel.measure_angles(self.task.goals, configurations);
    }

    fn step(&self, configurations: &mut Configurations, damping: &Lanes) {
        self.kernel.damped_step(self.task, configurations, damping, &Lanes::splat(1.0));
    }
}

/// How long a descent may go on.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Iterations at most.
    pub iterations: usize,
    /// Tells whether time is up.
    pub expired: &'a dyn Fn() -> bool,
}

impl Budget<'_> {
    /// So many iterations, however long they take.
    pub fn of(iterations: usize) -> Self {
        Budget { iterations, expired: &|| false }
    }
}

/// How a descent ended.
#[derive(Debug, Clone, Copy)]
pub struct Descended {
    pub iterations: usize,
    /// What is left \[rad²\].
    pub squared_error: f64,
    /// Whether the targets are met.
    pub met: bool,
}

impl ClosestDescent {
    pub fn new(search: &Search) -> Self {
        Self { configurations: Configurations::new(&search.kernel.links) }
    }

    /// Leads `closest` and the best of the other attempts that were given up down to minima, and leaves the least in `closest`, by the
    /// error that a solution states: with angles, where attempts took chords. Gives the iterations it took.
    pub fn refine(&mut self, run: &Run, setup: &Setup, closest: &mut Candidate, given_up: &mut GivenUp) -> usize {
        let kernel = &run.posed.search.kernel;
        let budget = Budget { iterations: ITERATIONS, expired: &|| run.has_expired() };
        let first = self.descend(kernel, setup.task(), &mut closest.positions, budget);
        let mut iterations = first.iterations;
        closest.score = first.squared_error;
        let attempt = closest.attempt;
        for other in given_up.candidates().iter_mut().filter(|other| other.attempt != attempt) {
            for most in [FIRST_ITERATIONS, ITERATIONS] {
                if run.has_expired() {
                    return iterations;
                }
                let budget = Budget { iterations: most, ..budget };
                let descended = self.descend(kernel, setup.task(), &mut other.positions, budget);
                other.score = descended.squared_error;
                iterations += descended.iterations;
                if other.score > PROMISING * closest.score {
                    break;
                }
            }
            if other.score < closest.score {
                closest.copy_from(other);
            }
        }
        iterations
    }

    /// Leads `positions` down to a local minimum of the squared error of all targets.
    pub fn descend(&mut self, kernel: &Kernel, task: Task, positions: &mut [f64], budget: Budget) -> Descended {
        self.descend_by(&WholeError { kernel, task }, positions, budget)
    }

    /// Leads `positions` down to a local minimum of the squared error, by the method of Levenberg and Marquardt with four
    /// dampings at once, of which the one that lessens the error most is taken.
    pub fn descend_by(&mut self, objective: &impl Objective, positions: &mut [f64], budget: Budget) -> Descended {
        let configurations = &mut self.configurations;
        let (mut last_damping, mut left) = (None, f64::INFINITY);
        for iteration in 0..budget.iterations {
            configurations.write_all(positions);
            objective.measure(configurations);
            let error = configurations.squared_error.0[0];
            left = error;
            // Of the size of the columns at most: more would make small steps look like the end of progress.
            let damping = last_damping.unwrap_or(error.clamp(MIN_START, 1.0) / LADDER);
            // What bends the error grows with the error itself.
            let hopeless = damping > 1e8 * (1.0 + error.sqrt());
            if configurations.met & 1 == 1 || hopeless || (budget.expired)() {
                let met = configurations.met & 1 == 1;
                return Descended { iterations: iteration, squared_error: error, met };
            }
            let ladder = [1.0, LADDER, LADDER * LADDER, LADDER * LADDER * LADDER];
            let dampings = Lanes(ladder.map(|factor| factor * damping));
            objective.step(configurations, &dampings);
            objective.measure(configurations);
            let errors = configurations.squared_error.0;
            let lane = (1..LANES).fold(0, |best, lane| if errors[lane] < errors[best] { lane } else { best });
            if errors[lane] >= error {
                last_damping = Some(damping * ladder[LANES - 1]);
                continue;
            }
            let still = configurations.step.iter().all(|step| step.0[lane].abs() < MIN_STEP);
            let arrived = still && error - errors[lane] < MIN_GAIN * error.min(1.0);
            last_damping = Some(damping * ladder[lane] / LADDER);
            configurations.read(lane, positions);
            if arrived {
                let met = configurations.met >> lane & 1 == 1;
                return Descended { iterations: iteration + 1, squared_error: errors[lane], met };
            }
        }
        Descended { iterations: budget.iterations, squared_error: left, met: false }
    }
}
