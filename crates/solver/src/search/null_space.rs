//! Moves the joints towards the preference while the targets stay met.
//!
//! Gradient projection (Liégeois 1977, "Automatic supervisory control of the configuration and behavior of multibody mechanisms"), in
//! coordinates in which the preference bends alike in every direction. A projected step leaves the targets only to second order,
//! so each one is followed by Newton steps back. The four lanes try four lengths of a step at once.
//!
//! Where the joints flow in a stream of targets, steps end at the first bound, so that they stay self-motions.

use super::clearance::ClearanceCheck;
use super::prepared_search::{Posed, Search};
use super::setup::Setup;
use crate::kernel::{Configurations, Kernel, LANES, Lanes, Svd, Task};
use crate::{Mode, Preference, Problem, Target, counted_axes};

/// Steps at most. Each is a search along one direction.
const STEPS: usize = 40;
/// Newton steps back to the targets at most, after each.
const CORRECTIONS: usize = 6;
/// A step with no entry above this \[rad, or m over the length scale\] ends the descent.
const MIN_STEP: f64 = 1e-5;
/// The longest entry of a step.
const MAX_STEP: f64 = 0.5;
/// What the lanes take of a step.
const LENGTHS: [f64; LANES] = [1.0, 0.5, 0.2, 0.05];
/// Half of the difference of positions by which the slope of the manipulability is found.
const DIFFERENCE: f64 = 1e-4;
/// How near its bound a variable is counted as standing there, over one more than its position: by rounding, and by what Newton steps leave.
const AT_BOUND: f64 = 1e-9;

/// Motions in the null space.
#[derive(Debug, Clone)]
pub struct NullSpace {
    configurations: Configurations,
    svd: Svd,
    /// The projected step \[rad or m\], and the scale of each variable in it.
    direction: Vec<f64>,
    units: Vec<f64>,
    /// The step in units of each variable's scale.
    scaled: Vec<f64>,
    /// Which variables stand at a bound and would go beyond.
    stopped: Vec<bool>,
}

impl NullSpace {
    pub fn new(search: &Search) -> Self {
        let variables = search.variables();
        Self {
            configurations: Configurations::new(&search.kernel.links),
            svd: search.svd(),
            direction: vec![0.0; variables],
            units: vec![0.0; variables],
            scaled: vec![0.0; variables],
            stopped: vec![false; variables],
        }
    }

    /// Moves `positions`, which meet the targets of the problem, towards its preference as far as the targets and the bounds allow, over
    /// configurations that keep clear.
    pub fn optimise(&mut self, posed: Posed, setup: &Setup, positions: &mut [f64], clearance: &mut ClearanceCheck) {
        let Problem { preference, mode, .. } = posed.problem;
        if !preference.is_none() || preference.move_weights.is_some() {
            let flows = preference.max_step.is_some() && matches!(mode, Mode::Track { .. });
            NullSpaceTask { posed, preference, setup, flows }.go(positions, self, clearance);
        }
    }

    /// Projects `direction` to the null space of so many targets, in units of each variable's scale, with the variables that are
    /// stopped left out.
    fn project(&mut self, targets: usize) {
        let Self { configurations, svd, direction, stopped, units, scaled, .. } = self;
        let variables = units.len();
        let entry = |row: usize, i: usize| {
            if stopped[i] { 0.0 } else { configurations.columns[row / 6 * variables + i][row % 6].0[0] * units[i] }
        };
        svd.fill(6 * targets, entry, |_| 0.0);
        for i in 0..variables {
            scaled[i] = if stopped[i] { 0.0 } else { direction[i] / units[i] };
        }
        svd.project_to_null_space(scaled);
        for i in 0..variables {
            direction[i] = scaled[i] * units[i];
        }
    }

    /// Of the variables that stand at a bound at `positions` and would go beyond, stops that which would go farthest: without it the
    /// others may turn back. Tells whether there was one.
    fn stop_at_bound(&mut self, setup: &Setup, positions: &[f64]) -> bool {
        let (bounds, mut farthest, mut most) = (setup.bounds(), None, 0.0);
        for (i, (position, step)) in positions.iter().zip(&self.direction).enumerate() {
            let slack = AT_BOUND * (1.0 + position.abs());
            let room = if *step > 0.0 { bounds.upper[i] - position } else { position - bounds.lower[i] };
            let way = (step / self.units[i]).abs();
            if room <= slack && way > most {
                (farthest, most) = (Some(i), way);
            }
        }
        if let Some(i) = farthest {
            self.stopped[i] = true;
        }
        farthest.is_some()
    }

