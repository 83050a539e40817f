//! Runs attempts, four at a time, until the targets are met or an attempt is given up; a near seed goes first.

use std::ops::ControlFlow;

use super::candidate::{Candidate, GivenUp};
use super::iteration::{Next, Stepper};
use super::plan::{Iteration, Plan};
use super::prepared_search::Search;
use super::seed_table::Ranking;
use crate::kernel::{Configurations, LANES};
use crate::{JacobianStep, Stop, Target};

/// Halvings of a pseudoinverse step that does not lessen the error.
const HALVINGS: usize = 6;
/// A seed with a squared error \[rad²\] below this goes first: other starting points wait until it has arrived or given up.
const NEAR_SEED: f64 = 0.05;

/// When an attempt is given up.
#[derive(Debug, Clone, Copy)]
struct GivingUp {
    /// Iterations at most.
    iterations: usize,
    /// An iteration that leaves more than this fraction of the squared error is a stall.
    stall: f64,
    /// So many stalls end the attempt.
    stalls: usize,
    /// Stalls are forgotten once the squared error is below this fraction of what it was when they were last forgotten.
    gain: f64,
}

/// Newton steps either converge soon or hardly at all.
const NEWTON: GivingUp = GivingUp { iterations: 16, stall: 0.7, stalls: 2, gain: 0.5 };
/// Cycles of FABRIK are cheap and many, and the accelerated ones do not lessen the error each time.
const FABRIK: GivingUp = GivingUp { iterations: 100, stall: 0.98, stalls: 6, gain: 0.98 };

/// Once the squared error \[rad²\] of an attempt has been below [`NEAR`], its Newton steps have found a solution, or a place like one. At a
/// singular solution they only halve the distance, and time and again one leads far away along the motion that the singularity
/// leaves to the joints; from where it ends the next ones come nearer than before.
const NEAR_TARGET: GivingUp = GivingUp { iterations: 100, stall: 0.7, stalls: 10, gain: 0.5 };
/// A smaller squared error \[rad²\] is near the targets.
const NEAR: f64 = 1e-6;

/// What has been spent.
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    pub iterations: usize,
    pub attempts: usize,
    /// What ended it.
    pub stop: Stop,
}

/// An attempt that has met the targets.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    pub lane: usize,
    pub number: usize,
    /// Iterations of all attempts so far.
    pub iterations: usize,
}

/// An attempt under way in one lane.
#[derive(Debug, Clone, Copy, Default)]
struct Attempt {
    running: bool,
    number: usize,
    iterations: usize,
    stalls: usize,
    /// Halvings of the last step.
    halvings: usize,
    /// Squared error at the start, when stalls were last forgotten, and of the iteration before.
    began_with: f64,
    mark: f64,
    before: f64,
}

impl Attempt {
    /// Halves the last step where the linear approximation was too poor for it to lessen the error.
    fn shrink(&mut self, squared_error: f64) -> Option<Next> {
        if self.iterations == 0 || self.halvings >= HALVINGS || squared_error < self.before {
            self.halvings = 0;
            return None;
        }
        self.halvings += 1;
        Some(Next::Again(if self.halvings == 1 { -0.5 } else { 0.5 }))
    }

    /// Whether it has been so near the targets that its Newton steps go on.
    fn has_been_near(&self, plan: &Plan) -> bool {
        plan.leaps && plan.iteration.refines() && self.iterations > 0 && self.mark < NEAR
    }

    /// Takes note of the squared error reached; tells whether to give up.
    fn is_stuck(&mut self, squared_error: f64, plan: &Plan) -> bool {
        let rule = match plan.iteration {
            _ if self.has_been_near(plan) => NEAR_TARGET,
            Iteration::Jacobian(_) => NEWTON,
            Iteration::Fabrik(_) => FABRIK,
        };
        if self.iterations == 0 {
            (self.began_with, self.mark) = (squared_error, squared_error);
        } else if squared_error < rule.gain * self.mark {
            (self.stalls, self.mark) = (0, squared_error);
        }
        self.stalls += usize::from(self.iterations > 0 && squared_error > rule.stall * self.before);
        self.before = squared_error;
        self.iterations += 1;
        self.stalls >= rule.stalls || self.iterations > rule.iterations
    }
}

/// Attempts: four configurations at once.
#[derive(Debug, Clone)]
pub struct Attempts {
    pub configurations: Configurations,
    /// Where attempts ended that were given up.
    pub given_up: GivenUp,
    stepper: Stepper,
    ranking: Ranking,
    /// Where the next attempt starts.
    start: Vec<f64>,
}

/// Is told of each attempt that meets the targets, and says whether it is enough.
pub type OnArrival<'a> = &'a mut dyn FnMut(&mut Configurations, Arrival) -> ControlFlow<()>;

