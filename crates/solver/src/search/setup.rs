//! One problem as the stages of a search see it: goals, bounds, where the seed stands, and which whole turns belong to an answer.

use std::sync::Arc;

use super::prepared_search::{Posed, Search};
use crate::kernel::{Goal, Task};
use crate::{Bounds, Mode, Problem};
use urdf_ik_robot::{Domain, nearest_turn, whole_turns};

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
    /// Whether the problem has bounds. Without, the domains and circles are those of the chain.
    pub has_bounds: bool,
    /// Which variables turn, as the search knows it.
    turns: Arc<[bool]>,
    /// Which of them a search takes for circles, and folds into their domains at the end.
    circles: Vec<bool>,
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
            has_bounds: false,
            turns: Arc::clone(&search.turns),
            circles: search.turns.to_vec(),
            lower: positions(),
            upper: positions(),
        }
    }

    /// Takes over a problem.
    pub fn set(&mut self, posed: Posed) {
        let Posed { search, problem } = posed;
        if problem.bounds.is_some() || self.has_bounds {
            self.set_domains(posed);
        }
        self.set_bounds(problem);
        search.kernel.set_goals(problem.targets, &mut self.goals);
    }

    /// Where the variables may come to rest. One whose bounds leave it less than a turn is no circle.
    fn set_domains(&mut self, posed: Posed) {
        self.has_bounds = posed.problem.bounds.is_some();
        for i in 0..self.turns.len() {
            self.domains[i] = posed.domain(i);
            self.circles[i] = self.turns[i] && self.domains[i].has_whole_turn();
        }
    }

    /// Bounds for the variables while solving, and where they start.
    ///
    /// A search takes variables that turn for circles and folds them into their limits at the end. Tracking does not: a fold would
    /// be a jump of a whole turn.
    fn set_bounds(&mut self, problem: &Problem) {
        for (i, domain) in self.domains.iter().enumerate() {
            let [least, greatest] = domain.ends();
            let seed = domain.clamp(problem.seed[i]);
            let turns = if self.turns[i] { whole_turns(seed) } else { 0.0 };
            let [lower, upper] = match problem.mode {
                Mode::Search { .. } if self.circles[i] => Domain::Circle.ends(),
                Mode::Search { .. } => [least, greatest],
                Mode::Track { max_step } => [least.max(seed - max_step[i]), greatest.min(seed + max_step[i])],
            };
            (self.lower[i], self.upper[i]) = (lower - turns, upper - turns);
            (self.start[i], self.whole_turns[i]) = (seed - turns, turns);
        }
    }

    /// What the variables may be while solving: within the limits, unless the variable turns, and in tracking within the step bounds.
    pub fn bounds(&self) -> Bounds<'_> {
        Bounds { lower: &self.lower, upper: &self.upper }
    }

    /// What a step is to reach, and within what.
    pub fn task(&self) -> Task<'_> {
        Task { goals: &self.goals, bounds: self.bounds() }
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

    /// Whether a variable of `positions` stands at a step bound that is no limit.
    pub fn is_at_step_bound(&self, positions: &[f64]) -> bool {
        positions.iter().enumerate().any(|(i, position)| {
            let ([least, greatest], turns) = (self.domains[i].ends(), self.whole_turns[i]);
            (*position <= self.lower[i] && self.lower[i] > least - turns)
                || (*position >= self.upper[i] && self.upper[i] < greatest - turns)
        })
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
            [self.lower[i], self.upper[i]] = domain.ends().map(|end| end - self.whole_turns[i]);
        }
    }

    /// Takes all bounds away.
    pub fn unbound(&mut self) {
        self.lower.fill(f64::NEG_INFINITY);
        self.upper.fill(f64::INFINITY);
    }

    /// Where a search lets variable `i` come to rest: on a circle at the turn that lies in its domain and nearest to the seed.
    pub fn folded(&self, i: usize, position: f64) -> f64 {
        match (self.turns[i], self.circles[i]) {
            (false, _) => position,
            (true, false) => position + self.whole_turns[i],
            (true, true) => {
                self.domains[i].turned_into(nearest_turn(position, self.start[i]) + self.whole_turns[i], 0.0)
            }
        }
    }

    /// Brings `positions` back to where the seed is: adds the whole turns that were taken off, and for a search chooses the turn
    /// that lies in the limits and nearest to the seed.
    pub fn fold(&self, problem: &Problem, positions: &mut [f64]) {
        for i in (0..positions.len()).filter(|i| self.turns[*i]) {
            let (domain, seed) = (self.domains[i], self.domains[i].clamp(problem.seed[i]));
            let folded = match problem.mode {
                Mode::Search { .. } => self.folded(i, positions[i]),
                // Rounding must not carry it out of its bounds.
                Mode::Track { max_step } => {
                    (positions[i] + self.whole_turns[i]).max(seed - max_step[i]).min(seed + max_step[i])
                }
            };
            // A range of exactly one turn may be missed by rounding.
            positions[i] = domain.clamp(folded);
        }
    }
}