    /// Shortens the step from `positions` until it passes no bound; gives the share that is left.
    fn end_at_bounds(&mut self, setup: &Setup, positions: &[f64]) -> f64 {
        let (bounds, mut share) = (setup.bounds(), 1.0_f64);
        for (i, (position, step)) in positions.iter().zip(&self.direction).enumerate() {
            let room = if *step > 0.0 { bounds.upper[i] - position } else { position - bounds.lower[i] };
            if step.abs() > room {
                share = share.min(room / step.abs());
            }
        }
        self.direction.iter_mut().for_each(|step| *step *= share);
        share
    }

    /// The logarithm of the manipulability of a lane that has been linearised.
    fn log_manipulability(&mut self, targets: &[Target], lane: usize) -> f64 {
        self.svd.decompose(&self.configurations, targets.len(), lane);
        self.svd.log_manipulability(counted_axes(targets))
    }
}

/// Leads configurations near the targets of `task` back to them by Newton steps, and measures them.
pub fn return_to_targets(kernel: &Kernel, task: Task, configurations: &mut Configurations) {
    for correction in 0..=CORRECTIONS {
        kernel.measure(task.goals, configurations);
        if correction == CORRECTIONS || configurations.met & 0b1111 == 0b1111 {
            return;
        }
        // Lanes that have arrived stay: the longer a lane goes on, the more it undoes.
        let moving = Lanes([0, 1, 2, 3].map(|lane| if configurations.met >> lane & 1 == 1 { 0.0 } else { 1.0 }));
        let damping = configurations.squared_error;
        kernel.damped_step(task, configurations, &damping, &moving);
    }
}

/// What is to be lessened, and within what.
#[derive(Clone, Copy)]
struct NullSpaceTask<'a> {
    posed: Posed<'a>,
    preference: &'a Preference<'a>,
    setup: &'a Setup,
    /// Whether steps end at the first bound, instead of going on along it.
    flows: bool,
}

