//! Attempts, four at a time: Newton steps from a starting point until the targets are met or progress stalls.

use std::ops::ControlFlow;

use super::{Jacobian, JacobianScratch, Method, Steps};
use crate::solver::lanes::{LANES, Lanes};
use crate::solver::solution::Stop;

/// Adaptive damping is a fraction of the squared error \[rad²\], up to a greatest. More would only slow the steps far from the
/// target, and on a long gantry they would get nowhere.
const GREATEST_DAMPING: f64 = 0.1;
/// Halvings of a pseudoinverse step that does not lessen the error.
const HALVINGS: usize = 6;
/// A seed with a squared error \[rad²\] below this goes first: other starting points wait for what comes of it.
const NEAR: f64 = 0.05;

/// When an attempt is given up.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// Iterations at most.
    iterations: usize,
    /// An iteration that leaves more than this fraction of the squared error is a stall, and so many of them are the end.
    stall: f64,
    stalls: usize,
    /// Unless the squared error has come below this fraction of what it was when they were last forgotten.
    gain: f64,
}

/// Newton steps either converge soon or hardly at all.
const NEWTON: Patience = Patience { iterations: 16, stall: 0.7, stalls: 2, gain: 0.5 };
/// Cycles of reaching are cheap and many, and the accelerated ones do not lessen the error each time.
const REACHING: Patience = Patience { iterations: 100, stall: 0.98, stalls: 6, gain: 0.98 };
/// With a squared error \[rad²\] below this (0.2 rad, or a fifth of the length scale), cycles of reaching give way to Newton steps.
const POLISH: f64 = 0.04;

/// What attempts there shall be.
pub(super) struct Plan<'a> {
    /// Number of starting points, the seed (number 0) among them.
    pub attempts: usize,
    /// Of these, every `stride`th is made, from number `first` on.
    pub first: usize,
    pub stride: usize,
    /// Adaptive damping over the squared error \[rad²\].
    pub damping: f64,
    /// Shifts the starting points that come after the seed table.
    pub random_seed: u64,
    /// Asked before each attempt, by its number: whether there is reason to begin no more.
    pub over: &'a dyn Fn(usize) -> Option<Stop>,
}

/// What has been spent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    pub iterations: usize,
    pub attempts: usize,
    /// What ended it.
    pub stop: Stop,
}

/// An attempt that has met the targets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
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
    /// Squared error at the start, when it had last halved, and of the iteration before.
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

    /// Takes note of the squared error reached; tells whether to give up.
    fn is_stuck(&mut self, squared_error: f64, patience: Patience) -> bool {
        if self.iterations == 0 {
            (self.began_with, self.mark) = (squared_error, squared_error);
        } else if squared_error < patience.gain * self.mark {
            (self.stalls, self.mark) = (0, squared_error);
        }
        self.stalls += usize::from(self.iterations > 0 && squared_error > patience.stall * self.before);
        self.before = squared_error;
        self.iterations += 1;
        self.stalls >= patience.stalls || self.iterations > patience.iterations
    }
}

/// What a lane does next.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Next {
    /// Stays where it is: idle, waiting, or at a starting point that has not been measured.
    Rest,
    /// Steps on.
    Step,
    /// Takes this fraction of its last motion as its next: -1/2 to go back half of a step, then 1/2 to go back half of that.
    Again(f64),
}

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
        seed.running && seed.number == 0 && began_with < NEAR
    }

    /// Of the lanes whose bits are set in `met`, the one that began first.
    fn first_of(&self, met: u64) -> Option<usize> {
        let arrived = (0..LANES).filter(|lane| met >> lane & 1 == 1 && self.lanes[*lane].running);
        arrived.min_by_key(|lane| self.lanes[*lane].number)
    }
}

