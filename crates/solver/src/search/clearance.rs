//! Whether configurations that meet the targets are collision-free and accepted.

use super::candidate::BestCandidates;
use super::prepared_search::Search;
use super::setup::Setup;
use crate::kernel::Configurations;
use crate::{Outcome, Problem, Reason, Solution};
use urdf_ik_collision::{Clearance, RequiredGaps, SceneScratch};

/// Collision check, acceptance and cost of configurations.
#[derive(Debug, Clone)]
pub struct ClearanceCheck {
    /// Configurations that met the targets in collision, in the order of their largest move from the seed.
    pub blocked: BestCandidates,
    /// True if a collision-free configuration that met the targets was rejected.
    pub has_refused: bool,
    scene: SceneScratch,
    /// A configuration as it would be returned \[rad or m\].
    positions: Vec<f64>,
    /// Required distances of pairs that are within the margin at the seed.
    required_gaps: RequiredGaps,
    /// True if `required_gaps` is computed.
    seed_is_known: bool,
    /// Pairs known to be outside the margin at the seed.
    clear_at_seed: Vec<usize>,
}

impl ClearanceCheck {
    pub fn new(search: &Search) -> Self {
        Self {
            blocked: BestCandidates::none(search.variables()),
            has_refused: false,
            scene: SceneScratch::default(),
            positions: vec![0.0; search.variables()],
            required_gaps: RequiredGaps::default(),
            seed_is_known: false,
            clear_at_seed: Vec::new(),
        }
    }

    /// Resets the state of the previous problem.
    pub fn begin(&mut self) {
        self.blocked.clear();
        self.has_refused = false;
        self.seed_is_known = false;
        self.clear_at_seed.clear();
    }

    /// True if `positions` \[rad or m\], one per variable, respect the clearance of the problem: no pair touches, and
    /// each is outside the margin or at least as distant as at the seed. True without a clearance.
    // Not inlined, to keep problems without a clearance fast.
    #[inline(never)]
    pub fn is_clear(&mut self, problem: &Problem, positions: &[f64]) -> bool {
        let Some(clearance) = &problem.clearance else { return true };
        let ClearanceCheck { scene, required_gaps, seed_is_known, clear_at_seed, .. } = self;
        let Err(near) = clearance.scene.check(positions, clearance.margin, scene) else { return true };
        if !*seed_is_known {
            // Pairs outside the margin at the seed must stay outside.
            let is_known = clear_at_seed.contains(&near);
            if is_known || clearance.scene.is_pair_free(near, problem.seed, clearance.margin, scene) {
                if !is_known {
                    clear_at_seed.push(near);
                }
                return false;
            }
            *seed_is_known = true;
            clearance.scene.find_near(problem.seed, clearance.margin, scene);
            required_gaps.begin(&scene.near, clearance.margin);
        }
        if !required_gaps.is_empty() {
            clearance.scene.find_near(positions, clearance.margin, scene);
            let touches = scene.near.iter().any(|near| near.distance <= 0.0);
            return !touches && required_gaps.worst(&scene.near).is_none();
        }
        false
    }

    /// The cost of `positions` \[rad or m\] that meet the targets: 0 if the problem has no cost, `None` if they are in
    /// collision or rejected.
    pub fn appraise(&mut self, problem: &Problem, positions: &[f64]) -> Option<f64> {
        if !self.is_clear(problem, positions) {
            let moves = positions.iter().zip(problem.seed).map(|(position, seed)| (position - seed).abs());
            self.blocked.insert((moves.fold(0.0, f64::max), 0), |blocked| blocked.copy_from_slice(positions));
            return None;
        }
        let is_accepted = problem.accepts.is_none_or(|accepts| accepts(positions));
        let cost = is_accepted.then(|| problem.cost.map_or(0.0, |cost| cost(positions)));
        let cost = cost.filter(|cost| *cost < f64::INFINITY);
        self.has_refused |= cost.is_none();
        cost
    }

    /// Appraises a collision-free answer. If it is not accepted and a configuration was rejected, sets the outcome of
    /// `solution` to [`Reason::Refused`].
    pub fn appraise_answer(&mut self, problem: &Problem, solution: &mut Solution) {
        let unhindered = Problem { clearance: None, ..*problem };
        if solution.is_solved() && self.appraise(&unhindered, &solution.positions).is_some() {
            return;
        }
        if self.has_refused {
            solution.outcome = Outcome::Closest(Reason::Refused);
        }
    }

    /// The cost of a lane that meets the targets, at the positions to return: see [`Self::appraise`].
    #[inline]
    pub fn appraise_lane(
        &mut self,
        problem: &Problem,
        setup: &Setup,
        configurations: &Configurations,
        lane: usize,
    ) -> Option<f64> {
        if problem.clearance.is_none() && problem.accepts.is_none() && problem.cost.is_none() {
            return Some(0.0);
        }
        self.appraise_folded(problem, setup, |positions| configurations.read(lane, positions))
    }

    /// A pair that blocks one of `solutions`, with its distance \[m\] at `positions`. All configurations are in \[rad
    /// or m\], and `solutions` meet the targets. A pair with an obstacle has precedence over earlier pairs.
    pub fn blocking<'a>(
        &mut self,
        problem: &Problem,
        solutions: impl Iterator<Item = &'a [f64]>,
        positions: &[f64],
    ) -> Option<Reason> {
        let Clearance { scene, margin } = problem.clearance?;
        let mut found = None;
        for solution in solutions {
            scene.find_near(solution, margin, &mut self.scene);
            let mut pairs = self.scene.near.iter().map(|near| near.pair);
            found = found.or(pairs.clone().next());
            if let Some(pair) = pairs.find(|pair| scene.has_obstacle(*pair)) {
                found = Some(pair);
                break;
            }
        }
        let pair = found?;
        scene.find_near(positions, f64::INFINITY, &mut self.scene);
        let near = self.scene.near.iter().find(|near| near.pair == pair)?;
        Some(Reason::Collision { pair, distance: near.distance })
    }

    /// [`Self::is_clear`] at the positions of a lane.
    pub fn is_lane_clear(&mut self, problem: &Problem, configurations: &Configurations, lane: usize) -> bool {
        let mut positions = std::mem::take(&mut self.positions);
        configurations.read(lane, &mut positions);
        let is_clear = self.is_clear(problem, &positions);
        self.positions = positions;
        is_clear
    }

    /// The cost of a configuration at the positions to return: see [`Self::appraise`]. `read` writes its positions
    /// \[rad or m\] without full revolutions.
    pub fn appraise_folded(&mut self, problem: &Problem, setup: &Setup, read: impl FnOnce(&mut [f64])) -> Option<f64> {
        let mut positions = std::mem::take(&mut self.positions);
        read(&mut positions);
        setup.fold(problem, &mut positions);
        let cost = self.appraise(problem, &positions);
        self.positions = positions;
        cost
    }
}