impl NullSpaceTask<'_> {
    fn go(&self, positions: &mut [f64], scratch: &mut NullSpace, clearance: &mut ClearanceCheck) {
        let mut is_allowed = |configurations: &Configurations, lane: usize| {
            clearance.appraise_lane(self.posed.problem, self.setup, configurations, lane).is_some()
        };
        scratch.configurations.write_all(positions);
        self.measure(scratch);
        let (mut cost, mut stride) = (self.cost(scratch, 0), 1.0);
        for _ in 0..STEPS {
            let Some(taken) = self.find_step(positions, stride, scratch) else { return };
            self.try_lengths(positions, scratch);
            let mut better = None;
            let met = scratch.configurations.met;
            for lane in (0..LANES).filter(|lane| met >> lane & 1 == 1) {
                let found = self.cost(scratch, lane);
                // A gain that rounding could make is none.
                if found < cost - 1e-12 * cost.abs() && is_allowed(&scratch.configurations, lane) {
                    (cost, better) = (found, Some(lane));
                }
            }
            // Longer where the cost bends less than is expected, and shorter where it bends more.
            stride = better.map_or(LENGTHS[LANES - 1] * taken, |lane| 2.0 * LENGTHS[lane] * stride);
            if let Some(lane) = better {
                scratch.configurations.read(lane, positions);
            }
        }
    }

    fn measure(&self, scratch: &mut NullSpace) {
        self.posed.search.kernel.measure(&self.setup.goals, &mut scratch.configurations);
    }

    fn linearise(&self, scratch: &mut NullSpace) {
        self.posed.search.kernel.linearise(&self.setup.goals, &mut scratch.configurations);
    }

    /// Writes the projected step from `positions`, `stride` times as long or shorter, into `scratch.direction`, and gives how many times as
    /// long it is; `None` where it is not worth a try.
    fn find_step(&self, positions: &[f64], stride: f64, scratch: &mut NullSpace) -> Option<f64> {
        self.find_slope(positions, scratch);
        scratch.configurations.write_all(positions);
        self.measure(scratch);
        self.linearise(scratch);
        scratch.stopped.fill(false);
        // Each pass but the last stops a variable.
        for _ in 0..=positions.len() {
            scratch.project(self.posed.problem.targets.len());
            if !scratch.stop_at_bound(self.setup, positions) {
                break;
            }
        }
        let steps = scratch.direction.iter().zip(&scratch.units);
        let longest = steps.map(|(step, unit)| (step / unit).abs()).fold(0.0, f64::max);
        if longest * stride <= MIN_STEP {
            return None;
        }
        let share = stride.min(MAX_STEP / longest);
        scratch.direction.iter_mut().for_each(|step| *step *= share);
        let inside = if self.flows { scratch.end_at_bounds(self.setup, positions) } else { 1.0 };
        Some(share * inside)
    }

    /// Puts the four lengths of the step into the lanes and leads them back to the targets.
    fn try_lengths(&self, positions: &[f64], scratch: &mut NullSpace) {
        let NullSpace { configurations, direction, .. } = scratch;
        let (kernel, task) = (&self.posed.search.kernel, self.setup.task());
        configurations.write_all(positions);
        for (step, direction) in configurations.step.iter_mut().zip(direction) {
            *step = Lanes(LENGTHS.map(|length| length * *direction));
        }
        kernel.advance(task.bounds, configurations, &Lanes::splat(1.0));
        return_to_targets(kernel, task, configurations);
    }

    /// The preference's cost at the configuration of a lane that has been measured.
    fn cost(&self, scratch: &mut NullSpace, lane: usize) -> f64 {
        let preference = self.preference;
        let mut cost = 0.0;
        for i in 0..self.posed.search.variables() {
            let position = scratch.configurations.positions[i].0[lane];
            let (from_posture, from_middle) = self.distances(i, position);
            cost += 0.5 * preference.posture_weight * (from_posture / self.posed.search.unit(i)).powi(2);
            cost += 0.5
                * preference.limits_weight
                * (from_middle / self.posed.search.chain.variables()[i].half_range()).powi(2);
            cost += 0.5 * self.move_weight(i) * (position - self.setup.start[i]).powi(2);
        }
        if preference.manipulability_weight > 0.0 {
            self.linearise(scratch);
            cost -= preference.manipulability_weight * scratch.log_manipulability(self.posed.problem.targets, lane);
        }
        cost
    }

    /// How far a variable at `position` is from the preferred posture and from the middle of its range: on a circle the short way round,
    /// and where a search will fold it into its limits, from there.
    fn distances(&self, i: usize, position: f64) -> (f64, f64) {
        let Self { posed: Posed { search, .. }, setup, preference, .. } = self;
        let folds = search.turns[i] && setup.bounds().lower[i] == f64::NEG_INFINITY;
        let position = if folds { setup.folded(i, position) } else { position + setup.whole_turns[i] };
        let domain = search.chain.variables()[i].domain;
        let from_posture = preference.posture.map_or(0.0, |posture| domain.way(posture[i], position));
        (from_posture, domain.from_middle(position))
    }

    /// Writes the negative slope of the cost at `positions`, over its second derivative, into `scratch.direction`, and the
    /// scale of each variable into `scratch.units`.
    fn find_slope(&self, positions: &[f64], scratch: &mut NullSpace) {
        let preference = self.preference;
        scratch.direction.fill(0.0);
        if preference.manipulability_weight > 0.0 {
            self.add_manipulability_slope(positions, scratch);
        }
        for (i, position) in positions.iter().enumerate() {
            let (from_posture, from_middle) = self.distances(i, *position);
            let (unit, half) = (self.posed.search.unit(i), self.posed.search.chain.variables()[i].half_range());
            let posture_weight = preference.posture.map_or(0.0, |_| preference.posture_weight / (unit * unit));
            let limits_weight = preference.limits_weight / (half * half);
            let move_weight = self.move_weight(i);
            scratch.direction[i] -= posture_weight * from_posture
                + limits_weight * from_middle
                + move_weight * (position - self.setup.start[i]);
            // The second derivative of the manipulability's logarithm is about one, in radians.
            let bend = posture_weight + limits_weight + move_weight + preference.manipulability_weight / (unit * unit);
            scratch.units[i] = if bend > 0.0 { 1.0 / bend.sqrt() } else { unit };
            scratch.direction[i] *= scratch.units[i] * scratch.units[i];
        }
    }

    /// Adds the slope of the manipulability's logarithm by central differences, two variables at a time.
    fn add_manipulability_slope(&self, positions: &[f64], scratch: &mut NullSpace) {
        let (variables, weight) = (positions.len(), self.preference.manipulability_weight);
        for first in (0..variables).step_by(2) {
            scratch.configurations.write_all(positions);
            for lane in 0..LANES {
                let variable = (first + lane / 2).min(variables - 1);
                let sign = if lane % 2 == 0 { 1.0 } else { -1.0 };
                scratch.configurations.positions[variable].0[lane] +=
                    sign * DIFFERENCE * self.posed.search.unit(variable);
            }
            self.measure(scratch);
            self.linearise(scratch);
            for (half, variable) in (first..variables.min(first + 2)).enumerate() {
                let mut value = |lane: usize| scratch.log_manipulability(self.posed.problem.targets, lane);
                let slope =
                    (value(2 * half) - value(2 * half + 1)) / (2.0 * DIFFERENCE * self.posed.search.unit(variable));
                scratch.direction[variable] += weight * slope;
            }
        }
    }

    fn move_weight(&self, variable: usize) -> f64 {
        self.preference.move_weights.map_or(0.0, |weights| weights[variable])
    }
}