impl Jacobian {
    /// Runs attempts until `arrived`, called for each that meets the targets, says that it is enough, or
    /// there are no more. Leaves the best posture of those that were given up, and its squared error, in `scratch.best`.
    pub(super) fn attempts(
        &self,
        plan: &Plan,
        scratch: &mut JacobianScratch,
        arrived: &mut dyn FnMut(&mut JacobianScratch, Arrival) -> ControlFlow<()>,
    ) -> Spent {
        let spent = Spent { iterations: 0, attempts: 0, stop: Stop::Attempts };
        let mut race = Race { plan, lanes: [Attempt::default(); LANES], spent };
        scratch.best.copy_from_slice(&scratch.start);
        scratch.best_error = f64::INFINITY;
        scratch.batch.write_all(&scratch.start);
        for lane in 0..LANES {
            self.begin(&mut race, scratch, lane);
        }
        while race.running() {
            self.measure(scratch);
            let mut next = [Next::Rest; LANES];
            let mut counted = if race.seed_goes_first(scratch.batch.squared_error.0[0]) { 1 } else { u64::MAX };
            while let Some(lane) = race.first_of(scratch.batch.met & counted) {
                let arrival = Arrival { lane, number: race.lanes[lane].number, iterations: race.spent.iterations };
                if arrived(scratch, arrival).is_break() {
                    return race.spent;
                }
                counted &= !(1 << lane);
                self.begin(&mut race, scratch, lane);
            }
            for lane in (0..LANES).filter(|lane| counted >> lane & 1 == 1) {
                next[lane] = self.carry_on(&mut race, scratch, lane);
            }
            self.step(scratch, next, plan.damping);
        }
        race.spent
    }

    /// Begins the next attempt in `lane`, where there is one left.
    fn begin(&self, race: &mut Race, scratch: &mut JacobianScratch, lane: usize) {
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
        if let Steps::Reaching(_) = self.steps {
            scratch.reaching.begin(lane, number);
        }
        if lanes[lane].number > 0 {
            let attempt = (lanes[lane].number, plan.random_seed);
            self.table.start(self.level, attempt, &mut scratch.ranking, &mut scratch.trial);
            scratch.batch.write(lane, &scratch.trial);
        }
    }

    /// Decides what a lane that has not arrived does next, which may be to begin anew.
    fn carry_on(&self, race: &mut Race, scratch: &mut JacobianScratch, lane: usize) -> Next {
        let squared_error = scratch.batch.squared_error.0[lane];
        let attempt = &mut race.lanes[lane];
        if !attempt.running {
            return Next::Rest;
        }
        if self.steps == Steps::Newton(Method::Pseudoinverse)
            && let Some(next) = attempt.shrink(squared_error)
        {
            return next;
        }
        if squared_error < scratch.best_error {
            scratch.best_error = squared_error;
            scratch.batch.read(lane, &mut scratch.best);
        }
        let patience = match self.steps {
            Steps::Newton(_) => NEWTON,
            Steps::Reaching(_) => REACHING,
        };
        if !attempt.is_stuck(squared_error, patience) {
            race.spent.iterations += 1;
            return Next::Step;
        }
        self.begin(race, scratch, lane);
        Next::Rest
    }

    /// One step of every lane that does not rest.
    fn step(&self, scratch: &mut JacobianScratch, next: [Next; LANES], fraction: f64) {
        let moving = next.map(|next| if next == Next::Rest { 0.0 } else { 1.0 });
        let errors = scratch.batch.squared_error.0;
        let adaptive = Lanes(errors.map(|error| (fraction * error).min(GREATEST_DAMPING)));
        match self.steps {
            Steps::Newton(Method::Damped { damping }) => {
                let damping = damping.map_or(adaptive, |factor| Lanes::splat(factor * factor));
                self.damped_step(scratch, &damping, &Lanes(moving));
            }
            Steps::Newton(Method::Pseudoinverse) => {
                for (lane, next) in next.iter().enumerate() {
                    if let Next::Again(factor) = next {
                        scratch.step.step.iter_mut().for_each(|step| step.0[lane] *= factor);
                    }
                }
                self.pseudoinverse_step(scratch, next.map(|next| next == Next::Step));
                self.advance(scratch, &Lanes(moving));
            }
            Steps::Reaching(options) => {
                let near = errors.map(|error| if options.polish && error < POLISH { 1.0 } else { 0.0 });
                let lanes = |part: fn(f64) -> f64| Lanes(std::array::from_fn(|lane| moving[lane] * part(near[lane])));
                let (newton, reaching) = (lanes(|near| near), lanes(|near| 1.0 - near));
                if reaching != Lanes::default() {
                    self.reaching_step(scratch, options, &reaching);
                }
                if newton != Lanes::default() {
                    self.damped_step(scratch, &adaptive, &newton);
                }
            }
        }
    }
}
