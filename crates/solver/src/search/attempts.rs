//! Attempts: four at a time, each until it meets the targets or stalls; the one from the seed has precedence.
//!
//! While the attempt from the seed is near the seed, the solutions of faster attempts wait for its end, so that a seed
//! near a solution leads to that solution.

use std::ops::ControlFlow;

use super::aimed_targets::{AimedTarget, aimed_targets};
use super::candidate::{BestCandidates, Candidate};
use super::iteration::{Next, Stepper};
use super::plan::{AttemptPlan, Iteration};
use super::prepared_search::Search;
use super::seed_table::Ranking;
use crate::kernel::{Configurations, LANES};
use crate::{JacobianStep, Problem, Stop};

/// Largest number of halvings of a pseudoinverse step that does not reduce the error.
const MAX_HALVINGS: usize = 6;
/// Largest move of a variable \[rad, or m over the length scale\] up to which the attempt from the seed has precedence.
/// From seeds within 1 rad of a solution in each joint, 90 % of the attempts need less than 1.1 rad; from random seeds
/// most exceed it by their first steps, so that a solve takes no longer.
const NEAR_SEED: f64 = 1.2;

/// Stopping rule of an attempt that does not converge.
#[derive(Debug, Clone, Copy)]
struct StallRule {
    /// Largest number of iterations.
    iterations: usize,
    /// An iteration that leaves more than this fraction of the squared error is a stall.
    stall: f64,
    /// Number of stalls that ends the attempt.
    stalls: usize,
    /// The stall count is reset once the squared error is below this fraction of its value at the last reset.
    gain: f64,
}

/// Newton iterations either converge soon or hardly at all.
const NEWTON_RULE: StallRule = StallRule { iterations: 16, stall: 0.7, stalls: 2, gain: 0.5 };
/// FABRIK cycles are cheap and many, and accelerated ones may increase the error.
const FABRIK_RULE: StallRule = StallRule { iterations: 100, stall: 0.98, stalls: 6, gain: 0.98 };

/// Relaxed rule once the squared error of an attempt has been below [`NEAR_TARGET_ERROR`]. At a singular solution
/// Newton steps converge linearly, and some leap far along the singular direction; the iterations after such a leap
/// come nearer than last_error.
const NEAR_TARGET_RULE: StallRule = StallRule { iterations: 100, stall: 0.7, stalls: 10, gain: 0.5 };
/// Squared error that is near the targets \[rad²\].
const NEAR_TARGET_ERROR: f64 = 1e-6;

/// Effort of a search.
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    /// Total number of iterations of all attempts.
    pub iterations: usize,
    /// Number of attempts that count: all except the refused ones.
    pub attempts: usize,
    /// Number of attempts that met the targets and were refused.
    pub refused: usize,
    /// Reason for the end of the search.
    pub stop: Stop,
}

/// An attempt that met the targets.
#[derive(Debug, Clone, Copy)]
pub struct SuccessfulAttempt {
    /// Index of its lane.
    pub lane: usize,
    /// Number of the attempt; 0 starts at the seed.
    pub number: usize,
    /// Total number of iterations of all attempts so far.
    pub iterations: usize,
}

/// An attempt in progress in one lane.
#[derive(Debug, Clone, Copy, Default)]
struct Attempt {
    running: bool,
    number: usize,
    iterations: usize,
    stalls: usize,
    /// Number of halvings of the last step.
    halvings: usize,
    /// Squared error at the last reset of the stall count, and of the previous iteration \[rad²\].
    reset_error: f64,
    last_error: f64,
}

impl Attempt {
    /// Halves the last step if it did not reduce the error, because the linear approximation was too poor.
    fn shrink(&mut self, squared_error: f64) -> Option<Next> {
        if self.iterations == 0 || self.halvings >= MAX_HALVINGS || squared_error < self.last_error {
            self.halvings = 0;
            return None;
        }
        self.halvings += 1;
        Some(Next::Again(if self.halvings == 1 { -0.5 } else { 0.5 }))
    }

    /// True if the relaxed rule [`NEAR_TARGET_RULE`] applies.
    fn has_been_near(&self, plan: &AttemptPlan) -> bool {
        plan.leaps && plan.iteration.refines() && self.iterations > 0 && self.reset_error < NEAR_TARGET_ERROR
    }

    /// Updates the stall count by the squared error \[rad²\]; true if the attempt has failed.
    fn has_failed(&mut self, squared_error: f64, plan: &AttemptPlan) -> bool {
        let rule = match plan.iteration {
            _ if self.has_been_near(plan) => NEAR_TARGET_RULE,
            Iteration::Jacobian(_) => NEWTON_RULE,
            Iteration::Fabrik(_) => FABRIK_RULE,
        };
        if self.iterations == 0 {
            self.reset_error = squared_error;
        } else if squared_error < rule.gain * self.reset_error {
            (self.stalls, self.reset_error) = (0, squared_error);
        }
        self.stalls += usize::from(self.iterations > 0 && squared_error > rule.stall * self.last_error);
        self.last_error = squared_error;
        self.iterations += 1;
        self.stalls >= rule.stalls || self.iterations > rule.iterations
    }
}

/// Four attempts, one per lane.
#[derive(Debug, Clone)]
pub struct Attempts {
    pub configurations: Configurations,
    /// End configurations of failed attempts.
    pub failed: BestCandidates,
    stepper: Stepper,
    ranking: Ranking,
    /// Start of the next attempt \[rad or m\].
    start: Vec<f64>,
}

/// Called for each successful attempt; `Break` stops the search.
pub type OnSuccess<'a> = &'a mut dyn FnMut(&mut Configurations, SuccessfulAttempt) -> ControlFlow<()>;

