//! The gaps that pairs have to keep when they start nearer than the margin.
//!
//! A pair that is far apart in one configuration is so in all that are near: in these it need not be looked at again.

use std::sync::Arc;

use crate::narrow_phase::TOUCHING;
use crate::scene::Scene;
use crate::scene::near::Near;

/// A pair that starts nearer may come nearer by this much, which is rounding \[m\].
const ROUNDING: f64 = 1e-9;
/// A pair that touches may go deeper by this much: depths are found less exactly \[m\].
const ROUNDING_OF_DEPTHS: f64 = TOUCHING;

/// Pairs that start nearer than the margin keep the [gap](Near::gap) that they start with. They may open, never close.
#[derive(Debug, Clone, Default)]
pub struct RequiredGaps {
    margin: f64,
    /// Pairs that start nearer, with the gaps that they have to keep \[m\], in the order of the pairs.
    nearer: Vec<(usize, f64)>,
}

impl RequiredGaps {
    /// Makes room for so many pairs.
    pub(crate) fn make_room(&mut self, pairs: usize) {
        self.nearer.clear();
        self.nearer.reserve(pairs);
    }

    /// Begins where `near` was found, which has every pair that is nearer than `margin` \[m\].
    pub fn begin(&mut self, near: &[Near], margin: f64) {
        self.margin = margin;
        self.nearer.clear();
        for near in near {
            self.add(near);
        }
    }

    /// Adds a pair as it starts. Pairs are added in their order.
    pub(crate) fn add(&mut self, near: &Near) {
        if near.gap() < self.margin {
            self.nearer.push((near.pair, less_rounding(near.gap())));
        }
    }

    /// Lets a pair that starts nearer than the margin keep the gap that it has opened to, up to the margin \[m\].
    pub fn raise(&mut self, pair: usize, gap: f64) {
        if let Ok(at) = self.nearer.binary_search_by_key(&pair, |(pair, _)| *pair) {
            let required = &mut self.nearer[at].1;
            *required = required.max(less_rounding(gap)).min(self.margin);
        }
    }

    /// Whether every pair has to keep the margin.
    pub fn is_empty(&self) -> bool {
        self.nearer.is_empty()
    }

    /// The gap that `pair` has to keep \[m\].
    pub fn of(&self, pair: usize) -> f64 {
        let found = self.nearer.binary_search_by_key(&pair, |(pair, _)| *pair);
        found.map_or(self.margin, |at| self.nearer[at].1)
    }

    /// Of what was found elsewhere, the pair that is farthest below the gap that it has to keep.
    pub fn worst<'a>(&self, near: &'a [Near]) -> Option<&'a Near> {
        let room = |near: &Near| near.gap() - self.of(near.pair);
        near.iter().filter(|near| room(near) < 0.0).min_by(|a, b| room(a).total_cmp(&room(b)))
    }
}

fn less_rounding(gap: f64) -> f64 {
    gap - if gap > 0.0 { ROUNDING } else { ROUNDING_OF_DEPTHS }
}

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
    pub(crate) fn begin(&mut self, scene: &Scene) {
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
    pub(crate) fn note(&mut self, pair: usize, positions: &[f64], gap: f64) {
        self.gaps[pair] = gap;
        self.places[pair * self.variables..][..self.variables].copy_from_slice(positions);
    }

    /// Whether a pair is proved to be no nearer than `margin` where each variable is between `low` and `high`.
    pub(crate) fn keeps(&self, scene: &Scene, pair: usize, margin: f64, [low, high]: [&[f64]; 2]) -> bool {
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
