//! What is known of the gaps of pairs from looks at other configurations.
//!
//! A pair that is far apart in one configuration is so in all that are near: in these it need not be looked at again.

use std::sync::Arc;

use super::scene::Scene;

/// For each pair of a scene, how far it is apart at least in a configuration that was looked at.
#[derive(Debug, Clone, Default)]
pub struct KnownGaps {
    /// The scene of which it is known.
    scene: Option<Arc<()>>,
    variables: usize,
    /// The configurations, one after the other \[rad or m\].
    places: Vec<f64>,
    /// The gaps \[m\]; negative infinity where nothing is known.
    gaps: Vec<f64>,
}

impl KnownGaps {
    /// Goes on with what is known of `scene`, which is nothing where another one was looked at last.
    pub(super) fn begin(&mut self, scene: &Scene) {
        if self.scene.as_ref().is_some_and(|known| Arc::ptr_eq(known, scene.identity())) {
            return;
        }
        self.scene = Some(Arc::clone(scene.identity()));
        self.variables = scene.variables();
        self.gaps.clear();
        self.gaps.resize(scene.pairs().len(), f64::NEG_INFINITY);
        self.places.resize(self.gaps.len() * self.variables, 0.0);
    }

    /// Notes that a pair is so far apart at least \[m\] at `positions`.
    pub(super) fn note(&mut self, pair: usize, positions: &[f64], gap: f64) {
        self.gaps[pair] = gap;
        self.places[pair * self.variables..][..self.variables].copy_from_slice(positions);
    }

    /// Whether a pair is proved to be no nearer than `margin` where each variable is between `low` and `high`.
    pub(super) fn keeps(&self, scene: &Scene, pair: usize, margin: f64, [low, high]: [&[f64]; 2]) -> bool {
        let place = &self.places[pair * self.variables..][..self.variables];
        let room = self.gaps[pair] - margin;
        room >= 0.0 && scene.greatest_motion_into(pair, place, [low, high]) <= room
    }

    /// Whether all pairs are proved to be no nearer than `margin` at `positions`.
    pub fn all_keep(&mut self, scene: &Scene, margin: f64, positions: &[f64]) -> bool {
        self.begin(scene);
        (0..self.gaps.len()).all(|pair| self.keeps(scene, pair, margin, [positions; 2]))
    }
}
