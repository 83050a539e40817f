//! The distances that pairs have to keep when they start nearer than the margin.

use super::near_check::Near;

/// A pair that starts nearer may come nearer by this much, which is rounding \[m\].
const ROUNDING: f64 = 1e-9;

/// Pairs that start nearer than the margin keep the distance that they start with. They may open, never close.
#[derive(Debug, Clone, Default)]
pub struct Floors {
    margin: f64,
    /// Pairs that start nearer, with their distances \[m\], in the order of the pairs.
    nearer: Vec<(usize, f64)>,
}

impl Floors {
    /// Makes room for so many pairs.
    pub(super) fn make_room(&mut self, pairs: usize) {
        self.nearer.clear();
        self.nearer.reserve(pairs);
    }

    /// Begins where `near` was found, which has every pair that is nearer than `margin` \[m\].
    pub fn begin(&mut self, near: &[Near], margin: f64) {
        self.margin = margin;
        self.nearer.clear();
        let nearer = near.iter().filter(|near| near.distance < margin);
        self.nearer.extend(nearer.map(|near| (near.pair, (near.distance - ROUNDING).max(0.0))));
    }

    /// Whether every pair has to keep the margin.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nearer.is_empty()
    }

    /// The distance that `pair` has to keep \[m\].
    #[must_use]
    pub fn of(&self, pair: usize) -> f64 {
        let found = self.nearer.binary_search_by_key(&pair, |(pair, _)| *pair);
        found.map_or(self.margin, |at| self.nearer[at].1)
    }

    /// Of what was found elsewhere, the pair that is farthest below the distance that it has to keep.
    #[must_use]
    pub fn worst<'a>(&self, near: &'a [Near]) -> Option<&'a Near> {
        let room = |near: &Near| near.distance - self.of(near.pair);
        near.iter().filter(|near| room(near) < 0.0).min_by(|a, b| room(a).total_cmp(&room(b)))
    }
}
