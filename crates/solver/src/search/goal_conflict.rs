//! The reason why targets and goals cannot be met together: the first of joint limits, reach, and the standing goals,
//! targets and other goals without which the rest can be met.

use std::ops::ControlFlow;

use super::attempts::SuccessfulAttempt;
use super::explore::{Exploration, MIN_ATTEMPTS_TO_EXPLAIN, Run};
use super::plan::AttemptPlan;
use super::setup::{Setup, SetupView};
use crate::solution::Part;
use crate::{Mode, Reason, Solution, Stop};
use urdf_ik_goals::TOLERANCE;

impl Run<'_> {
    /// Explains the failure of a search for goals by further searches of as many attempts.
    pub(super) fn explain(
        &self,
        setup: &mut Setup,
        exploration: &mut Exploration,
        solution: &Solution,
    ) -> Option<Reason> {
        let problem = self.input.problem;
        let Mode::Search { attempts, .. } = problem.mode else { return None };
        if attempts < MIN_ATTEMPTS_TO_EXPLAIN || problem.goals.is_empty() {
            return None;
        }
        let reason = self.find_reason(setup, exploration, solution, attempts);
        setup.set_goals(self.input);
        // Fewer goals have other solutions.
        exploration.clearance.begin();
        // A search that the deadline ended proves nothing.
        reason.filter(|_| !self.has_expired())
    }

    /// Changes the goals of `setup`.
    fn find_reason(
        &self,
        setup: &mut Setup,
        exploration: &mut Exploration,
        solution: &Solution,
        attempts: usize,
    ) -> Option<Reason> {
        let problem = self.input.problem;
        if let Some(is_outside) = exploration.meets_outside_limits(self, setup, attempts) {
            return is_outside.then_some(Reason::JointLimits);
        }
        let goals = (0..problem.goals.len()).map(Part::Goal);
        let violated =
            goals.clone().filter(|part| matches!(part, Part::Goal(goal) if solution.violations[*goal] > TOLERANCE));
        for part in violated {
            if !self.can_solve(setup, exploration, |other| other == part, false) {
                return Some(Reason::Unreachable { part });
            }
        }
        // Targets yield to standing goals: these limit them.
        let is_standing = |part: &Part| problem.is_standing(*part);
        let others =
            (0..problem.targets.len()).map(Part::Target).chain(goals.clone().filter(|part| !is_standing(part)));
        goals
            .filter(is_standing)
            .chain(others)
            .find(|part| self.can_solve(setup, exploration, |other| other != *part, true))
            .map(|part| Reason::Conflict { part })
    }

    /// True if attempts meet the parts of the problem that `keeps`, within the joint limits if it `has_limits`.
    fn can_solve(
        &self,
        setup: &mut Setup,
        exploration: &mut Exploration,
        keeps: impl Fn(Part) -> bool,
        has_limits: bool,
    ) -> bool {
        let (search, problem) = (self.input.search, self.input.problem);
        let Mode::Search { attempts, random_seed, .. } = problem.mode else { return false };
        setup.set_goals(self.input);
        setup.goals.retain(keeps);
        let setup = &*setup;
        let bounds = if has_limits { setup.bounds() } else { setup.unbounded() };
        let plan = AttemptPlan {
            view: SetupView { bounds, ..setup.view() },
            stop_reason: &|_| self.has_expired().then_some(Stop::Deadline),
            ..AttemptPlan::newton(search, setup, attempts, random_seed)
        };
        let Exploration { attempts, clearance, closest, .. } = exploration;
        let mut solved = false;
        attempts.rank(search, problem);
        attempts.run(&plan, closest, &mut |configurations, SuccessfulAttempt { lane, .. }| {
            solved = !has_limits || clearance.appraise_lane(problem, setup, configurations, lane).is_some();
            if solved { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        solved
    }
}
