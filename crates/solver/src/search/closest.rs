//! Descent of the best failed attempts to local minima of the error, of which the least is the closest configuration.

use super::attempts::Attempts;
use super::candidate::Candidate;
use super::explore::{Exploration, Run};
use super::objective::{LowerLevel, Objective, WholeError};
use super::prepared_search::{Search, SearchInput};
use super::setup::Setup;
use crate::Bounds;
use crate::kernel::{Configurations, Goals, Kernel, LANES, Lanes, Task};
use urdf_ik_goals::Goal;
use urdf_ik_mathematics::pseudorandom;

/// Maximum number of iterations of a descent to the closest configuration.
pub const MAX_ITERATIONS: usize = 200;
/// A descent has converged when an iteration reduces the squared error by less than this fraction.
const MIN_GAIN: f64 = 1e-9;
/// Number of iterations after which only [`PROMISING`] descents continue.
pub const FIRST_ITERATIONS: usize = 10;
/// Maximum squared error of a promising descent, divided by the least one so far.
pub const PROMISING: f64 = 1.1;
/// A descent with a larger entry of its step \[rad or m\] has not converged: with a far target, the relative gain
/// is always small.
const MIN_STEP: f64 = 1e-3;
/// Ratio of successive dampings in the four lanes.
const DAMPING_RATIO: f64 = 8.0;
/// Least initial damping times [`DAMPING_RATIO`] \[rad²\].
const MIN_START: f64 = 1e-6;

/// Dimensionless weight of standing goals in a descent. A target missed by e violates them by e divided by this weight,
/// and Newton steps return to them from there. Then the rest descends on the manifold of the standing goals, because
/// penalties stall at the bounds of goals.
pub const STANDING_WEIGHT: f64 = 1e6;

/// Number of descents that tracking with goals makes around its seed, the first from the seed itself.
const AROUND_SEED: usize = 8;
/// Distance of their starts from the seed \[rad\]; solutions at more than twice this distance are other branches.
const SEED_RADIUS: f64 = 0.15;

/// Levenberg-Marquardt descent to the closest configuration.
#[derive(Debug, Clone)]
pub struct ClosestDescent {
    configurations: Configurations,
    /// The goals of a problem with standing ones, with their weights here.
    weighted: Goals,
    /// The standing goals alone.
    standing: Goals,
    /// The current configuration around a seed \[rad or m\].
    trial: Vec<f64>,
}

/// Limits of a descent.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Maximum number of iterations.
    pub iterations: usize,
    /// The run whose time limit ends the descent; `None` for no time limit.
    pub run: Option<&'a Run<'a>>,
}

impl Budget<'_> {
    /// A budget of `iterations` without a time limit.
    pub fn of(iterations: usize) -> Self {
        Budget { iterations, run: None }
    }
}

/// Result of a descent.
#[derive(Debug, Clone, Copy)]
pub struct Descended {
    /// Number of iterations.
    pub iterations: usize,
    /// Remaining squared error \[rad²\].
    pub squared_error: f64,
    /// True if the targets are met.
    pub met: bool,
}

impl ClosestDescent {
    pub fn new(search: &Search) -> Self {
        Self {
            configurations: Configurations::new(&search.kernel.links),
            weighted: Goals::default(),
            standing: Goals::default(),
            trial: vec![0.0; search.variables()],
        }
    }

    /// Descends from the closest and the other best failed attempts of `exploration`, and writes the least minimum into
    /// `exploration.closest`. The error uses rotation angles, as in the solution, whereas attempts use chords. Returns
    /// the number of iterations.
    pub fn refine(&mut self, run: &Run, setup: &Setup, exploration: &mut Exploration) -> usize {
        let Exploration { closest, attempts, .. } = exploration;
        let SearchInput { search, problem } = run.input;
        let kernel = &search.kernel;
        let has_standing = problem.goals.iter().any(Goal::is_standing);
        if !has_standing {
            return self.refine_all(run, setup.task(), closest, attempts);
        }
        let (mut weighted, mut standing) = (std::mem::take(&mut self.weighted), std::mem::take(&mut self.standing));
        kernel.set_goals(problem.targets, problem.goals, STANDING_WEIGHT, &mut weighted);
        kernel.set_goals(problem.targets, problem.goals, STANDING_WEIGHT, &mut standing);
        standing.retain(|part| problem.is_standing(part));
        let iterations = self.refine_all(run, Task { goals: &weighted, ..setup.task() }, closest, attempts);
        let upper = Task { goals: &standing, ..setup.task() };
        let whole = &setup.goals;
        let lower = LowerLevel { kernel, upper, whole, first_row: 0, heavy: &weighted, heavy_kernel: kernel };
        let levels = [&WholeError { kernel, task: upper } as &dyn Objective, &lower];
        self.descend_levels(run, levels, closest, attempts);
        (self.weighted, self.standing) = (weighted, standing);
        iterations
    }

