//! Self-motions towards the preference, with the targets met.
//!
//! Gradient projection (Liégeois 1977, "Automatic supervisory control of the configuration and behavior of multibody
//! mechanisms") in coordinates in which the cost has unit curvature. A projected step violates the targets to second
//! order, so Newton steps back to them follow. The four lanes try four step lengths at once.
//!
//! In a stream of targets, steps end at the first bound, so that they stay self-motions.

use super::clearance::ClearanceCheck;
use super::prepared_search::{Search, SearchInput};
use super::setup::{Setup, SetupView};
use crate::kernel::{Configurations, Kernel, LANES, Lanes, RANK_TOLERANCE, Task};
use crate::preference::manipulability::{JacobianScratch, Manipulability};
use crate::preference::quadratic::VariableState;
use crate::preference::{curvature, quadratic_terms};
use crate::{Bounds, Mode, Preference, counted_axes};

/// Largest number of steps, each a line search.
const MAX_STEPS: usize = 40;
/// Largest number of Newton steps back to the targets, after each step.
const MAX_CORRECTIONS: usize = 6;
/// Number of Newton steps that make a solution exact: of quadratic convergence, from the tolerance.
const EXACT_STEPS: usize = 3;
/// A step whose largest entry is smaller ends the descent \[rad, or m over the length scale\].
const MIN_STEP: f64 = 1e-5;
/// Largest entry of a step \[rad, or m over the length scale\].
const MAX_STEP: f64 = 0.5;
/// Step lengths of the lanes, relative to the step.
const STEP_LENGTHS: [f64; LANES] = [1.0, 0.5, 0.2, 0.05];
/// Distance from a bound at which a variable counts as at the bound, relative to one plus its position: covers
/// rounding and the residual of Newton steps.
const BOUND_TOLERANCE: f64 = 1e-9;

/// Null-space optimisation with its working memory.
#[derive(Debug, Clone)]
pub struct NullSpace {
    pub(super) jacobian: JacobianScratch,
    /// The projected step, and the unit of each variable in it \[rad or m\].
    direction: Vec<f64>,
    units: Vec<f64>,
    /// The step in units of the variables.
    scaled: Vec<f64>,
    /// Variables held at a bound that they would pass.
    stopped: Vec<bool>,
}

impl NullSpace {
    pub fn new(search: &Search) -> Self {
        let variables = search.variables();
        Self {
            jacobian: JacobianScratch::new(&search.kernel),
            direction: vec![0.0; variables],
            units: vec![0.0; variables],
            scaled: vec![0.0; variables],
            stopped: vec![false; variables],
        }
    }

    /// Moves `positions` \[rad or m\] in place towards the preference of `task` within its bounds, through
    /// collision-free configurations. They must meet the targets, and still do afterwards.
    pub fn optimise(&mut self, task: NullSpaceTask, positions: &mut [f64], clearance: &mut ClearanceCheck) {
        if !task.preference.is_none() || task.preference.move_weights.is_some() {
            task.run(positions, self, clearance);
        }
    }

    /// Moves `positions` \[rad or m\] in place by Newton steps, to meet the targets of `task` more exactly than their
    /// tolerances require.
    pub fn make_exact(&mut self, task: &NullSpaceTask, positions: &mut [f64]) {
        let configurations = &mut self.jacobian.configurations;
        let (kernel, task) = (&task.input.search.kernel, task.view.task());
        configurations.write_all(positions);
        for _ in 0..EXACT_STEPS {
            kernel.measure(task.goals, configurations);
            let damping = configurations.squared_error;
            kernel.damped_step(task, configurations, &damping, &Lanes::splat(1.0));
        }
        configurations.read(0, positions);
    }

    /// Projects `direction` to the null space of `blocks` of six rows, in units of the variables, with stopped
    /// variables fixed.
    fn project(&mut self, blocks: usize, rank_tolerance: f64) {
        let Self { jacobian: JacobianScratch { configurations, svd }, direction, stopped, units, scaled } = self;
        let variables = units.len();
        let entry = |row: usize, i: usize| {
            if stopped[i] { 0.0 } else { configurations.columns[row / 6 * variables + i][row % 6].0[0] * units[i] }
        };
        svd.fill(6 * blocks, entry, |_| 0.0);
        for i in 0..variables {
            scaled[i] = if stopped[i] { 0.0 } else { direction[i] / units[i] };
        }
        svd.project_to_null_space(scaled, rank_tolerance);
        for i in 0..variables {
            direction[i] = scaled[i] * units[i];
        }
    }

