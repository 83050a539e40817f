//! Clearance that the measured arm loses by lag and sag, for which the margin of the command is widened.
//!
//! Only pairs measured inside the margin count. While the command separates a pair, the arm moves away, and lag is
//! harmless. The loss of a pair counts until the command satisfies the wider margin: otherwise the arm would
//! repeatedly stop, catch up, and continue.

use std::sync::Arc;

use super::Avoidance;
use urdf_ik_collision::{Near, Scene, SceneScratch};

/// Distance beyond the margin at which command gaps are saturated \[m\].
const HORIZON: f64 = 0.05;
/// Minimum increase of the gap of a separating pair per tick \[m\].
const ROUNDING: f64 = 1e-9;

/// The loss of clearance from tick to tick.
#[derive(Default)]
pub(crate) struct ClearanceLoss {
    /// The scene of the pairs.
    scene: Option<Arc<Scene>>,
    /// The pairs measured inside the margin at the last tick, with their gaps at the commanded configuration.
    inside: Vec<PairLength>,
    /// Commanded minus measured gap of the pair with the largest loss.
    kept: Option<PairLength>,
    scratch: SceneScratch,
}

/// A length of a pair of bodies.
#[derive(Clone, Copy)]
struct PairLength {
    /// Index of the pair.
    pair: usize,
    /// \[m\].
    length: f64,
}

impl ClearanceLoss {
    /// The current loss \[m\]; `commanded` and `measured` are positions of the chain's variables.
    pub(crate) fn update(&mut self, avoidance: &Avoidance, commanded: &[f64], measured: &[f64]) -> f64 {
        let Avoidance { scene, margin, .. } = avoidance;
        if !self.scene.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, scene)) {
            *self =
                Self { scene: Some(Arc::clone(scene)), scratch: std::mem::take(&mut self.scratch), ..Self::default() };
        }
        scene.find_near(measured, *margin, &mut self.scratch);
        let measured: Vec<Near> = self.scratch.near.clone();
        if measured.is_empty() && self.kept.is_none() {
            self.inside.clear();
            return 0.0;
        }
        scene.find_near(commanded, margin + HORIZON, &mut self.scratch);
        let near = &self.scratch.near;
        let gap = |pair: usize| near.iter().find(|near| near.pair == pair).map_or(margin + HORIZON, Near::gap);
        self.kept = self.kept.filter(|kept| gap(kept.pair) < margin + kept.length);
        let inside: Vec<PairLength> =
            measured.iter().map(|near| PairLength { pair: near.pair, length: gap(near.pair) }).collect();
        for (near, now) in measured.iter().zip(&inside) {
            let before = self.inside.iter().find(|before| before.pair == now.pair);
            let opens = before.is_some_and(|before| now.length > before.length + ROUNDING);
            let loss = now.length - near.gap();
            if !opens && loss > self.kept.map_or(0.0, |kept| kept.length) {
                self.kept = Some(PairLength { pair: now.pair, length: loss });
            }
        }
        self.inside = inside;
        self.kept.map_or(0.0, |kept| kept.length)
    }
}
