//! One problem as the stages of a search see it: goals, bounds, and where the seed stands.

use std::f64::consts::TAU;

use super::prepared_search::Search;
use crate::kernel::residual::Goal;
use crate::problem::{Bounds, Mode, Problem, Target};
use urdf_ik_robot::Domain;

/// A problem, set up once and then only read.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The targets.
    pub goals: Vec<Goal>,
    /// Where the first attempt starts \[rad or m\]: the seed, less the whole turns.
    pub start: Vec<f64>,
    /// Whole turns \[rad\] that are taken off each variable while solving, since angles of many turns lose digits.
    pub whole_turns: Vec<f64>,
    /// Where each variable may come to rest: within its limits and the bounds of the problem.
    pub domains: Vec<Domain>,
    /// Which variables a search takes for circles, and folds into their domains at the end.
    pub circles: Vec<bool>,
    /// Whether the problem has bounds. Without, the domains and circles are those of the chain.
    pub has_bounds: bool,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Setup {
    /// Memory for a problem of `search`.
    pub fn new(search: &Search) -> Self {
        let positions = || vec![0.0; search.variables()];
        Self {
            goals: Vec::with_capacity(search.chain.tips().len()),
            start: positions(),
            whole_turns: positions(),
            domains: search.chain.domains(),
            circles: search.turns.to_vec(),
            lower: positions(),
            upper: positions(),
            has_bounds: false,
        }
    }

    /// Brings a starting point within the bounds of the problem: what is beyond a bound is reflected there, so that starting points fill
    /// narrow bounds as they fill the limits.
    pub fn reflect(&self, start: &mut [f64]) {
        for (i, position) in start.iter_mut().enumerate() {
            let (lower, upper) = (self.lower[i], self.upper[i]);
            let room = upper - lower;
            if *position < lower || *position > upper {
                let along =
                    if room.is_finite() && room > 0.0 { (*position - lower).rem_euclid(2.0 * room) } else { 0.0 };
                let reflected = if room.is_finite() { lower + along.min(2.0 * room - along) } else { *position };
                *position = reflected.max(lower).min(upper);
            }
        }
    }

    /// What the variables may be while solving: within the limits, unless the variable turns, and in tracking within the step bounds.
    pub fn bounds(&self) -> Bounds<'_> {
        Bounds { lower: &self.lower, upper: &self.upper }
    }

    /// Lets the variables go from `positions`, which are inside the bounds, no farther than `steps` from the start, or where they are
    /// farther from it, no farther at all.
    pub fn narrow(&mut self, positions: &[f64], steps: &[f64]) {
        for (i, (position, step)) in positions.iter().zip(steps).enumerate() {
            self.lower[i] = self.lower[i].max(position.min(self.start[i] - step));
            self.upper[i] = self.upper[i].min(position.max(self.start[i] + step));
        }
    }

    /// Takes the domains of another setup for bounds, and its whole turns.
    pub fn bound_by_limits(&mut self, other: &Self) {
        self.whole_turns.copy_from_slice(&other.whole_turns);
        for (i, domain) in other.domains.iter().enumerate() {
            let (lower, upper) = limits(*domain);
            (self.lower[i], self.upper[i]) = (lower - self.whole_turns[i], upper - self.whole_turns[i]);
        }
    }

    /// Takes all bounds away.
    pub fn unbound(&mut self) {
        self.lower.fill(f64::NEG_INFINITY);
        self.upper.fill(f64::INFINITY);
    }
}

impl Search {
    /// Puts `problem` into `setup`.
    pub fn set_up(&self, problem: &Problem, setup: &mut Setup) {
        if problem.bounds.is_some() || setup.has_bounds {
            self.set_domains(problem, setup);
        }
        self.set_bounds(problem, setup);
        self.set_goals(problem.targets, &mut setup.goals);
    }

    /// Makes goals of the targets. Weights only count against each other: the heaviest becomes one, which keeps the damping in
    /// proportion.
    pub fn set_goals(&self, targets: &[Target], goals: &mut Vec<Goal>) {
        let heaviest = targets.iter().map(|target| target.weight).fold(0.0, f64::max);
        goals.clear();
        goals.extend(targets.iter().map(|target| {
            let target = Target { weight: target.weight / heaviest, ..*target };
            self.kernel.goal(&target)
        }));
    }

    /// Where the variables may come to rest. One whose bounds leave it less than a turn is no circle.
    fn set_domains(&self, problem: &Problem, setup: &mut Setup) {
        setup.has_bounds = problem.bounds.is_some();
        for (i, variable) in self.chain.variables().iter().enumerate() {
            let domain = problem.domain(i, variable.domain);
            let is_whole = match domain {
                Domain::Interval { lower, upper } => upper - lower >= TAU,
                Domain::Circle => true,
            };
            (setup.domains[i], setup.circles[i]) = (domain, self.turns[i] && is_whole);
        }
    }

    /// Bounds for the variables while solving, and where they start.
    ///
    /// A search takes variables that turn for circles and folds them into their limits at the end. Tracking does not: a fold would
    /// be a jump of a whole turn.
    fn set_bounds(&self, problem: &Problem, setup: &mut Setup) {
        for i in 0..self.variables() {
            let limits = limits(setup.domains[i]);
            let seed = setup.domains[i].clamp(problem.seed[i]);
            let turns = if self.turns[i] { (seed / TAU).round() * TAU } else { 0.0 };
            let (lower, upper) = match problem.mode {
                Mode::Search { .. } if setup.circles[i] => (f64::NEG_INFINITY, f64::INFINITY),
                Mode::Search { .. } => limits,
                Mode::Track { max_step } => (limits.0.max(seed - max_step[i]), limits.1.min(seed + max_step[i])),
            };
            (setup.lower[i], setup.upper[i]) = (lower - turns, upper - turns);
            setup.start[i] = seed - turns;
            setup.whole_turns[i] = turns;
        }
    }
}

/// The positions that a variable may have, without end on a circle.
fn limits(domain: Domain) -> (f64, f64) {
    match domain {
        Domain::Interval { lower, upper } => (lower, upper),
        Domain::Circle => (f64::NEG_INFINITY, f64::INFINITY),
    }
}
