//! Exact positions with the closest orientations, if no attempt met both.
//!
//! A two-level least-squares problem (Nakamura, Hanafusa and Yoshikawa 1987, "Task-priority based redundancy control
//! of robot manipulators"): orientation errors are minimised on the manifold of configurations that meet the
//! positions. A step is damped least squares within the bounds, with position rows weighted so heavily that it is
//! tangent to the manifold. Newton steps on the positions alone return to it. A search compares the local minima from
//! several starting points; tracking starts from the seed alone.

use std::ops::ControlFlow;

use super::attempts::{Attempts, Spent, SuccessfulAttempt};
use super::candidate::Candidate;
use super::clearance::ClearanceCheck;
use super::closest::{Budget, ClosestDescent, FIRST_ITERATIONS, MAX_ITERATIONS, Objective, PROMISING};
use super::explore::{Exploration, Run};
use super::null_space::return_to_targets;
use super::plan::AttemptPlan;
use super::prepared_search::{Search, SearchInput};
use super::setup::Setup;
use crate::kernel::{Configurations, Goals, LANES, Lanes, Task};
use crate::{Mode, Problem, Stop, Target, Tolerance};

/// Largest number of starting points on the manifold, besides the seed and the failed attempts. With these,
/// benches/peers/position_only.py finds no better minimum on the SO-101.
const MAX_STARTS: usize = 48;
/// Fraction of the position tolerance within which a configuration is on the manifold: the rest is not traded
/// for orientation.
const MANIFOLD_TOLERANCE: f64 = 0.01;
/// A minimum replaces an earlier one if its squared error is below this multiple of it. Of equal minima, such as
/// those of two elbow branches, the first counts, which is that of the seed.
const REPLACEMENT_RATIO: f64 = 1.0 - 1e-6;

/// Search for configurations that meet the positions with the least orientation error.
#[derive(Debug, Clone)]
pub struct PositionOnly {
    /// The problem of the positions alone.
    positions: Setup,
    /// The targets with all rotations free.
    pub targets: Vec<Target>,
    /// Whole targets, in the units of [`Search::heavy_kernel`].
    heavy_goals: Goals,
    /// The best result so far, without full revolutions.
    pub best: Candidate,
    /// The current configuration \[rad or m\].
    trial: Vec<f64>,
    /// Unused output of the attempts.
    unused: Candidate,
}

/// Starting points of one problem.
struct Starts<'a> {
    run: &'a Run<'a>,
    objective: Orientations<'a>,
    descent: &'a mut ClosestDescent,
    clearance: &'a mut ClearanceCheck,
    best: &'a mut Candidate,
    trial: &'a mut [f64],
    /// True if the first start is done.
    has_begun: bool,
    iterations: usize,
}

impl PositionOnly {
    pub fn new(search: &Search) -> Self {
        let (variables, tips) = (search.variables(), search.chain.tips().len());
        Self {
            positions: Setup::new(search),
            targets: Vec::with_capacity(tips),
            heavy_goals: Goals::for_targets(tips),
            best: Candidate::none(variables),
            trial: vec![0.0; variables],
            unused: Candidate::none(variables),
        }
    }

    /// Writes the best collision-free and accepted configuration that meets the positions into `best`; true
    /// if there is one. Starts from the results of `exploration`, with the `setup` of the whole problem.
    pub fn find(
        &mut self,
        run: &Run,
        setup: &Setup,
        descent: &mut ClosestDescent,
        exploration: &mut Exploration,
        spent: &mut Spent,
    ) -> bool {
        let SearchInput { search, problem } = run.input;
        self.best.reset(&setup.start);
        if !self.set_up(run.input) {
            return false;
        }
        let Self { positions, heavy_goals, best, trial, unused, .. } = self;
        let Exploration { attempts, clearance, closest, .. } = exploration;
        let objective = Orientations { search, positions, setup, heavy: heavy_goals };
        let mut starts = Starts { run, objective, descent, clearance, best, trial, has_begun: false, iterations: 0 };
        starts.descend_from(&setup.start);
        starts.has_begun = true;
        if let Mode::Search { attempts: most, random_seed, .. } = problem.mode {
            starts.descend_from(&closest.positions);
            for other in attempts.failed.candidates() {
                starts.descend_from(&other.positions);
            }
            attempts.rank(search, problem.targets);
            starts.descend_from_attempts(attempts, unused, most, random_seed);
        }
        spent.iterations += starts.iterations;
        best.is_some()
    }

