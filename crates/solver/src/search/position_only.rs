//! Positions exactly and orientations as closely as possible, where no attempt met both.
//!
//! This is a least-squares problem with two levels (Nakamura, Hanafusa and Yoshikawa 1987, "Task-priority based redundancy control of
//! robot manipulators"): orientations are minimised on the manifold of configurations that meet the positions. A step is damped least
//! squares inside the bounds, with the position rows weighted so heavily that it is tangent to the manifold. Newton steps on the
//! positions alone lead back onto it. Several starting points find the least of the local minima; tracking starts from the seed alone.

use std::ops::ControlFlow;

use super::attempts::{Arrival, Attempts, Spent};
use super::candidate::Candidate;
use super::clearance::ClearanceCheck;
use super::closest::{Budget, ClosestDescent, FIRST_ITERATIONS, ITERATIONS, Objective, PROMISING};
use super::explore::Run;
use super::null_space::return_to_targets;
use super::plan::{Iteration, Plan};
use super::prepared_search::{Posed, Search};
use super::setup::Setup;
use crate::kernel::{Configurations, Goal, LANES, Lanes, Task};
use crate::{JacobianStep, Mode, Problem, Stop, Target, Tolerance};

/// Starting points at most that reach the positions, besides the seed and what the attempts at the whole targets left. With so many,
/// benches/peers/position_only.py finds no better minimum on the SO-101.
const STARTS: usize = 48;
/// Share of the position tolerance within which a configuration counts as on the manifold: none of the rest is traded for orientation.
const ON_MANIFOLD: f64 = 0.01;
/// Another minimum takes the place of an earlier one where its squared error is below this multiple of it: of equal ones, as those of two
/// elbows, the first counts, which is that of the seed.
const LESS: f64 = 1.0 - 1e-6;

/// Finds configurations that meet the positions, with the least orientation error.
#[derive(Debug, Clone)]
pub struct PositionOnly {
    /// The problem of the positions alone.
    positions: Setup,
    /// Its targets.
    pub targets: Vec<Target>,
    /// The whole targets, in the units of [`Search::heavy_kernel`].
    heavy_goals: Vec<Goal>,
    /// The best so far, without the whole turns.
    pub best: Candidate,
    /// One under way, and how it would be handed out.
    trial: Vec<f64>,
    folded: Vec<f64>,
    /// The nearest of the attempts that do not meet the positions, which is not needed.
    unused: Candidate,
}

/// The stages that it uses.
pub struct Stages<'a> {
    /// The whole problem.
    pub setup: &'a Setup,
    pub descent: &'a mut ClosestDescent,
    pub attempts: &'a mut Attempts,
    pub clearance: &'a mut ClearanceCheck,
    /// The closest configuration, of both levels as one.
    pub closest: &'a Candidate,
}

/// One start after the other, of one problem.
struct Starts<'a> {
    run: &'a Run<'a>,
    setup: &'a Setup,
    positions: &'a Setup,
    heavy_goals: &'a [Goal],
    descent: &'a mut ClosestDescent,
    clearance: &'a mut ClearanceCheck,
    best: &'a mut Candidate,
    trial: &'a mut [f64],
    folded: &'a mut [f64],
    /// Whether the first start has been made.
    has_begun: bool,
    iterations: usize,
}

impl PositionOnly {
    pub fn new(search: &Search) -> Self {
        let (variables, tips) = (search.variables(), search.chain.tips().len());
        Self {
            positions: Setup::new(search),
            targets: Vec::with_capacity(tips),
            heavy_goals: Vec::with_capacity(tips),
            best: Candidate::none(variables),
            trial: vec![0.0; variables],
            folded: vec![0.0; variables],
            unused: Candidate::none(variables),
        }
    }

    /// Looks for the best configuration that meets the positions, keeps clear and is accepted, and leaves it in `best`. Returns whether there
    /// is one.
    pub fn find(&mut self, run: &Run, stages: Stages, spent: &mut Spent) -> bool {
        let Posed { search, problem } = run.posed;
        let Stages { setup, descent, attempts, clearance, closest } = stages;
        self.best.reset(&setup.start);
        if !self.pose(run.posed) {
            return false;
        }
        let Self { positions, heavy_goals, best, trial, folded, unused, .. } = self;
        let (positions, heavy_goals) = (&*positions, &**heavy_goals);
        let mut starts = Starts {
            run,
            setup,
            positions,
            heavy_goals,
            descent,
            clearance,
            best,
            trial,
            folded,
            has_begun: false,
            iterations: 0,
        };
        starts.go(&setup.start);
        starts.has_begun = true;
        if let Mode::Search { attempts: most, random_seed, .. } = problem.mode {
            starts.go(&closest.positions);
            for other in attempts.given_up.candidates() {
                starts.go(&other.positions);
            }
            attempts.rank(search, problem.targets);
            starts.go_from_attempts(attempts, unused, most, random_seed);
        }
        spent.iterations += starts.iterations;
        best.is_some()
    }