    /// Stops the variable that would pass its bound at `positions` the farthest: without it, others may turn back.
    /// True if there was one.
    fn stop_at_bound(&mut self, bounds: Bounds, positions: &[f64]) -> bool {
        let (mut worst, mut most) = (None, 0.0);
        for (i, (position, step)) in positions.iter().zip(&self.direction).enumerate() {
            let slack = BOUND_TOLERANCE * (1.0 + position.abs());
            let margin = if *step > 0.0 { bounds.upper[i] - position } else { position - bounds.lower[i] };
            let excess = (step / self.units[i]).abs();
            if margin <= slack && excess > most {
                (worst, most) = (Some(i), excess);
            }
        }
        if let Some(i) = worst {
            self.stopped[i] = true;
        }
        worst.is_some()
    }

    /// Shortens the step from `positions` to end at the first bound, and returns its remaining fraction.
    fn end_at_bounds(&mut self, bounds: Bounds, positions: &[f64]) -> f64 {
        let mut fraction = 1.0_f64;
        for (i, (position, step)) in positions.iter().zip(&self.direction).enumerate() {
            let margin = if *step > 0.0 { bounds.upper[i] - position } else { position - bounds.lower[i] };
            if step.abs() > margin {
                fraction = fraction.min(margin / step.abs());
            }
        }
        self.direction.iter_mut().for_each(|step| *step *= fraction);
        fraction
    }
}

/// Moves configurations near the targets of `task` back to them by Newton steps, in place. The result is measured.
pub fn return_to_targets(kernel: &Kernel, task: Task, configurations: &mut Configurations) {
    for correction in 0..=MAX_CORRECTIONS {
        kernel.measure(task.goals, configurations);
        if correction == MAX_CORRECTIONS || configurations.met & 0b1111 == 0b1111 {
            return;
        }
        // Lanes that meet the targets stop: further steps would undo more of the motion.
        let moving = Lanes([0, 1, 2, 3].map(|lane| if configurations.met >> lane & 1 == 1 { 0.0 } else { 1.0 }));
        let damping = configurations.squared_error;
        kernel.damped_step(task, configurations, &damping, &moving);
    }
}

/// A null-space task within bounds.
#[derive(Clone, Copy)]
pub struct NullSpaceTask<'a> {
    pub input: SearchInput<'a>,
    pub preference: &'a Preference<'a>,
    /// Bounds while solving \[rad or m\].
    pub view: SetupView<'a>,
    /// Positions from which moves are measured \[rad or m\]: the seed, without full revolutions.
    pub origin: &'a [f64],
    /// True if steps end at the first bound instead of sliding along it.
    pub flows: bool,
    /// Singular values below this fraction of the largest count as zero.
    pub rank_tolerance: f64,
}

impl<'a> NullSpaceTask<'a> {
    /// The task of `preference` within the bounds of `setup`.
    pub fn new(input: SearchInput<'a>, setup: &'a Setup, preference: &'a Preference<'a>) -> Self {
        let flows = preference.max_step.is_some() && matches!(input.problem.mode, Mode::Track { .. });
        Self { input, preference, view: setup.view(), origin: &setup.start, flows, rank_tolerance: RANK_TOLERANCE }
    }

    fn run(&self, positions: &mut [f64], scratch: &mut NullSpace, clearance: &mut ClearanceCheck) {
        let mut is_allowed = |configurations: &Configurations, lane: usize| {
            clearance.appraise_lane(self.input.problem, self.view.setup, configurations, lane).is_some()
        };
        scratch.jacobian.configurations.write_all(positions);
        self.manipulability().linearise(&mut scratch.jacobian);
        let (mut cost, mut stride) = (self.cost(scratch, 0), 1.0);
        for _ in 0..MAX_STEPS {
            let Some(taken) = self.find_step(positions, stride, scratch) else { return };
            self.try_lengths(positions, scratch);
            let mut better = None;
            let met = scratch.jacobian.configurations.met;
            for lane in (0..LANES).filter(|lane| met >> lane & 1 == 1) {
                let found = self.cost(scratch, lane);
                // A gain within rounding does not count.
                if found < cost - 1e-12 * cost.abs() && is_allowed(&scratch.jacobian.configurations, lane) {
                    (cost, better) = (found, Some(lane));
                }
            }
            // Longer steps if the cost curves less than expected, shorter ones if it curves more.
            stride = better.map_or(STEP_LENGTHS[LANES - 1] * taken, |lane| 2.0 * STEP_LENGTHS[lane] * stride);
            if let Some(lane) = better {
                scratch.jacobian.configurations.read(lane, positions);
            }
        }
    }

