//! Whether configurations keep clear of collisions.

use super::prepared_search::Search;
use super::setup::Setup;
use crate::kernel::configurations::Configurations;
use crate::problem::Problem;
use urdf_ik_collision::{Floors, SceneScratch};

/// Where clearances are looked at.
#[derive(Debug, Clone)]
pub struct ClearanceScratch {
    scene: SceneScratch,
    /// A configuration as it would be handed out.
    positions: Vec<f64>,
    /// What pairs have to keep that are within the margin at the seed.
    floors: Floors,
    /// Whether all pairs have been looked at there.
    seed_is_known: bool,
    /// Pairs that are not within the margin there.
    clear_at_seed: Vec<usize>,
}

impl ClearanceScratch {
    pub fn new(search: &Search) -> Self {
        Self {
            scene: SceneScratch::default(),
            positions: vec![0.0; search.variables()],
            floors: Floors::default(),
            seed_is_known: false,
            clear_at_seed: Vec::new(),
        }
    }

    /// Forgets the problem before.
    pub fn begin(&mut self) {
        self.seed_is_known = false;
        self.clear_at_seed.clear();
    }

    /// Whether `positions` keep the clearance of the problem: every pair is farther apart than the margin, or as far as at the seed. It is
    /// not inlined: who has no clearance should not carry it along.
    #[inline(never)]
    pub fn is_clear(&mut self, problem: &Problem, positions: &[f64]) -> bool {
        let Some(clearance) = &problem.clearance else { return true };
        let ClearanceScratch { scene, floors, seed_is_known, clear_at_seed, .. } = self;
        let Err(near) = clearance.scene.check(positions, clearance.margin, scene) else { return true };
        if !*seed_is_known {
            // A pair that is not within the margin at the seed has to keep it.
            let is_known = clear_at_seed.contains(&near);
            if is_known || clearance.scene.is_pair_free(near, problem.seed, clearance.margin, scene) {
                if !is_known {
                    clear_at_seed.push(near);
                }
                return false;
            }
            *seed_is_known = true;
            clearance.scene.find_near(problem.seed, clearance.margin, scene);
            floors.begin(&scene.near, clearance.margin);
        }
        if !floors.is_empty() {
            clearance.scene.find_near(positions, clearance.margin, scene);
            let touches = scene.near.iter().any(|near| near.distance <= 0.0);
            return !touches && floors.worst(&scene.near).is_none();
        }
        false
    }
}

impl Search {
    /// Whether the configuration of a lane, as it would be handed out, keeps the clearance of the problem.
    #[inline]
    pub fn lane_is_clear(
        &self,
        problem: &Problem,
        setup: &Setup,
        (configurations, lane): (&Configurations, usize),
        scratch: &mut ClearanceScratch,
    ) -> bool {
        if problem.clearance.is_none() {
            return true;
        }
        let mut positions = std::mem::take(&mut scratch.positions);
        configurations.read(lane, &mut positions);
        self.fold(problem, setup, &mut positions);
        let clear = scratch.is_clear(problem, &positions);
        scratch.positions = positions;
        clear
    }
}
