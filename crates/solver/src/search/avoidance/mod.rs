//! Tracking that keeps clear.
//!
//! The answer that tracking gives without regard to collisions stands where the straight motion from the seed to it keeps clear. Otherwise
//! [`descent`] goes from the seed towards the targets by damped least squares, in which every pair near contact is an inequality
//! ([`rows`]): it may come as near as it has to keep, so the arm slides along an obstacle, and stops where none of its joints leads on. A
//! [`DualActiveSet`](urdf_ik_mathematics::dual_active_set::DualActiveSet) solves each step. The exact distances have the last word: of the motion from the
//! seed to where the descent ends only the part that keeps clear is made.

mod descent;
mod rows;
pub mod scratch;

use std::time::Instant;

use super::prepared_search::Search;
use super::scratch::SearchScratch;
use crate::problem::{Mode, Problem};
use crate::solution::{Outcome, Reason, Solution, Stop};
use descent::Descent;
use scratch::AvoidanceScratch;
use urdf_ik_collision::{Clearance, Near, Nearer, Rule, write_between};

/// Between the seed and the answer no pair comes nearer by more than this than it has to keep \[m\].
const RESOLUTION: f64 = 1e-3;
/// How far beyond the margin pairs are looked at \[m\]: as far as bodies would move without obstacles, within these bounds.
const LEAST_LOOK: f64 = 1e-3;
const GREATEST_LOOK: f64 = 0.05;

impl Search {
    /// Makes `solution`, tracked without regard to collisions, keep clear: see [`Problem::clearance`].
    pub fn keep_clear(
        &self,
        problem: &Problem,
        clearance: &Clearance,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
    ) {
        let start = Instant::now();
        self.begin_at_seed(problem, &mut scratch.avoidance);
        let AvoidanceScratch { segment, seed, .. } = &mut scratch.avoidance;
        let rule = Rule { clearance: *clearance, nearer: Nearer::Keeps, resolution: RESOLUTION };
        if let Err(stopped_by) = rule.check(&[seed, &solution.positions], None, segment) {
            self.avoid(problem, clearance, stopped_by, scratch, solution);
        } else {
            let within = clearance.margin + LEAST_LOOK;
            segment.scene.near.clear();
            if !clearance.scene.is_free(&solution.positions, within, &mut segment.scene) {
                clearance.scene.find_near(&solution.positions, within, &mut segment.scene);
            }
        }
        let nearest = scratch.avoidance.segment.scene.nearest();
        solution.nearest = nearest.map(|near| (near.pair, near.distance));
        solution.elapsed += start.elapsed();
    }

    /// Makes an answer as near to the targets as the arm comes from the seed, where the search for `problem` found none that keeps clear.
    pub fn approach(
        &self,
        problem: &Problem,
        clearance: &Clearance,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
    ) {
        self.begin_at_seed(problem, &mut scratch.avoidance);
        let mut steps = std::mem::take(&mut scratch.avoidance.steps);
        steps.resize(self.variables(), f64::INFINITY);
        let track = Problem { mode: Mode::Track { max_step: &steps }, ..*problem };
        self.avoid(&track, clearance, None, scratch, solution);
        scratch.avoidance.steps = steps;
    }

    /// Writes the seed inside the limits.
    fn begin_at_seed(&self, problem: &Problem, scratch: &mut AvoidanceScratch) {
        let variables = self.chain.variables().iter().zip(problem.seed).enumerate();
        let inside = variables.map(|(i, (variable, seed))| problem.domain(i, variable.domain).clamp(*seed));
        scratch.seed.clear();
        scratch.seed.extend(inside);
    }

    /// Makes an answer whose way is free in place of one whose way is not.
    fn avoid(
        &self,
        problem: &Problem,
        clearance: &Clearance,
        stopped_by: Option<Near>,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
    ) {
        let SearchScratch { setup, exploration, avoidance, verdict, singular_values, .. } = scratch;
        let AvoidanceScratch { segment, descent, seed, answer, .. } = avoidance;
        let wished = clearance.scene.greatest_motion(seed, &solution.positions);
        let look = wished.clamp(LEAST_LOOK, GREATEST_LOOK);
        self.set_up(problem, setup);
        let way = Descent { search: self, problem, clearance, setup, look };
        solution.iterations += way.go(&mut exploration.attempts.configurations, segment, descent);
        let part = clearance.free_part(seed, descent.best(), RESOLUTION, segment);
        answer.resize(seed.len(), 0.0);
        write_between(seed, descent.best(), part.fraction, answer);
        self.judge(problem, setup, answer, verdict, solution);
        clearance.scene.find_near(answer, clearance.margin + look, &mut segment.scene);
        solution.stop = if solution.is_solved() { Stop::Converged } else { Stop::Attempts };
        if let Some(held_by) = part.stopped_by.or(descent.held_by).or(stopped_by)
            && !solution.is_solved()
        {
            let there = segment.scene.near.iter().find(|near| near.pair == held_by.pair);
            let distance = there.unwrap_or(&held_by).distance;
            solution.outcome = Outcome::Closest(Reason::Collision { pair: held_by.pair, distance });
        }
        let targets = (problem.targets, &*setup.goals);
        solution.smallest_singular_value = Some(self.smallest_singular_value_at(targets, answer, singular_values));
    }
}