    /// Sets up the problem of the positions. True if it applies: a position that is not provably out of reach, and an
    /// orientation that may be missed.
    fn set_up(&mut self, SearchInput { search, problem }: SearchInput) -> bool {
        let Self { positions, targets, heavy_goals, .. } = self;
        targets.clear();
        targets.extend(problem.targets.iter().map(|target| {
            let position = MANIFOLD_TOLERANCE * target.tolerance.position;
            Target { tolerance: Tolerance { position, ..target.tolerance }, ..target.position_only() }
        }));
        let input = SearchInput { search, problem: &Problem { targets, ..*problem } };
        let counts =
            |from: usize| problem.targets.iter().any(|target| target.free_axes[from..from + 3].contains(&false));
        if !counts(0) || !counts(3) || input.out_of_reach().is_some() {
            return false;
        }
        positions.set(input);
        search.heavy_kernel.set_targets(problem.targets, heavy_goals);
        true
    }
}

impl<'a> Starts<'a> {
    /// True if the time is up. The first start ignores the clock.
    fn clock(&self) -> impl Fn() -> bool + use<'a> {
        let (run, has_begun) = (self.run, self.has_begun);
        move || has_begun && run.has_expired()
    }

    /// Starts from up to `most` solutions of the positions alone.
    fn descend_from_attempts(
        &mut self,
        attempts: &mut Attempts,
        unused: &mut Candidate,
        most: usize,
        random_seed: u64,
    ) {
        let (run, setup) = (self.run, self.objective.positions);
        let stop_reason = |_: usize| run.has_expired().then_some(Stop::Deadline);
        let plan = AttemptPlan {
            stop_reason: &stop_reason,
            ..AttemptPlan::newton(run.input.search, setup, MAX_STARTS.min(most), random_seed)
        };
        let found = attempts.run(&plan, unused, &mut |configurations, SuccessfulAttempt { lane, .. }| {
            configurations.read(lane, self.trial);
            self.descend();
            ControlFlow::Continue(())
        });
        self.iterations += found.iterations;
    }

    /// Leads a configuration onto the manifold, and then to the least orientation error nearby.
    fn descend_from(&mut self, start: &[f64]) {
        self.trial.copy_from_slice(start);
        let (kernel, expired) = (&self.run.input.search.kernel, self.clock());
        let budget = Budget { iterations: MAX_ITERATIONS, expired: &expired };
        let reached = self.descent.descend(kernel, self.objective.positions.task(), self.trial, budget);
        self.iterations += reached.iterations;
        if reached.met {
            self.descend();
        }
    }

    /// Leads the trial, which meets the positions, to the least orientation error nearby. It replaces `best`
    /// if it is better.
    fn descend(&mut self) {
        let (mut score, expired) = (f64::INFINITY, self.clock());
        for iterations in [FIRST_ITERATIONS, MAX_ITERATIONS] {
            let budget = Budget { iterations, expired: &expired };
            let descended = self.descent.descend_by(&self.objective, self.trial, budget);
            self.iterations += descended.iterations;
            score = descended.squared_error;
            if score > PROMISING * self.best.score {
                return;
            }
        }
        let read = |positions: &mut [f64]| positions.copy_from_slice(self.trial);
        if score < REPLACEMENT_RATIO * self.best.score
            && self.clearance.appraise_folded(self.run.input.problem, self.objective.setup, read).is_some()
        {
            (self.best.score, self.best.attempt) = (score, 0);
            self.best.positions.copy_from_slice(self.trial);
        }
    }
}

/// Orientation errors on the manifold of the positions.
struct Orientations<'a> {
    search: &'a Search,
    positions: &'a Setup,
    setup: &'a Setup,
    heavy: &'a Goals,
}

impl Objective for Orientations<'_> {
    /// The squared error is infinite off the manifold.
    fn measure(&self, configurations: &mut Configurations) {
        let kernel = &self.search.kernel;
        kernel.measure(&self.positions.goals, configurations);
        let on_manifold = configurations.met;
        kernel.measure_angles(&self.setup.goals, configurations);
        let rows = &configurations.rows[..self.setup.goals.len()];
        for lane in 0..LANES {
            let angles = rows.iter().flat_map(|rows| &rows[3..]).map(|row| row.0[lane] * row.0[lane]);
            let is_on_it = on_manifold >> lane & 1 == 1;
            configurations.squared_error.0[lane] = if is_on_it { angles.sum() } else { f64::INFINITY };
        }
    }

    fn step(&self, configurations: &mut Configurations, damping: &Lanes) {
        let Self { search, setup, .. } = self;
        search.heavy_kernel.measure_angles(self.heavy, configurations);
        let task = Task { goals: self.heavy, bounds: setup.bounds() };
        search.heavy_kernel.damped_step(task, configurations, damping, &Lanes::splat(1.0));
        return_to_targets(&search.kernel, self.positions.task(), configurations);
    }
}