    /// Descends by one level after the other from the closest and each promising configuration, and writes the least
    /// minimum into the closest. Penalties stall in different distances from the minima.
    fn descend_levels(
        &mut self,
        run: &Run,
        levels: [&dyn Objective; 2],
        closest: &mut Candidate,
        attempts: &mut Attempts,
    ) {
        let (attempt, most) = (closest.attempt, PROMISING * closest.score);
        let mut least = f64::INFINITY;
        let mut descend = |candidate: &mut Candidate| {
            for objective in levels {
                candidate.score =
                    self.descend_by(objective, &mut candidate.positions, Budget::of(MAX_ITERATIONS)).squared_error;
            }
            let is_best = candidate.score < least;
            least = least.min(candidate.score);
            is_best
        };
        descend(closest);
        let others = attempts.failed.candidates().iter_mut();
        for other in others.filter(|other| other.attempt != attempt && other.score <= most) {
            if !run.has_expired() && descend(other) {
                closest.copy_from(other);
            }
        }
    }

    /// In tracking with goals: if `closest` does not meet them, descends from positions around the seed, and replaces
    /// `closest` by the solution nearest to the seed. Near a singularity, the bound of a goal may end the attempt from
    /// the seed although there are solutions beside it.
    pub fn track_around_seed(&mut self, run: &Run, setup: &Setup, closest: &mut Candidate) {
        let Search { kernel, units, .. } = run.input.search;
        let (task, Bounds { lower, upper }) = (setup.task(), setup.bounds());
        let (mut trial, mut nearest) = (std::mem::take(&mut self.trial), 2.0 * SEED_RADIUS);
        trial.copy_from_slice(&closest.positions);
        if self.descend(kernel, task, &mut trial, Budget::of(1)).met {
            self.trial = trial;
            return;
        }
        for start in 0..AROUND_SEED {
            for (i, position) in trial.iter_mut().enumerate() {
                let offset = if start == 0 { 0.0 } else { 2.0 * pseudorandom::fraction(start, i) - 1.0 };
                *position = (setup.start[i] + SEED_RADIUS * units[i] * offset).max(lower[i]).min(upper[i]);
            }
            let is_met = self.descend(kernel, task, &mut trial, Budget::of(MAX_ITERATIONS)).met;
            let moves =
                trial.iter().zip(&setup.start).zip(&**units).map(|((to, from), unit)| ((to - from) / unit).abs());
            let move_of_all = moves.fold(0.0, f64::max);
            if is_met && move_of_all < nearest {
                nearest = move_of_all;
                closest.positions.copy_from_slice(&trial);
            }
        }
        self.trial = trial;
    }

    /// Descends by the goals of `task` from the closest and the other best failed attempts.
    fn refine_all(&mut self, run: &Run, task: Task, closest: &mut Candidate, attempts: &mut Attempts) -> usize {
        let kernel = &run.input.search.kernel;
        let budget = Budget { iterations: MAX_ITERATIONS, run: Some(run) };
        let first = self.descend(kernel, task, &mut closest.positions, budget);
        let mut iterations = first.iterations;
        closest.score = first.squared_error;
        let attempt = closest.attempt;
        for other in attempts.failed.candidates().iter_mut().filter(|other| other.attempt != attempt) {
            for most in [FIRST_ITERATIONS, MAX_ITERATIONS] {
                if run.has_expired() {
                    return iterations;
                }
                let budget = Budget { iterations: most, ..budget };
                let descended = self.descend(kernel, task, &mut other.positions, budget);
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

    /// Descends from `positions` \[rad or m\], in place, to a local minimum of the squared error of all targets.
    pub fn descend(&mut self, kernel: &Kernel, task: Task, positions: &mut [f64], budget: Budget) -> Descended {
        self.descend_by(&WholeError { kernel, task }, positions, budget)
    }

    /// Descends from `positions` \[rad or m\], in place, to a local minimum of the squared error by the method of
    /// Levenberg and Marquardt, with the best of four damping factors in each iteration.
    pub fn descend_by(&mut self, objective: &dyn Objective, positions: &mut [f64], budget: Budget) -> Descended {
        let configurations = &mut self.configurations;
        let (mut last_damping, mut left) = (None, f64::INFINITY);
        for iteration in 0..budget.iterations {
            configurations.write_all(positions);
            objective.measure(configurations);
            let error = configurations.squared_error.0[0];
            left = error;
            // At most the size of the columns: larger damping would shorten steps until they look converged.
            let damping = last_damping.unwrap_or(error.clamp(MIN_START, 1.0) / DAMPING_RATIO);
            // The curvature of the error grows with the error itself.
            let hopeless = damping > 1e8 * (1.0 + error.sqrt());
            if configurations.met & 1 == 1 || hopeless || budget.run.is_some_and(Run::has_expired) {
                let met = configurations.met & 1 == 1;
                return Descended { iterations: iteration, squared_error: error, met };
            }
            let ladder = [0, 1, 2, 3].map(|power| DAMPING_RATIO.powi(power));
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
            last_damping = Some(damping * ladder[lane] / DAMPING_RATIO);
            configurations.read(lane, positions);
            if arrived {
                let met = configurations.met >> lane & 1 == 1;
                return Descended { iterations: iteration + 1, squared_error: errors[lane], met };
            }
        }
        Descended { iterations: budget.iterations, squared_error: left, met: false }
    }
}
