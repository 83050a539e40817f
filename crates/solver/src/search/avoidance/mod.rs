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

use super::clearance::ClearanceCheck;
use super::explore::Run;
use super::prepared_search::{Search, SearchInput};
use super::setup::Setup;
use super::solution_evaluator::SolutionEvaluator;
use crate::{Mode, Outcome, Problem, Reason, Solution, Stop, counted_axes};
use descent::{AvoidanceDescent, AvoidanceScratch};
use urdf_ik_collision::{Clearance, MotionCheck, Near, NearStart, interpolate_into};

/// Largest violation of a required distance on the motion from the seed to the answer \[m\].
const RESOLUTION: f64 = 1e-3;
/// Smallest range beyond the margin within which pairs have rows \[m\]. It grows with the motion of bodies
/// without obstacles.
const MIN_RANGE: f64 = 1e-3;
/// Largest such range \[m\].
const MAX_RANGE: f64 = 0.05;

/// Tracking towards the targets goes on while it leaves at most this fraction of the squared error.
const MAX_REMAINDER: f64 = 0.99;

/// Largest number of configurations from which the targets are approached: more take longer, and seldom come nearer.
const MAX_ENDS: usize = 5;
/// Fractions of the motion from a configuration in collision to the seed at which it may be clear.
const RETREATS: [f64; 9] = [0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1.0];

/// Makes tracked answers collision-free. Allocates when a clearance is first set, and for larger scenes.
#[derive(Debug, Clone)]
pub struct CollisionAvoidance {
    /// The problem as one of tracking.
    setup: Setup,
    descent: AvoidanceScratch,
    /// Memory for a seed within the limits, a start, and the best answer of several.
    seed: Vec<f64>,
    start: Vec<f64>,
    best: Vec<f64>,
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
            start: Vec::new(),
            best: Vec::new(),
            blocked_by: None,
            answer: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Makes a `solution` that was tracked without collision checking collision-free, in place: see
    /// [`Problem::clearance`].
    pub fn make_collision_free(
        &mut self,
        input: SearchInput,
        evaluator: &mut SolutionEvaluator,
        solution: &mut Solution,
    ) {
        let Some(clearance) = input.problem.clearance else { return };
        let start = Instant::now();
        let seed = self.take_seed(input);
        let rule = MotionCheck { clearance, near_start: NearStart::KeepGap, resolution: RESOLUTION };
        if let Err(blocked_by) = rule.check(&[&seed, &solution.positions], None, &mut self.descent.segment) {
            self.blocked_by = blocked_by;
            let problem = Problem { seed: &seed, ..*input.problem };
            self.avoid(SearchInput { problem: &problem, ..input }, evaluator, solution);
        } else {
            let (within, scene) = (clearance.margin + MIN_RANGE, &mut self.descent.segment.scene);
            scene.near.clear();
            if !clearance.scene.is_free(&solution.positions, within, scene) {
                clearance.scene.find_near(&solution.positions, within, scene);
            }
        }
        self.seed = seed;
        solution.nearest = self.descent.segment.scene.nearest().map(|near| (near.pair, near.distance));
        solution.elapsed += start.elapsed();
    }

