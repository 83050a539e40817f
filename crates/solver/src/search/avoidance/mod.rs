//! Tracking that keeps clear.
//!
//! The answer that tracking gives without regard to collisions stands where the straight motion from the seed to it keeps clear. Otherwise
//! [`descent`] goes from the seed towards the targets by damped least squares, in which every pair near contact is an inequality
//! ([`rows`]): it may come as near as it has to keep, so the arm slides along an obstacle, and stops where none of its joints leads on. A
//! [`DualActiveSet`](urdf_ik_mathematics::dual_active_set::DualActiveSet) solves each step. The exact distances decide: of the motion from the
//! seed to where the descent ends only the part that keeps clear is made.

mod descent;
mod rows;

use std::time::Instant;

use super::prepared_search::Posed;
use super::setup::Setup;
use super::verdict::Verdict;
use crate::{Mode, Outcome, Problem, Reason, Solution, Stop, counted_axes};
use descent::{Descent, DescentScratch};
use urdf_ik_collision::{Near, Nearer, Rule, write_between};

/// Between the seed and the answer no pair comes nearer by more than this than it has to keep \[m\].
const RESOLUTION: f64 = 1e-3;
/// Pairs are looked at as far beyond the margin as bodies would move without obstacles, and no less than this \[m\].
const MIN_LOOK: f64 = 1e-3;
/// Pairs are looked at no farther beyond the margin than this \[m\].
const MAX_LOOK: f64 = 0.05;

/// Keeps a tracked answer clear. It makes room when a clearance is first given, and for larger scenes.
#[derive(Debug, Clone, Default)]
pub struct Avoidance {
    descent: DescentScratch,
    /// The seed inside the limits.
    seed: Vec<f64>,
    /// The pair that stops the straight motion from there to the answer, where one does.
    stopped_by: Option<Near>,
    answer: Vec<f64>,
    /// No bounds of steps.
    steps: Vec<f64>,
}

impl Avoidance {
    /// Makes `solution`, tracked without regard to collisions, keep clear: see [`Problem::clearance`].
    pub fn keep_clear(&mut self, posed: Posed, setup: &mut Setup, verdict: &mut Verdict, solution: &mut Solution) {
        let Some(clearance) = posed.problem.clearance else { return };
        let start = Instant::now();
        self.begin_at_seed(posed);
        let rule = Rule { clearance, nearer: Nearer::Keeps, resolution: RESOLUTION };
        if let Err(stopped_by) = rule.check(&[&self.seed, &solution.positions], None, &mut self.descent.segment) {
            self.stopped_by = stopped_by;
            self.avoid(posed, setup, verdict, solution);
        } else {
            let (within, scene) = (clearance.margin + MIN_LOOK, &mut self.descent.segment.scene);
            scene.near.clear();
            if !clearance.scene.is_free(&solution.positions, within, scene) {
                clearance.scene.find_near(&solution.positions, within, scene);
            }
        }
        solution.nearest = self.descent.segment.scene.nearest().map(|near| (near.pair, near.distance));
        solution.elapsed += start.elapsed();
    }

    /// Makes an answer as near to the targets as the arm comes from the seed, where a search found none that keeps clear.
    pub fn approach(&mut self, posed: Posed, setup: &mut Setup, verdict: &mut Verdict, solution: &mut Solution) {
        self.begin_at_seed(posed);
        let mut steps = std::mem::take(&mut self.steps);
        steps.resize(posed.search.variables(), f64::INFINITY);
        let track = Problem { mode: Mode::Track { max_step: &steps }, ..*posed.problem };
        self.avoid(Posed { problem: &track, ..posed }, setup, verdict, solution);
        self.steps = steps;
    }

    /// Writes the seed inside the limits.
    fn begin_at_seed(&mut self, posed: Posed) {
        self.seed.clear();
        self.seed.extend(posed.problem.seed.iter().enumerate().map(|(i, seed)| posed.domain(i).clamp(*seed)));
        self.stopped_by = None;
    }

    /// Makes an answer whose way is free in place of one whose way is not.
    fn avoid(&mut self, posed: Posed, setup: &mut Setup, verdict: &mut Verdict, solution: &mut Solution) {
        let Posed { search, problem } = posed;
        let Some(clearance) = &problem.clearance else { return };
        let Self { descent, seed, stopped_by, answer, .. } = self;
        let wanted = clearance.scene.greatest_motion(seed, &solution.positions);
        let look = wanted.clamp(MIN_LOOK, MAX_LOOK);
        setup.set(posed);
        let way = Descent { search, problem, clearance, setup, look };
        solution.iterations += way.go(&mut verdict.configurations, descent);
        let DescentScratch { segment, best, held_by, .. } = descent;
        let part = clearance.free_part(seed, &best.positions, RESOLUTION, segment);
        answer.resize(seed.len(), 0.0);
        write_between(seed, &best.positions, part.fraction, answer);
        verdict.judge(posed, setup, answer, solution);
        clearance.scene.find_near(answer, clearance.margin + look, &mut segment.scene);
        solution.stop = if solution.is_solved() { Stop::Converged } else { Stop::Attempts };
        if let Some(held_by) = part.stopped_by.or(*held_by).or(*stopped_by)
            && !solution.is_solved()
        {
            let there = segment.scene.near.iter().find(|near| near.pair == held_by.pair);
            let distance = there.unwrap_or(&held_by).distance;
            solution.outcome = Outcome::Closest(Reason::Collision { pair: held_by.pair, distance });
        }
        let decomposed = verdict.decompose(search, &setup.goals, answer);
        solution.smallest_singular_value = Some(decomposed.smallest_singular_value(counted_axes(problem.targets)));
    }
}