/// Attempts in progress.
struct Race<'a> {
    plan: &'a AttemptPlan<'a>,
    lanes: [Attempt; LANES],
    spent: Spent,
}

impl Race<'_> {
    /// True if the attempt from the seed has precedence: it runs, and is near the seed.
    fn seed_has_precedence(&self, configurations: &Configurations) -> bool {
        let AttemptPlan { search, view, .. } = self.plan;
        let mut variables = configurations.positions.iter().zip(view.start).zip(&*search.units);
        self.lanes[0].running
            && self.lanes[0].number == 0
            && variables.all(|((position, start), unit)| (position.0[0] - start).abs() <= NEAR_SEED * unit)
    }

    /// The earliest attempt among the running lanes whose bits are set in `met`.
    fn first_of(&self, met: u64) -> Option<usize> {
        let arrived = (0..LANES).filter(|lane| met >> lane & 1 == 1 && self.lanes[*lane].running);
        arrived.min_by_key(|lane| self.lanes[*lane].number)
    }
}

impl Attempts {
    pub fn new(search: &Search) -> Self {
        Self {
            configurations: Configurations::new(&search.kernel.links),
            failed: BestCandidates::none(search.variables()),
            stepper: Stepper::new(search),
            ranking: Ranking::new(),
            start: vec![0.0; search.variables()],
        }
    }

    /// Ranks the seed table for the targets and goals of `problem`. Required before [`Self::run`], except for the
    /// attempt from the seed alone.
    pub fn rank(&mut self, search: &Search, problem: &Problem) {
        let targets = problem.targets.iter().map(|target| AimedTarget { target: *target, frame: None });
        let targets = targets.chain(aimed_targets(&search.chain, problem));
        search.table.rank(search.kernel.level, targets, problem.goals, &mut self.ranking);
    }

    /// Runs attempts until `arrived` stops the search or none remain. Writes the configuration with the least
    /// squared error among those that do not meet the targets into `closest`. Returns the effort.
    pub fn run(&mut self, plan: &AttemptPlan, closest: &mut Candidate, arrived: OnSuccess) -> Spent {
        let (search, view) = (plan.search, plan.view);
        let spent = Spent { iterations: 0, attempts: 0, refused: 0, stop: Stop::Attempts };
        let mut race = Race { plan, lanes: [Attempt::default(); LANES], spent };
        closest.reset(view.start);
        self.failed.clear();
        self.configurations.write_all(view.start);
        for lane in 0..LANES {
            self.begin(&mut race, lane);
        }
        while race.lanes.iter().any(|attempt| attempt.running) {
            search.kernel.measure(&view.setup.goals, &mut self.configurations);
            let mut next = [Next::Rest; LANES];
            // Other attempts that have met the targets rest until they count.
            let met = self.configurations.met;
            let counted = if race.seed_has_precedence(&self.configurations) { 1 } else { u64::MAX };
            let mut arrivals = met & counted;
            while let Some(lane) = race.first_of(arrivals) {
                let arrival =
                    SuccessfulAttempt { lane, number: race.lanes[lane].number, iterations: race.spent.iterations };
                if arrived(&mut self.configurations, arrival).is_break() {
                    return race.spent;
                }
                arrivals &= !(1 << lane);
                self.begin(&mut race, lane);
            }
            for lane in (0..LANES).filter(|lane| met >> lane & 1 == 0) {
                next[lane] = self.next_action(&mut race, closest, lane);
            }
            self.stepper.step(plan, &mut self.configurations, next);
        }
        race.spent
    }

    /// Starts the next attempt in `lane`, if any is left.
    fn begin(&mut self, race: &mut Race, lane: usize) {
        let Race { plan, lanes, spent } = race;
        lanes[lane].running = false;
        let number = plan.first + plan.stride * spent.attempts;
        if number >= plan.attempts {
            return;
        }
        if let Some(stop) = (plan.stop_reason)(number) {
            spent.stop = stop;
            return;
        }
        lanes[lane] = Attempt { running: true, number, ..Attempt::default() };
        spent.attempts += 1;
        if let Iteration::Fabrik(_) = plan.iteration {
            self.stepper.begin(lane, number);
        }
        if number > 0 {
            let Self { ranking, start, .. } = self;
            plan.search.table.start(plan.search.kernel.level, number, plan.random_seed, ranking, start);
            if plan.view.setup.has_bounds {
                plan.view.reflect(start);
            }
            self.configurations.write(lane, &self.start);
        }
    }

    /// The next action of a lane that has not met the targets: another step, or a new attempt.
    fn next_action(&mut self, race: &mut Race, closest: &mut Candidate, lane: usize) -> Next {
        let Self { configurations, failed, .. } = self;
        let squared_error = configurations.squared_error.0[lane];
        let attempt = &mut race.lanes[lane];
        if !attempt.running {
            return Next::Rest;
        }
        if race.plan.iteration == Iteration::Jacobian(JacobianStep::Pseudoinverse)
            && let Some(next) = attempt.shrink(squared_error)
        {
            return next;
        }
        if squared_error < closest.score {
            (closest.score, closest.attempt) = (squared_error, attempt.number);
            configurations.read(lane, &mut closest.positions);
        }
        if !attempt.has_failed(squared_error, race.plan) {
            race.spent.iterations += 1;
            return if attempt.has_been_near(race.plan) { Next::Newton } else { Next::Step };
        }
        failed.insert((squared_error, attempt.number), |positions| configurations.read(lane, positions));
        self.begin(race, lane);
        Next::Rest
    }
}
