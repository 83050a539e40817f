//! Tells whether joint limits are in the way: a target that no attempt met within them is met where there are none.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use super::attempts::{Arrival, Plan};
use super::explore::Exploration;
use super::iteration::{Iteration, SEARCH_DAMPING};
use super::prepared_search::Search;
use super::setup::Setup;
use crate::kernel::configurations::Configurations;
use crate::method::JacobianStep;
use crate::problem::{Mode, Problem};
use crate::solution::{Outcome, Reason, Solution};
use urdf_ik_robot::{Domain, Variable};

/// With fewer attempts than this, a solution within the limits may well have been missed.
const ENOUGH_ATTEMPTS: usize = 100;
/// Attempts without limits, the first from the closest configuration. Most targets in reach are met by the first few.
const WIDENED_ATTEMPTS: usize = 16;

impl Search {
    /// Whether joint limits are why the search for `problem` found no more than `solution`: enough attempts within them failed, some
    /// of them push back at its positions, and without them the targets are met. Overwrites setup and exploration.
    pub fn limits_are_in_the_way(
        &self,
        problem: &Problem,
        setup: &mut Setup,
        exploration: &mut Exploration,
        solution: &Solution,
    ) -> bool {
        let Mode::Search { attempts, random_seed, .. } = problem.mode else { return false };
        let unexplained = solution.outcome == Outcome::Closest(Reason::NotConverged);
        if !unexplained || attempts < ENOUGH_ATTEMPTS || solution.saturated.is_empty() {
            return false;
        }
        let Exploration { attempts: scratch, closest, .. } = exploration;
        setup.unbound();
        setup.start.copy_from_slice(&closest.positions);
        self.rank(problem.targets, scratch);
        let plan = Plan {
            attempts: WIDENED_ATTEMPTS,
            first: 0,
            stride: 1,
            iteration: Iteration::Jacobian(JacobianStep::default()),
            damping: SEARCH_DAMPING,
            leaps: true,
            random_seed,
            over: &|_| None,
        };
        let mut blocked = false;
        self.attempts(&plan, setup, scratch, closest, &mut |configurations, Arrival { lane, .. }| {
            blocked = !self.is_within_limits(setup, configurations, lane);
            ControlFlow::Break(())
        });
        blocked
    }

    /// Whether the configuration of a lane, or one that whole turns make of it, lies within the joint limits.
    fn is_within_limits(&self, setup: &Setup, configurations: &Configurations, lane: usize) -> bool {
        let variables = self.chain.variables().iter().zip(&setup.domains).zip(&configurations.positions);
        variables.into_iter().all(|((variable, domain), position)| allows(variable, *domain, position.0[lane]))
    }
}

/// Whether a variable with that domain may be at `position`, or for a rotation at one of its whole turns.
fn allows(variable: &Variable, domain: Domain, position: f64) -> bool {
    let Domain::Interval { lower, upper } = domain else { return true };
    let turned = if variable.prismatic { position } else { lower + (position - lower).rem_euclid(TAU) };
    (lower..=upper).contains(&turned)
}
