//! One iteration of four attempts: damping, and which step each lane takes.

use super::plan::{Iteration, Plan};
use super::prepared_search::Search;
use crate::JacobianStep;
use crate::kernel::{Configurations, FabrikScratch, LANES, Lanes, Svd, Task};

/// Upper bound of the adaptive damping \[rad²\], which is the fraction [`Plan::damping`] of the squared error. More
/// would only slow the steps far from the target, and on a long gantry they would get nowhere.
const MAX_DAMPING: f64 = 0.1;
/// Lower bound of a fixed damping \[rad²\]. With less, rounding decides where rows depend on each other; the adaptive damping is less
/// only where the error is so small that this does no harm.
const MIN_FIXED_DAMPING: f64 = 1e-13;
/// With a squared error \[rad²\] below this (0.2 rad, or a fifth of the length scale), FABRIK gives way to Newton steps.
const POLISH_BELOW: f64 = 0.04;

/// What a lane does next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    /// Stays where it is: idle, waiting, or at a starting point that has not been measured.
    Rest,
    /// Steps on.
    Step,
    /// Steps on by a Newton step, wherever it is.
    Newton,
    /// Takes this fraction of its last motion as its next: -1/2 to go back half of a step, then 1/2 to go back half of that.
    Again(f64),
}

/// Takes the steps of attempts.
#[derive(Debug, Clone)]
pub struct Stepper {
    pub fabrik: FabrikScratch,
    pseudoinverse: Pseudoinverse,
}

impl Stepper {
    pub fn new(search: &Search) -> Self {
        let units = (0..search.variables()).map(|i| search.unit(i)).collect();
        Self { fabrik: FabrikScratch::new(&search.kernel.links, units), pseudoinverse: Pseudoinverse::new(search) }
    }

    /// One step of every lane that does not rest, from where the configurations have been measured.
    pub fn step(&mut self, plan: &Plan, configurations: &mut Configurations, next: [Next; LANES]) {
        let (kernel, task, fraction) = (&plan.search.kernel, plan.setup.task(), plan.damping());
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
                let is_near = |lane: usize| next[lane] == Next::Newton || options.polish && errors[lane] < POLISH_BELOW;
                let near: [f64; LANES] = std::array::from_fn(|lane| if is_near(lane) { 1.0 } else { 0.0 });
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

/// Steps by the Moore-Penrose pseudoinverse, one lane after the other.
#[derive(Debug, Clone)]
struct Pseudoinverse {
    svd: Svd,
    /// The step of one lane without regard to bounds \[rad or m\].
    free: Vec<f64>,
    /// Which variables stand at their bounds.
    stopped: Vec<bool>,
}

impl Pseudoinverse {
    fn new(search: &Search) -> Self {
        let variables = search.variables();
        Self { svd: search.svd(), free: vec![0.0; variables], stopped: vec![false; variables] }
    }

    /// Writes the steps of the lanes that are `moving`, every variable within its bounds: those that would leave theirs
    /// are stopped at them, and the others are solved for again.
    fn write_steps(&mut self, plan: &Plan, configurations: &mut Configurations, moving: [bool; LANES]) {
        let task = plan.setup.task();
        plan.search.kernel.linearise(task.goals, configurations);
        for lane in (0..LANES).filter(|lane| moving[*lane]) {
            self.stopped.fill(false);
            loop {
                self.svd.decompose(configurations, task.goals.len(), lane);
                self.svd.pseudoinverse(&mut self.free);
                if !self.stop_at_bounds(task, configurations, lane) {
                    break;
                }
            }
        }
    }

    /// Takes over the free step of one lane and stops variables that leave their bounds: what their motion does to the
    /// targets is taken off the rows. Tells whether there were any.
    fn stop_at_bounds(
        &mut self,
        Task { goals, bounds }: Task,
        configurations: &mut Configurations,
        lane: usize,
    ) -> bool {
        let Configurations { positions, rows, columns, step: steps, .. } = configurations;
        let (variables, mut any) = (self.free.len(), false);
        for (i, steps) in steps.iter_mut().enumerate() {
            if self.stopped[i] {
                continue;
            }
            let position = positions[i].0[lane];
            let next = position + self.free[i];
            let bounded = next.max(bounds.lower[i]).min(bounds.upper[i]);
            let step = if bounded == next { self.free[i] } else { bounded - position };
            steps.0[lane] = step;
            if bounded == next {
                continue;
            }
            any = true;
            self.stopped[i] = true;
            for (target, rows) in rows[..goals.len()].iter_mut().enumerate() {
                for (row, entry) in rows.iter_mut().zip(&mut columns[target * variables + i]) {
                    row.0[lane] -= entry.0[lane] * step;
                    entry.0[lane] = 0.0;
                }
            }
        }
        any
    }
}
