//! The goals, bounds and start of one problem, and the revolutions of its variables.

use super::prepared_search::{Search, SearchInput};
use crate::kernel::{Goals, Task};
use crate::solution::Part;
use crate::{Bounds, Mode, Problem};
use urdf_ik_goals::{Goal, Joints};
use urdf_ik_robot::{Domain, nearest_turn, whole_turns};

/// A problem prepared for the stages of a search. Written by [`Setup::set`], or for attempts by
/// [`Setup::set_for_attempts`], then read-only; [`SetupView`] replaces bounds or start.
#[derive(Debug, Clone)]
pub struct Setup {
    pub goals: Goals,
    /// The seed without full revolutions \[rad or m\], one entry per variable.
    pub start: Vec<f64>,
    /// Start of the first attempt \[rad or m\]: the seed, within the bounds of attempts.
    first: Vec<f64>,
    /// Full revolutions subtracted from each variable while solving \[rad\], because large angles lose digits.
    pub whole_turns: Vec<f64>,
    /// Range of each returned variable \[rad or m\]: the intersection of its limits and the bounds of the problem.
    pub domains: Vec<Domain>,
    /// True if the problem, or its attempts, have bounds. Otherwise domains and circles are those of the chain.
    pub has_bounds: bool,
    /// True if the problem has relations of joints.
    has_relations: bool,
    /// [`Search::turns`], without the variables of relations of joints, which full revolutions change.
    turns: Vec<bool>,
    /// Variables that a search treats as circles, and folds into their domains at the end.
    circles: Vec<bool>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Bounds that are never active.
    unbounded: [Vec<f64>; 2],
}

/// A [`Setup`], with its own or other bounds and start.
#[derive(Clone, Copy)]
pub struct SetupView<'a> {
    pub setup: &'a Setup,
    /// Bounds while solving \[rad or m\], without full revolutions.
    pub bounds: Bounds<'a>,
    /// Start of the first attempt \[rad or m\], without full revolutions.
    pub start: &'a [f64],
}

impl<'a> SetupView<'a> {
    /// Goals and bounds of a step.
    pub fn task(&self) -> Task<'a> {
        Task { goals: &self.setup.goals, bounds: self.bounds }
    }

    /// Reflects a starting point \[rad or m\] at the bounds, in place, so that starting points fill narrow bounds as
    /// evenly as the limits.
    pub fn reflect(&self, start: &mut [f64]) {
        for (i, position) in start.iter_mut().enumerate() {
            let (lower, upper) = (self.bounds.lower[i], self.bounds.upper[i]);
            let range = upper - lower;
            if *position < lower || *position > upper {
                let along =
                    if range.is_finite() && range > 0.0 { (*position - lower).rem_euclid(2.0 * range) } else { 0.0 };
                let reflected = if range.is_finite() { lower + along.min(2.0 * range - along) } else { *position };
                *position = reflected.max(lower).min(upper);
            }
        }
    }
}

impl Setup {
    /// Memory for problems of `search`.
    pub fn new(search: &Search) -> Self {
        let positions = || vec![0.0; search.variables()];
        Self {
            goals: Goals::for_targets(search.chain.tips().len()),
            start: positions(),
            first: positions(),
            whole_turns: positions(),
            domains: search.chain.domains(),
            has_bounds: false,
            has_relations: false,
            turns: search.turns.to_vec(),
            circles: search.turns.to_vec(),
            lower: positions(),
            upper: positions(),
            unbounded: [f64::NEG_INFINITY, f64::INFINITY].map(|bound| vec![bound; search.variables()]),
        }
    }

    /// Prepares the setup for a problem.
    pub fn set(&mut self, input: SearchInput) {
        let problem = input.problem;
        let has_relations = problem.goals.iter().any(|goal| !goal.kind().coefficients().is_empty());
        if problem.bounds.is_some() || self.has_bounds || has_relations || self.has_relations {
            self.has_relations = has_relations;
            self.set_domains(input);
        }
        self.set_bounds(problem);
        self.set_goals(input);
    }

    /// Prepares the targets and goals.
    pub fn set_goals(&mut self, SearchInput { search, problem }: SearchInput) {
        search.kernel.set_goals(problem.targets, problem.goals, 1.0, &mut self.goals);
    }

