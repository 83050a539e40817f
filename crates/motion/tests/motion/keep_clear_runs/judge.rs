//! The judge of a run reads positions alone: every pair keeps the margin minus the transit allowance. An obstacle that
//! appeared within the braking distance counts once the arm is at rest: then pairs that are too near may only separate.

use std::collections::HashMap;

use urdf_ik::collision::{Near, Scene, SceneScratch};
use urdf_ik::motion::TRANSIT_ALLOWANCE;

use super::MARGIN;

/// Resolution of gaps \[m\]: the depth of a round shape is found by iterations.
const ROUNDING: f64 = 1e-6;

/// The result of a run.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// The least gap of pairs under the rule \[m\].
    pub least: f64,
    /// The first violation, in words.
    pub broken: Option<String>,
    /// Path length of the joint that moved most \[rad\].
    pub moved: f64,
    /// Number of steps along the fail-safe motion.
    pub held: usize,
}

/// Judges states, one after the other.
#[derive(Default)]
pub(super) struct Judge {
    /// Pairs that events brought too near, with their last gaps \[m\].
    excused: HashMap<String, f64>,
    /// Whether the arm has not been at rest since.
    is_caught: bool,
    scratch: SceneScratch,
}

impl Judge {
    /// Registers an event around an arm at `positions`.
    pub(super) fn begin(&mut self, scene: &Scene, positions: &[f64], stands: bool) {
        self.is_caught = !stands;
        let near = self.too_near(scene, positions);
        self.excused = near.into_iter().collect();
    }

    /// Returns the least gap of the pairs under the rule \[m\], and a violation.
    pub(super) fn check(&mut self, scene: &Scene, positions: &[f64], stands: bool) -> (f64, Option<String>) {
        let near = self.too_near(scene, positions);
        let least = self.scratch.near.iter().map(Near::gap).fold(f64::INFINITY, f64::min);
        let mut excused = HashMap::new();
        for (pair, gap) in near {
            let last = self.excused.get(&pair).copied();
            if last.is_none() && !self.is_caught {
                return (least, Some(format!("{pair} are {gap:.5} m apart")));
            }
            if let Some(last) = last
                && !self.is_caught
                && gap < last - ROUNDING
            {
                return (least, Some(format!("{pair} close from {last:.6} to {gap:.6} m")));
            }
            excused.insert(pair, gap);
        }
        self.is_caught &= !stands;
        let is_excused = !excused.is_empty();
        self.excused = excused;
        (if is_excused { f64::INFINITY } else { least }, None)
    }

    /// The pairs below the margin minus the allowance, with their gaps \[m\].
    fn too_near(&mut self, scene: &Scene, positions: &[f64]) -> Vec<(String, f64)> {
        scene.find_near(positions, MARGIN, &mut self.scratch);
        let near = self.scratch.near.iter().filter(|near| near.gap() < MARGIN - TRANSIT_ALLOWANCE - 1e-7);
        let named = |near: &Near| {
            let [first, second] = scene.pairs().nth(near.pair).unwrap();
            (format!("{first} and {second}"), near.gap())
        };
        near.map(named).collect()
    }
}