    /// Poses the problem of the positions. Returns whether there is any: a position that is not certainly out of reach, and an orientation that
    /// may be missed.
    fn pose(&mut self, Posed { search, problem }: Posed) -> bool {
        let Self { positions, targets, heavy_goals, .. } = self;
        targets.clear();
        targets.extend(problem.targets.iter().map(|target| {
            let position = ON_MANIFOLD * target.tolerance.position;
            Target { tolerance: Tolerance { position, ..target.tolerance }, ..target.position_only() }
        }));
        let posed = Posed { search, problem: &Problem { targets, ..*problem } };
        let counts =
            |from: usize| problem.targets.iter().any(|target| target.free_axes[from..from + 3].contains(&false));
        if !counts(0) || !counts(3) || posed.out_of_reach().is_some() {
            return false;
        }
        positions.set(posed);
        search.heavy_kernel.set_goals(problem.targets, heavy_goals);
        true
    }
}

impl<'a> Starts<'a> {
    /// Tells whether time is up. The first start is made in any case.
    fn clock(&self) -> impl Fn() -> bool + use<'a> {
        let (run, has_begun) = (self.run, self.has_begun);
        move || has_begun && run.has_expired()
    }

    /// Goes from where attempts at the positions alone arrive, at most so many.
    fn go_from_attempts(&mut self, attempts: &mut Attempts, unused: &mut Candidate, most: usize, random_seed: u64) {
        let (run, setup) = (self.run, self.positions);
        let over = |_: usize| run.has_expired().then_some(Stop::Deadline);
        let plan = Plan {
            search: run.posed.search,
            setup,
            iteration: Iteration::Jacobian(JacobianStep::default()),
            attempts: STARTS.min(most),
            first: 0,
            stride: 1,
            random_seed,
            leaps: true,
            over: &over,
        };
        let found = attempts.run(&plan, unused, &mut |configurations, Arrival { lane, .. }| {
            configurations.read(lane, self.trial);
            self.descend();
            ControlFlow::Continue(())
        });
        self.iterations += found.iterations;
    }

    /// Leads a configuration onto the manifold, and there to the least orientation error near it.
    fn go(&mut self, start: &[f64]) {
        self.trial.copy_from_slice(start);
        let (kernel, expired) = (&self.run.posed.search.kernel, self.clock());
        let budget = Budget { iterations: ITERATIONS, expired: &expired };
        let reached = self.descent.descend(kernel, self.positions.task(), self.trial, budget);
        self.iterations += reached.iterations;
        if reached.met {
            self.descend();
        }
    }

    /// Leads the trial, which meets the positions, to the least orientation error near it, and keeps it where it is the best so far.
    fn descend(&mut self) {
        let Posed { search, problem } = self.run.posed;
        let objective = Orientations { search, positions: self.positions, setup: self.setup, heavy: self.heavy_goals };
        let (mut score, expired) = (f64::INFINITY, self.clock());
        for iterations in [FIRST_ITERATIONS, ITERATIONS] {
            let budget = Budget { iterations, expired: &expired };
            let descended = self.descent.descend_by(&objective, self.trial, budget);
            self.iterations += descended.iterations;
            score = descended.squared_error;
            if score > PROMISING * self.best.score {
                return;
            }
        }
        self.folded.copy_from_slice(self.trial);
        self.setup.fold(problem, self.folded);
        if score < LESS * self.best.score && self.clearance.appraise(problem, self.folded).is_some() {
            (self.best.score, self.best.attempt) = (score, 0);
            self.best.positions.copy_from_slice(self.trial);
        }
    }
}

/// The orientation errors on the manifold of the positions.
struct Orientations<'a> {
    search: &'a Search,
    positions: &'a Setup,
    setup: &'a Setup,
    heavy: &'a [Goal],
}

impl Objective for Orientations<'_> {
    /// The squared error is infinite beside the manifold.
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
