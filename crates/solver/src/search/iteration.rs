//! One iteration of four attempts: damping, and which step each lane takes.

use super::prepared_search::Search;
use super::pseudoinverse::PseudoinverseScratch;
use super::setup::Setup;
use crate::kernel::configurations::Configurations;
use crate::kernel::fabrik::FabrikScratch;
use crate::kernel::lanes::{LANES, Lanes};
use crate::kernel::normal_equations::StepScratch;
use crate::method::{FabrikOptions, JacobianStep};

/// Adaptive damping over the squared error \[rad²\]: of the fractions 1, 0.3, 0.1 and 0.03 a search takes the fewest iterations with
/// the third. It bounds a step near a singularity to half the error over the root of the damping, 1.6 rad; tracking, which must not
/// leap, keeps to half a radian.
pub const SEARCH_DAMPING: f64 = 0.1;
pub const TRACK_DAMPING: f64 = 1.0;
/// Upper bound of the adaptive damping \[rad²\]. More would only slow the steps far from the target, and on a long gantry they would
/// get nowhere.
const GREATEST_DAMPING: f64 = 0.1;
/// Lower bound of a fixed damping \[rad²\]. With less, rounding decides where rows depend on each other; the adaptive damping is less
/// only where the error is so small that this does no harm.
const LEAST_FIXED_DAMPING: f64 = 1e-13;
/// With a squared error \[rad²\] below this (0.2 rad, or a fifth of the length scale), FABRIK gives way to Newton steps.
const POLISH_BELOW: f64 = 0.04;

/// What each iteration of an attempt is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Iteration {
    /// A Newton step.
    Jacobian(JacobianStep),
    /// A cycle of forward and backward reaching.
    Fabrik(FabrikOptions),
}

impl Iteration {
    /// Whether steps lead to the nearest configuration where the targets cannot be met: always, unless it is FABRIK alone.
    pub fn refines(self) -> bool {
        !matches!(self, Self::Fabrik(FabrikOptions { polish: false, .. }))
    }
}

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

/// Where steps are computed.
#[derive(Debug, Clone)]
pub struct IterationScratch {
    step: StepScratch,
    pub fabrik: FabrikScratch,
    pseudoinverse: PseudoinverseScratch,
}

impl IterationScratch {
    pub fn new(search: &Search) -> Self {
        let links = &search.kernel.links;
        let units = (0..search.variables()).map(|i| search.unit(i)).collect();
        Self {
            step: StepScratch::new(links),
            fabrik: FabrikScratch::new(links, units),
            pseudoinverse: PseudoinverseScratch::new(search),
        }
    }
}

impl Search {
    /// One step of every lane that does not rest, from where the configurations have been measured. `fraction` of the squared error is
    /// the adaptive damping.
    pub fn iterate_lanes(
        &self,
        iteration: Iteration,
        setup: &Setup,
        (configurations, scratch): (&mut Configurations, &mut IterationScratch),
        next: [Next; LANES],
        fraction: f64,
    ) {
        let task = (&*setup.goals, setup.bounds());
        let IterationScratch { step, fabrik, pseudoinverse } = scratch;
        let moving = next.map(|next| if next == Next::Rest { 0.0 } else { 1.0 });
        let errors = configurations.squared_error.0;
        let adaptive = Lanes(errors.map(|error| (fraction * error).min(GREATEST_DAMPING)));
        match iteration {
            Iteration::Jacobian(JacobianStep::Damped { damping }) => {
                let damping =
                    damping.map_or(adaptive, |factor| Lanes::splat((factor * factor).max(LEAST_FIXED_DAMPING)));
                self.kernel.damped_step(task, (configurations, step), &damping, &Lanes(moving));
            }
            Iteration::Jacobian(JacobianStep::Pseudoinverse) => {
                for (lane, next) in next.iter().enumerate() {
                    if let Next::Again(factor) = next {
                        step.step.iter_mut().for_each(|step| step.0[lane] *= factor);
                    }
                }
                let stepping = next.map(|next| matches!(next, Next::Step | Next::Newton));
                self.pseudoinverse_step(setup, configurations, pseudoinverse, &mut step.step, stepping);
                self.kernel.advance(setup.bounds(), configurations, &step.step, &Lanes(moving));
            }
            Iteration::Fabrik(options) => {
                let is_near = |lane: usize| next[lane] == Next::Newton || options.polish && errors[lane] < POLISH_BELOW;
                let near: [f64; LANES] = std::array::from_fn(|lane| if is_near(lane) { 1.0 } else { 0.0 });
                let lanes = |part: fn(f64) -> f64| Lanes(std::array::from_fn(|lane| moving[lane] * part(near[lane])));
                let (newton, fabrik_lanes) = (lanes(|near| near), lanes(|near| 1.0 - near));
                if fabrik_lanes != Lanes::default() {
                    self.kernel.fabrik_step(task, (configurations, fabrik), &mut step.step, options, &fabrik_lanes);
                }
                if newton != Lanes::default() {
                    self.kernel.damped_step(task, (configurations, step), &adaptive, &newton);
                }
            }
        }
    }
}