    /// Writes the projected step from `positions`, scaled by up to `stride`, into `scratch.direction`, and returns
    /// the scale; `None` if the step is negligible.
    fn find_step(&self, positions: &[f64], stride: f64, scratch: &mut NullSpace) -> Option<f64> {
        self.find_newton_step(positions, scratch);
        scratch.jacobian.configurations.write_all(positions);
        self.manipulability().linearise(&mut scratch.jacobian);
        scratch.stopped.fill(false);
        // Each pass but the last stops a variable.
        for _ in 0..=positions.len() {
            scratch.project(self.view.setup.goals.len(), self.rank_tolerance);
            if !scratch.stop_at_bound(self.view.bounds, positions) {
                break;
            }
        }
        let steps = scratch.direction.iter().zip(&scratch.units);
        let longest = steps.map(|(step, unit)| (step / unit).abs()).fold(0.0, f64::max);
        if longest * stride <= MIN_STEP {
            return None;
        }
        let fraction = stride.min(MAX_STEP / longest);
        scratch.direction.iter_mut().for_each(|step| *step *= fraction);
        let inside = if self.flows { scratch.end_at_bounds(self.view.bounds, positions) } else { 1.0 };
        Some(fraction * inside)
    }

    /// Writes the four step lengths into the lanes and returns them to the targets.
    fn try_lengths(&self, positions: &[f64], scratch: &mut NullSpace) {
        let NullSpace { jacobian: JacobianScratch { configurations, .. }, direction, .. } = scratch;
        let (kernel, task) = (&self.input.search.kernel, self.view.task());
        configurations.write_all(positions);
        for (step, direction) in configurations.step.iter_mut().zip(direction) {
            *step = Lanes(STEP_LENGTHS.map(|length| length * *direction));
        }
        kernel.advance(task.bounds, configurations, &Lanes::splat(1.0));
        return_to_targets(kernel, task, configurations);
        if self.preference.manipulability_weight > 0.0 {
            kernel.linearise(task.goals, configurations);
        }
    }

    /// The preference's cost at a lane of linearised configurations.
    fn cost(&self, scratch: &mut NullSpace, lane: usize) -> f64 {
        let mut cost = 0.0;
        for (i, position) in scratch.jacobian.configurations.positions.iter().enumerate() {
            for term in quadratic_terms(self.preference, &self.state(i, position.0[lane])) {
                cost += term.value();
            }
        }
        if self.preference.manipulability_weight > 0.0 {
            cost += self.preference.manipulability_weight * self.manipulability().value(&mut scratch.jacobian, lane);
        }
        cost
    }

    /// Writes the Newton step of the cost at `positions` for its diagonal curvature into `scratch.direction`, and the
    /// unit of each variable, in which the curvature is one, into `scratch.units`.
    fn find_newton_step(&self, positions: &[f64], scratch: &mut NullSpace) {
        scratch.direction.fill(0.0);
        if self.preference.manipulability_weight > 0.0 {
            self.manipulability().add_gradient(positions, &mut scratch.jacobian, &mut scratch.direction);
        }
        for (i, position) in positions.iter().enumerate() {
            let state = self.state(i, *position);
            let terms = quadratic_terms(self.preference, &state);
            // The Newton step of the quadratic terms is their mean offset, weighted by their curvatures.
            scratch.direction[i] += terms.iter().map(|term| term.curvature() * term.offset).sum::<f64>();
            let curvature = curvature(self.preference, &state);
            scratch.units[i] = if curvature > 0.0 { 1.0 / curvature.sqrt() } else { state.unit };
            scratch.direction[i] *= -(scratch.units[i] * scratch.units[i]);
        }
    }

    /// A variable at the position that would be returned: a search folds it into its limits.
    fn state(&self, i: usize, position: f64) -> VariableState<'_> {
        let Self { input: SearchInput { search, .. }, view: SetupView { setup, bounds, .. }, origin, .. } = self;
        let folds = search.turns[i] && bounds.lower[i] == f64::NEG_INFINITY;
        VariableState {
            index: i,
            variable: &search.chain.variables()[i],
            unit: search.units[i],
            position: if folds { setup.folded(i, position) } else { position + setup.whole_turns[i] },
            moved: position - origin[i],
        }
    }

    fn manipulability(&self) -> Manipulability<'_> {
        let search = self.input.search;
        Manipulability {
            kernel: &search.kernel,
            units: &search.units,
            goals: &self.view.setup.goals,
            counted: counted_axes(self.input.problem.targets),
            weight: self.preference.manipulability_weight,
            floor: 0.0,
        }
    }
}
