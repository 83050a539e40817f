//! One iteration of four attempts: damping, and the step of each lane.

use super::plan::{AttemptPlan, Iteration};
use super::prepared_search::Search;
use crate::JacobianStep;
use crate::kernel::{Configurations, FabrikScratch, LANES, Lanes, Svd, Task};
use urdf_ik_mathematics::bounded_step::{StepProblem, solve_within_bounds};

/// Upper bound of the adaptive damping \[rad²\], [`SEARCH_DAMPING`] or [`TRACK_DAMPING`] times the squared error. More
/// would slow steps far from the target, and stop them on a long gantry.
const MAX_DAMPING: f64 = 0.1;
/// Adaptive damping over the squared error, in a search: of the fractions 1, 0.3, 0.1 and 0.03 the third needs the
/// fewest iterations. Near a singularity it bounds a step to half the error over the root of the damping, 1.6 rad.
const SEARCH_DAMPING: f64 = 0.1;
/// Adaptive damping over the squared error, in tracking, which must not leap: bounds a step to half a radian.
const TRACK_DAMPING: f64 = 1.0;
/// Lower bound of a fixed damping \[rad²\]. With less, rounding decides whether rows are dependent; adaptive damping
/// is less only where the error is too small for harm.
const MIN_FIXED_DAMPING: f64 = 1e-13;
/// Squared error of the targets below which Newton steps replace FABRIK cycles \[rad²\]: 0.2 rad, or a fifth of the
/// length scale.
const POLISH_BELOW: f64 = 0.04;

/// The next action of a lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    /// No step: idle, waiting, or at a starting point that has not been measured.
    Rest,
    /// A step of the method.
    Step,
    /// A Newton step, for every method.
    Newton,
    /// This fraction of the last step once more: -1/2 undoes half of it, then 1/2 undoes half of that.
    Again(f64),
}

/// Takes the steps of attempts.
#[derive(Debug, Clone)]
pub struct Stepper {
    fabrik: FabrikScratch,
    /// Lanes whose attempts have been near the targets.
    near: [bool; LANES],
    pseudoinverse: Pseudoinverse,
}

impl Stepper {
    pub fn new(search: &Search) -> Self {
        let fabrik = FabrikScratch::new(&search.kernel.links, search.units.to_vec());
        Self { fabrik, near: [false; LANES], pseudoinverse: Pseudoinverse::new(search) }
    }

    /// Prepares the lane with index `lane` for attempt `number`.
    pub fn begin(&mut self, lane: usize, number: usize) {
        self.near[lane] = false;
        self.fabrik.begin(lane, number);
    }

    /// Takes one step in every lane whose entry in `next` is not [`Next::Rest`], from measured configurations. Writes
    /// the new positions into `configurations`.
    pub fn step(&mut self, plan: &AttemptPlan, configurations: &mut Configurations, next: [Next; LANES]) {
        let (kernel, task) = (&plan.search.kernel, plan.view.task());
        let fraction = if plan.leaps { SEARCH_DAMPING } else { TRACK_DAMPING };
        let moving = next.map(|next| if next == Next::Rest { 0.0 } else { 1.0 });
        let errors = configurations.squared_error.0;
        let adaptive = Lanes(errors.map(|error| (fraction * error).min(MAX_DAMPING)));
        match plan.iteration {
            Iteration::Jacobian(JacobianStep::Damped { damping }) => {
                let damping = damping.map_or(adaptive, |factor| Lanes::splat((factor * factor).max(MIN_FIXED_DAMPING)));
                kernel.damped_step(task, configurations, &damping, &Lanes(moving));
            }
            Iteration::Jacobian(JacobianStep::Pseudoinverse) => {
                for (lane, next) in next.iter().enumerate() {
                    if let Next::Again(factor) = next {
                        configurations.step.iter_mut().for_each(|step| step.0[lane] *= factor);
                    }
                }
                let stepping = next.map(|next| matches!(next, Next::Step | Next::Newton));
                self.pseudoinverse.write_steps(plan, configurations, stepping);
                kernel.advance(task.bounds, configurations, &Lanes(moving));
            }
            Iteration::Fabrik(options) => {
                for (lane, near) in self.near.iter_mut().enumerate() {
                    let error = task.goals.squared_error_of_targets(configurations, lane);
                    // Other goals may lead away from the targets, where cycles would revert the steps.
                    let stays = *near && task.goals.has_others();
                    *near = stays || next[lane] == Next::Newton || options.polish && error < POLISH_BELOW;
                }
                let near = self.near.map(|near| if near { 1.0 } else { 0.0 });
                let lanes = |part: fn(f64) -> f64| Lanes(std::array::from_fn(|lane| moving[lane] * part(near[lane])));
                let (newton, fabrik_lanes) = (lanes(|near| near), lanes(|near| 1.0 - near));
                if fabrik_lanes != Lanes::default() {
                    kernel.fabrik_step(task, configurations, &mut self.fabrik, options, &fabrik_lanes);
                }
                if newton != Lanes::default() {
                    kernel.damped_step(task, configurations, &adaptive, &newton);
                }
            }
        }
    }
}