/// Attempts under way.
struct Race<'a> {
    plan: &'a Plan<'a>,
    lanes: [Attempt; LANES],
    spent: Spent,
}

impl Race<'_> {
    fn running(&self) -> bool {
        self.lanes.iter().any(|attempt| attempt.running)
    }

    /// Whether the others wait for the attempt from the seed, which began near the targets.
    fn seed_goes_first(&self, squared_error: f64) -> bool {
        let seed = &self.lanes[0];
        let began_with = if seed.iterations == 0 { squared_error } else { seed.began_with };
        seed.running && seed.number == 0 && began_with < NEAR_SEED
    }

    /// Of the lanes whose bits are set in `met`, the one that began first.
    fn first_of(&self, met: u64) -> Option<usize> {
        let arrived = (0..LANES).filter(|lane| met >> lane & 1 == 1 && self.lanes[*lane].running);
        arrived.min_by_key(|lane| self.lanes[*lane].number)
    }
}

impl Attempts {
    pub fn new(search: &Search) -> Self {
        Self {
            configurations: Configurations::new(&search.kernel.links),
            given_up: GivenUp::none(search.variables()),
            stepper: Stepper::new(search),
            ranking: Ranking::new(),
            start: vec![0.0; search.variables()],
        }
    }

    /// Ranks the seed table for the targets, which attempts after the one from the seed need.
    pub fn rank(&mut self, search: &Search, targets: &[Target]) {
        search.table.rank(search.kernel.level, targets, &mut self.ranking);
    }

    /// Runs attempts until `arrived` says that it is enough, or there are no more. Leaves the nearest configuration of those that were
    /// given up in `closest`.
    pub fn run(&mut self, plan: &Plan, closest: &mut Candidate, arrived: OnArrival) -> Spent {
        let (search, setup) = (plan.search, plan.setup);
        let spent = Spent { iterations: 0, attempts: 0, stop: Stop::Attempts };
        let mut race = Race { plan, lanes: [Attempt::default(); LANES], spent };
        closest.reset(&setup.start);
        self.given_up.clear();
        self.configurations.write_all(&setup.start);
        for lane in 0..LANES {
            self.begin(&mut race, lane);
        }
        while race.running() {
            search.kernel.measure(&setup.goals, &mut self.configurations);
            let mut next = [Next::Rest; LANES];
            let seed_error = self.configurations.squared_error.0[0];
            let mut counted = if race.seed_goes_first(seed_error) { 1 } else { u64::MAX };
            while let Some(lane) = race.first_of(self.configurations.met & counted) {
                let arrival = Arrival { lane, number: race.lanes[lane].number, iterations: race.spent.iterations };
                if arrived(&mut self.configurations, arrival).is_break() {
                    return race.spent;
                }
                counted &= !(1 << lane);
                self.begin(&mut race, lane);
            }
            for lane in (0..LANES).filter(|lane| counted >> lane & 1 == 1) {
                next[lane] = self.carry_on(&mut race, closest, lane);
            }
            self.stepper.step(plan, &mut self.configurations, next);
        }
        race.spent
    }

    /// Begins the next attempt in `lane`, where there is one left.
    fn begin(&mut self, race: &mut Race, lane: usize) {
        let Race { plan, lanes, spent } = race;
        lanes[lane].running = false;
        let number = plan.first + plan.stride * spent.attempts;
        if number >= plan.attempts {
            return;
        }
        if let Some(stop) = (plan.over)(number) {
            spent.stop = stop;
            return;
        }
        lanes[lane] = Attempt { running: true, number, ..Attempt::default() };
        spent.attempts += 1;
        if let Iteration::Fabrik(_) = plan.iteration {
            self.stepper.fabrik.begin(lane, number);
        }
        if number > 0 {
            let Self { ranking, start, .. } = self;
            plan.search.table.start(plan.search.kernel.level, number, plan.random_seed, ranking, start);
            if plan.setup.has_bounds {
                plan.setup.reflect(start);
            }
            self.configurations.write(lane, &self.start);
        }
    }

    /// Decides what a lane that has not arrived does next, which may be to begin anew.
    fn carry_on(&mut self, race: &mut Race, closest: &mut Candidate, lane: usize) -> Next {
        let Self { configurations, given_up, .. } = self;
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
        if !attempt.is_stuck(squared_error, race.plan) {
            race.spent.iterations += 1;
            return if attempt.has_been_near(race.plan) { Next::Newton } else { Next::Step };
        }
        given_up.offer((squared_error, attempt.number), |positions| configurations.read(lane, positions));
        self.begin(race, lane);
        Next::Rest
    }
}
