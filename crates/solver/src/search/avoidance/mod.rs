//! Collision-free tracking.
//!
//! The result of tracking without collision checking is accepted if the straight joint motion from the seed to it is
//! clear. Otherwise [`descent`] moves from the seed towards the targets by damped least squares with one inequality
//! per pair near contact ([`rows`]), so the arm slides along an obstacle and stops where no joint motion helps. A
//! [`DualActiveSet`](urdf_ik_mathematics::dual_active_set::DualActiveSet) solves each step. Exact distances decide:
//! only the clear part of the motion from the seed to the end of the descent is returned.

mod descent;
mod rows;

use std::time::Instant;

use super::prepared_search::{Search, SearchInput};
use super::setup::Setup;
use super::solution_evaluator::SolutionEvaluator;
use crate::{Mode, Outcome, Problem, Reason, Solution, Stop, counted_axes};
use descent::{AvoidanceDescent, AvoidanceScratch};
use urdf_ik_collision::{MotionCheck, Near, NearStart, interpolate_into};

/// Largest violation of a required distance on the motion from the seed to the answer \[m\].
const RESOLUTION: f64 = 1e-3;
/// Smallest range beyond the margin within which pairs have rows \[m\]. It grows with the motion of bodies
/// without obstacles.
const MIN_RANGE: f64 = 1e-3;
/// Largest such range \[m\].
const MAX_RANGE: f64 = 0.05;

/// Makes tracked answers collision-free. Allocates when a clearance is first set, and for larger scenes.
#[derive(Debug, Clone)]
pub struct CollisionAvoidance {
    /// The problem as one of tracking.
    setup: Setup,
    descent: AvoidanceScratch,
    /// The seed within the limits \[rad or m\].
    seed: Vec<f64>,
    /// The pair that blocks the straight motion from the seed to the answer, if any.
    blocked_by: Option<Near>,
    answer: Vec<f64>,
    /// Unbounded steps.
    steps: Vec<f64>,
}

impl CollisionAvoidance {
    pub fn new(search: &Search) -> Self {
        Self {
            setup: Setup::new(search),
            descent: AvoidanceScratch::default(),
            seed: Vec::new(),
            blocked_by: None,
            answer: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Makes a `solution` that was tracked without collision checking collision-free: see [`Problem::clearance`].
    pub fn make_collision_free(
        &mut self,
        input: SearchInput,
        evaluator: &mut SolutionEvaluator,
        solution: &mut Solution,
    ) {
        let Some(clearance) = input.problem.clearance else { return };
        let start = Instant::now();
        self.begin_at_seed(input);
        let rule = MotionCheck { clearance, near_start: NearStart::KeepGap, resolution: RESOLUTION };
        if let Err(blocked_by) = rule.check(&[&self.seed, &solution.positions], None, &mut self.descent.segment) {
            self.blocked_by = blocked_by;
            self.avoid(input, evaluator, solution);
        } else {
            let (within, scene) = (clearance.margin + MIN_RANGE, &mut self.descent.segment.scene);
            scene.near.clear();
            if !clearance.scene.is_free(&solution.positions, within, scene) {
                clearance.scene.find_near(&solution.positions, within, scene);
            }
        }
        solution.nearest = self.descent.segment.scene.nearest().map(|near| (near.pair, near.distance));
        solution.elapsed += start.elapsed();
    }

    /// After a search without a collision-free solution, tracks from the seed as near to the targets as
    /// obstacles allow.
    pub fn approach(&mut self, input: SearchInput, evaluator: &mut SolutionEvaluator, solution: &mut Solution) {
        self.begin_at_seed(input);
        let mut steps = std::mem::take(&mut self.steps);
        steps.resize(input.search.variables(), f64::INFINITY);
        let track = Problem { mode: Mode::Track { max_step: &steps }, ..*input.problem };
        self.avoid(SearchInput { problem: &track, ..input }, evaluator, solution);
        self.steps = steps;
    }

    fn begin_at_seed(&mut self, input: SearchInput) {
        self.seed.clear();
        self.seed.extend(input.problem.seed.iter().enumerate().map(|(i, seed)| input.domain(i).clamp(*seed)));
        self.blocked_by = None;
    }

    /// Replaces a solution whose motion is blocked by one with a clear motion.
    fn avoid(&mut self, input: SearchInput, evaluator: &mut SolutionEvaluator, solution: &mut Solution) {
        let SearchInput { search, problem } = input;
        let Some(clearance) = &problem.clearance else { return };
        let Self { setup, descent, seed, blocked_by, answer, .. } = self;
        let wanted = clearance.scene.greatest_motion(seed, &solution.positions);
        let range = wanted.clamp(MIN_RANGE, MAX_RANGE);
        setup.set(input);
        let avoidance = AvoidanceDescent { search, problem, clearance, setup, range };
        solution.iterations += avoidance.run(&mut evaluator.configurations, descent);
        let AvoidanceScratch { segment, best, limited_by, .. } = descent;
        let part = clearance.free_part(seed, &best.positions, RESOLUTION, segment);
        answer.resize(seed.len(), 0.0);
        interpolate_into(seed, &best.positions, part.fraction, answer);
        evaluator.evaluate(input, setup, answer, solution);
        clearance.scene.find_near(answer, clearance.margin + range, &mut segment.scene);
        solution.stop = if solution.is_solved() { Stop::Converged } else { Stop::Attempts };
        if let Some(limited_by) = part.stopped_by.or(*limited_by).or(*blocked_by)
            && !solution.is_solved()
        {
            let there = segment.scene.near.iter().find(|near| near.pair == limited_by.pair);
            let distance = there.unwrap_or(&limited_by).distance;
            solution.outcome = Outcome::Closest(Reason::Collision { pair: limited_by.pair, distance });
        }
        let decomposed = evaluator.decompose(search, &setup.goals, answer);
        let smallest = decomposed.smallest_singular_value(counted_axes(problem.targets));
        solution.smallest_singular_value = (!problem.targets.is_empty()).then_some(smallest);
    }
}