/// Steps by the Moore-Penrose pseudoinverse, lane by lane.
#[derive(Debug, Clone)]
struct Pseudoinverse {
    svd: Svd,
    /// The step of one lane \[rad or m\], and the variables that end at their bounds.
    step: Vec<f64>,
    clamped: Vec<bool>,
    /// The unbounded step.
    unbounded: Vec<f64>,
}

impl Pseudoinverse {
    fn new(search: &Search) -> Self {
        let zeros = vec![0.0; search.variables()];
        Self { svd: search.svd(), step: zeros.clone(), clamped: vec![false; zeros.len()], unbounded: zeros }
    }

    /// Writes the steps of the lanes that are `moving`, within the bounds.
    fn write_steps(&mut self, plan: &AttemptPlan, configurations: &mut Configurations, moving: [bool; LANES]) {
        let task = plan.view.task();
        plan.search.kernel.linearise(task.goals, configurations);
        let Self { svd, step, clamped, unbounded } = self;
        for lane in (0..LANES).filter(|lane| moving[*lane]) {
            let mut problem = LaneStep { svd, unbounded, task, configurations, lane };
            solve_within_bounds(&mut problem, clamped, step);
            for (entry, step) in configurations.step.iter_mut().zip(step.iter()) {
                entry.0[lane] = *step;
            }
        }
    }
}

/// The linear problem of one lane.
struct LaneStep<'a> {
    svd: &'a mut Svd,
    unbounded: &'a mut [f64],
    task: Task<'a>,
    configurations: &'a mut Configurations,
    lane: usize,
}

impl StepProblem for LaneStep<'_> {
    fn solve(&mut self, clamped: &[bool], step: &mut [f64]) {
        self.svd.decompose(self.configurations, self.task.goals.len(), self.lane);
        self.svd.pseudoinverse(self.unbounded);
        for ((step, unbounded), clamped) in step.iter_mut().zip(self.unbounded.iter()).zip(clamped) {
            if !clamped {
                *step = *unbounded;
            }
        }
    }

    fn bounds(&self, variable: usize) -> [f64; 2] {
        let position = self.configurations.positions[variable].0[self.lane];
        [self.task.bounds.lower, self.task.bounds.upper].map(|bounds| bounds[variable] - position)
    }

    fn subtract(&mut self, variable: usize, step: f64) {
        let Configurations { rows, columns, positions, .. } = &mut *self.configurations;
        for (target, rows) in rows[..self.task.goals.len()].iter_mut().enumerate() {
            for (row, entry) in rows.iter_mut().zip(&mut columns[target * positions.len() + variable]) {
                row.0[self.lane] -= entry.0[self.lane] * step;
                entry.0[self.lane] = 0.0;
            }
        }
    }
}