    /// Prepares a problem for attempts: bounds replace the goals on single variables, and need no rows. A goal outside
    /// the other bounds remains, because it is a compromise or a reason to fail. So does one that the start of tracking
    /// violates, because bounds would move the start.
    pub fn set_for_attempts(&mut self, input: SearchInput) {
        self.set(input);
        if input.problem.goals.is_empty() {
            return;
        }
        let (problem, Self { goals, start, first, lower, upper, has_bounds, .. }) = (input.problem, self);
        let mut becomes_bound = |goal: &Goal| {
            let interval = goal.kind().relation().and_then(Joints::variable_interval);
            let Some((variable, [least, greatest])) = interval else { return false };
            let (least, greatest) = (lower[variable].max(least), upper[variable].min(greatest));
            let place = first[variable].max(least).min(greatest);
            let moves_start = matches!(problem.mode, Mode::Track { .. }) && place != start[variable];
            let becomes_bound = least <= greatest && !moves_start;
            if becomes_bound {
                (lower[variable], upper[variable], first[variable]) = (least, greatest, place);
                *has_bounds = true;
            }
            becomes_bound
        };
        goals.retain(|part| !matches!(part, Part::Goal(index) if becomes_bound(&problem.goals[index])));
    }

    /// Ranges of the returned variables. One with less than a revolution is not a circle.
    fn set_domains(&mut self, input: SearchInput) {
        self.has_bounds = input.problem.bounds.is_some();
        self.turns.copy_from_slice(&input.search.turns);
        for (variable, _) in input.problem.goals.iter().flat_map(|goal| goal.kind().coefficients()) {
            self.turns[*variable] = false;
        }
        for i in 0..self.turns.len() {
            self.domains[i] = input.domain(i);
            self.circles[i] = self.turns[i] && self.domains[i].has_whole_turn();
        }
    }

    /// Bounds while solving, and the starts.
    ///
    /// A search treats revolving variables as circles and folds them into their limits at the end. Tracking does not:
    /// folding would jump by a revolution.
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
            (self.start[i], self.first[i], self.whole_turns[i]) = (seed - turns, seed - turns, turns);
        }
    }

    /// Bounds while solving \[rad or m\]: the limits (none for circles), and in tracking also the step bounds.
    pub fn bounds(&self) -> Bounds<'_> {
        Bounds { lower: &self.lower, upper: &self.upper }
    }

    /// Bounds that are never active: −∞ to ∞ for each variable.
    pub fn unbounded(&self) -> Bounds<'_> {
        let [lower, upper] = &self.unbounded;
        Bounds { lower, upper }
    }

    pub fn view(&self) -> SetupView<'_> {
        SetupView { setup: self, bounds: self.bounds(), start: &self.first }
    }

    pub fn task(&self) -> Task<'_> {
        self.view().task()
    }

    /// True if a variable of `positions` \[rad or m\], without full revolutions, is at a step bound that is not a
    /// limit.
    pub fn is_at_step_bound(&self, positions: &[f64]) -> bool {
        positions.iter().enumerate().any(|(i, position)| {
            let ([least, greatest], turns) = (self.domains[i].ends(), self.whole_turns[i]);
            (*position <= self.lower[i] && self.lower[i] > least - turns)
                || (*position >= self.upper[i] && self.upper[i] < greatest - turns)
        })
    }

    /// The position \[rad or m\] to return from a search for variable `i` at `position`, given without full
    /// revolutions. On a circle, this is the revolution within the domain nearest to the seed.
    pub fn folded(&self, i: usize, position: f64) -> f64 {
        match (self.turns[i], self.circles[i]) {
            (false, _) => position,
            (true, false) => position + self.whole_turns[i],
            (true, true) => {
                self.domains[i].turned_into(nearest_turn(position, self.start[i]) + self.whole_turns[i], 0.0)
            }
        }
    }

    /// Restores the full revolutions of `positions` \[rad or m\] in place: adds the subtracted ones, and in a search
    /// chooses those within the limits nearest to the seed.
    pub fn fold(&self, problem: &Problem, positions: &mut [f64]) {
        for i in (0..positions.len()).filter(|i| self.turns[*i]) {
            let (domain, seed) = (self.domains[i], self.domains[i].clamp(problem.seed[i]));
            let folded = match problem.mode {
                Mode::Search { .. } => self.folded(i, positions[i]),
                // Rounding must not exceed the step bounds.
                Mode::Track { max_step } => {
                    (positions[i] + self.whole_turns[i]).max(seed - max_step[i]).min(seed + max_step[i])
                }
            };
            // Rounding may miss a range of exactly one revolution.
            positions[i] = domain.clamp(folded);
        }
    }
}