    /// After a search without a collision-free solution, tracks as near to the targets as obstacles allow, and writes
    /// the result into `solution`. The starts are the seed, the end of the search, and its solutions in collision,
    /// moved towards the seed until they are clear.
    pub fn approach(
        &mut self,
        run: &Run,
        clearance: &mut ClearanceCheck,
        evaluator: &mut SolutionEvaluator,
        solution: &mut Solution,
    ) {
        let SearchInput { search, problem } = run.input;
        let (seed, mut start) = (self.take_seed(run.input), std::mem::take(&mut self.start));
        let (mut best, mut ends) = (std::mem::take(&mut self.best), std::mem::take(&mut clearance.blocked));
        best.clone_from(&seed);
        start.clone_from(&seed);
        // Negative ranks precede those of solutions.
        ends.insert((-2.0, 0), |positions| positions.copy_from_slice(&seed));
        ends.insert((-1.0, 0), |positions| positions.copy_from_slice(&solution.positions));
        let (mut best_rank, mut outcome) = ((true, f64::INFINITY), solution.outcome);
        for (index, end) in ends.candidates().iter().take(MAX_ENDS).enumerate() {
            if index > 0 && (run.has_expired() || solution.is_solved()) {
                break;
            }
            for retreat in RETREATS {
                interpolate_into(&end.positions, &seed, retreat, &mut start);
                if clearance.is_clear(problem, &start) {
                    break;
                }
            }
            self.track_on(run, &mut start, evaluator, solution);
            // Tracking allows its seed in any case, but a search has no solution in collision.
            let collides = self.collides(problem, &solution.positions);
            if collides && solution.is_solved() {
                solution.outcome = Outcome::Closest(Reason::NotConverged);
            }
            let rank = (collides, solution.squared_error);
            if rank < best_rank {
                (best_rank, outcome) = (rank, solution.outcome);
                best.copy_from_slice(&solution.positions);
            }
        }
        evaluator.measure(search, problem, &best, solution);
        let names_no_obstacle = match outcome {
            Outcome::Closest(Reason::Collision { pair, .. }) => {
                problem.clearance.is_some_and(|clearance| !clearance.scene.has_obstacle(pair))
            }
            _ => outcome == Outcome::Closest(Reason::NotConverged),
        };
        solution.outcome = outcome;
        let solutions = ends.candidates().iter().rev().map(|end| &*end.positions);
        if names_no_obstacle && let Some(reason) = clearance.blocking(problem, solutions, &best) {
            solution.outcome = Outcome::Closest(reason);
        }
        (self.seed, self.start, self.best, clearance.blocked) = (seed, start, best, ends);
    }

    /// True if two bodies touch. Pairs within the margin at the seed may stay there.
    fn collides(&mut self, problem: &Problem, positions: &[f64]) -> bool {
        let scratch = &mut self.descent.segment.scene;
        problem.clearance.is_some_and(|Clearance { scene, .. }| !scene.is_free(positions, 0.0, scratch))
    }

    /// Tracks from `seed`, and on from each answer, until no further step comes nearer.
    fn track_on(&mut self, run: &Run, seed: &mut [f64], evaluator: &mut SolutionEvaluator, solution: &mut Solution) {
        let mut steps = std::mem::take(&mut self.steps);
        steps.resize(seed.len(), f64::INFINITY);
        let mut left = f64::INFINITY;
        loop {
            let track = Problem { mode: Mode::Track { max_step: &steps }, seed, ..*run.input.problem };
            self.avoid(SearchInput { problem: &track, ..run.input }, evaluator, solution);
            if solution.is_solved() || run.has_expired() || solution.squared_error > MAX_REMAINDER * left {
                break;
            }
            left = solution.squared_error;
            seed.copy_from_slice(&solution.positions);
        }
        self.steps = steps;
    }

    /// The seed within the limits \[rad or m\], in memory to be returned.
    fn take_seed(&mut self, input: SearchInput) -> Vec<f64> {
        let mut seed = std::mem::take(&mut self.seed);
        seed.clear();
        seed.extend(input.problem.seed.iter().enumerate().map(|(i, seed)| input.domain(i).clamp(*seed)));
        self.blocked_by = None;
        seed
    }

    /// Replaces a solution whose motion from the seed, which is within the limits, is blocked by one with a clear
    /// motion.
    fn avoid(&mut self, input: SearchInput, evaluator: &mut SolutionEvaluator, solution: &mut Solution) {
        let SearchInput { search, problem } = input;
        let Some(clearance) = &problem.clearance else { return };
        let Self { setup, descent, blocked_by, answer, .. } = self;
        let seed = problem.seed;
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
