//! Exact positions and standing goals with the closest orientations and other goals, if no attempt met all.
//!
//! Two [levels](super::objective). A search compares the local minima from several starting points; tracking starts
//! from the seed alone.

use std::ops::ControlFlow;

use super::attempts::{Attempts, Spent, SuccessfulAttempt};
use super::candidate::Candidate;
use super::clearance::ClearanceCheck;
use super::closest::{Budget, ClosestDescent, FIRST_ITERATIONS, MAX_ITERATIONS, PROMISING, STANDING_WEIGHT};
use super::explore::{Exploration, Run};
use super::objective::LowerLevel;
use super::plan::AttemptPlan;
use super::prepared_search::{Search, SearchInput};
use super::setup::Setup;
use crate::kernel::{Goals, Task};
use crate::solution::Part;
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
    /// The best result so far \[rad or m\], without full revolutions.
    pub best: Candidate,
    /// The current configuration \[rad or m\].
    trial: Vec<f64>,
    /// Unused output of the attempts.
    unused: Candidate,
}

/// Starting points of one problem.
struct Starts<'a> {
    run: &'a Run<'a>,
    objective: LowerLevel<'a>,
    /// The problem of the positions alone, and the whole one.
    positions: &'a Setup,
    setup: &'a Setup,
    descent: &'a mut ClosestDescent,
    clearance: &'a mut ClearanceCheck,
    best: &'a mut Candidate,
    trial: &'a mut [f64],
    /// The run with the time limit, once the first start is done.
    clock: Option<&'a Run<'a>>,
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

    /// Writes the best collision-free and accepted configuration that meets the positions into `best`. Returns true
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
        let objective = LowerLevel {
            kernel: &search.kernel,
            upper: Task { bounds: setup.bounds(), ..positions.task() },
            whole: &setup.goals,
            first_row: 3,
            heavy: heavy_goals,
            heavy_kernel: &search.heavy_kernel,
        };
        let mut starts =
            Starts { run, objective, positions, setup, descent, clearance, best, trial, clock: None, iterations: 0 };
        starts.descend_from(&setup.start);
        starts.clock = Some(run);
        if let Mode::Search { attempts: most, random_seed, .. } = problem.mode {
            starts.descend_from(&closest.positions);
            for other in attempts.failed.candidates() {
                starts.descend_from(&other.positions);
            }
            attempts.rank(search, problem);
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
        positions.goals.retain(|part| matches!(part, Part::Target(_)) || problem.is_standing(part));
        search.heavy_kernel.set_goals(problem.targets, problem.goals, STANDING_WEIGHT, heavy_goals);
        // The weight of positions is not that of goals.
        heavy_goals.scale_lengths(search.heavy_kernel.length_scale / search.kernel.length_scale);
        true
    }
}

impl Starts<'_> {
    /// Starts from up to `most` solutions of the positions alone.
    fn descend_from_attempts(
        &mut self,
        attempts: &mut Attempts,
        unused: &mut Candidate,
        most: usize,
        random_seed: u64,
    ) {
        let (run, setup) = (self.run, self.positions);
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
        let kernel = &self.run.input.search.kernel;
        let budget = Budget { iterations: MAX_ITERATIONS, run: self.clock };
        let reached = self.descent.descend(kernel, self.positions.task(), self.trial, budget);
        self.iterations += reached.iterations;
        if reached.met {
            self.descend();
        }
    }

    /// Leads the trial, which meets the positions, to the least orientation error nearby. It replaces `best`
    /// if it is better.
    fn descend(&mut self) {
        let mut score = f64::INFINITY;
        for iterations in [FIRST_ITERATIONS, MAX_ITERATIONS] {
            let budget = Budget { iterations, run: self.clock };
            let descended = self.descent.descend_by(&self.objective, self.trial, budget);
            self.iterations += descended.iterations;
            score = descended.squared_error;
            if score > PROMISING * self.best.score {
                return;
            }
        }
        let read = |positions: &mut [f64]| positions.copy_from_slice(self.trial);
        if score < REPLACEMENT_RATIO * self.best.score
            && self.clearance.appraise_folded(self.run.input.problem, self.setup, read).is_some()
        {
            (self.best.score, self.best.attempt) = (score, 0);
            self.best.positions.copy_from_slice(self.trial);
        }
    }
}
