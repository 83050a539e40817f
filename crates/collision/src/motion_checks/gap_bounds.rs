//! Gaps of pairs: the minimum required during a motion, and lower bounds known from earlier checks.
//!
//! A pair that is far apart in one configuration is also apart in all configurations nearby, so it need not be checked
//! there.

use std::sync::Arc;

use crate::narrow_phase::TOUCHING;
use crate::scene::Scene;
use crate::scene::near::Near;

/// Numerical tolerance for the gap of a pair that starts inside the margin \[m\].
const GAP_TOLERANCE: f64 = 1e-9;
/// Numerical tolerance for the depth of a pair that starts in contact; depths are less accurate than distances \[m\].
const DEPTH_TOLERANCE: f64 = TOUCHING;

/// The minimum gap of each pair during a motion \[m\]: the margin, or the initial [gap](Near::gap) of a pair that
/// starts inside the margin and may not come closer.
#[derive(Debug, Clone, Default)]
pub struct RequiredGaps {
    margin: f64,
    /// Pairs that start inside the margin, with their required gaps \[m\], in the order of the pairs.
    nearer: Vec<(usize, f64)>,
}

impl RequiredGaps {
    /// Reserves memory for a number of pairs.
    pub(crate) fn reserve(&mut self, pairs: usize) {
        self.nearer.clear();
        self.nearer.reserve(pairs);
    }

    /// Starts a motion from the pairs in `near`, which must contain every pair inside `margin` \[m\].
    pub fn begin(&mut self, near: &[Near], margin: f64) {
        self.margin = margin;
        self.nearer.clear();
        for near in near {
            self.add(near);
        }
    }

    /// Adds a pair with its initial gap. Pairs are added in their order.
    pub(crate) fn add(&mut self, near: &Near) {
        if near.gap() < self.margin {
            self.nearer.push((near.pair, less_rounding(near.gap())));
        }
    }

    /// Raises the required gap of a pair that started inside the margin to its current `gap` \[m\], at most to the
    /// margin. `pair` is an index of [`Scene::pairs`].
    pub fn raise(&mut self, pair: usize, gap: f64) {
        if let Ok(at) = self.nearer.binary_search_by_key(&pair, |(pair, _)| *pair) {
            let required = &mut self.nearer[at].1;
            *required = required.max(less_rounding(gap)).min(self.margin);
        }
    }

    /// True if the required gap of every pair is the margin.
    pub fn is_empty(&self) -> bool {
        self.nearer.is_empty()
    }

    /// The required gap \[m\] of `pair`, an index of [`Scene::pairs`].
    pub fn of(&self, pair: usize) -> f64 {
        let found = self.nearer.binary_search_by_key(&pair, |(pair, _)| *pair);
        found.map_or(self.margin, |at| self.nearer[at].1)
    }

    /// The pair in `near` with the largest violation of its required gap; `None` if there is no violation.
    pub fn worst<'a>(&self, near: &'a [Near]) -> Option<&'a Near> {
        let slack = |near: &Near| near.gap() - self.of(near.pair);
        near.iter().filter(|near| slack(near) < 0.0).min_by(|a, b| slack(a).total_cmp(&slack(b)))
    }
}

fn less_rounding(gap: f64) -> f64 {
    gap - if gap > 0.0 { GAP_TOLERANCE } else { DEPTH_TOLERANCE }
}

/// For each pair of a scene, a lower bound of its gap \[m\] at a verified configuration.
#[derive(Debug, Clone, Default)]
pub struct KnownGaps {
    /// The scene to which the bounds belong.
    scene: Option<Arc<()>>,
    variables: usize,
    /// The checked configurations, concatenated \[rad or m\].
    configurations: Vec<f64>,
    /// The lower bounds \[m\]; negative infinity if unknown.
    gaps: Vec<f64>,
}

impl KnownGaps {
    /// Continues with the bounds for `scene`; drops those of another scene.
    pub(crate) fn begin(&mut self, scene: &Scene) {
        if self.scene.as_ref().is_some_and(|known| Arc::ptr_eq(known, &scene.identity)) {
            return;
        }
        self.scene = Some(Arc::clone(&scene.identity));
        self.variables = scene.variables();
        self.gaps.clear();
        self.gaps.resize(scene.pairs().len(), f64::NEG_INFINITY);
        self.configurations.resize(self.gaps.len() * self.variables, 0.0);
    }

    /// Records a lower bound \[m\] for the gap of a pair at `positions`.
    pub(crate) fn record(&mut self, pair: usize, positions: &[f64], gap: f64) {
        self.gaps[pair] = gap;
        self.configurations[pair * self.variables..][..self.variables].copy_from_slice(positions);
    }

    /// True if the pair is proven to have a gap of at least `margin` wherever each variable is between `low` and
    /// `high`.
    pub(crate) fn is_known_clear(&self, scene: &Scene, pair: usize, margin: f64, [low, high]: [&[f64]; 2]) -> bool {
        let configuration = &self.configurations[pair * self.variables..][..self.variables];
        let slack = self.gaps[pair] - margin;
        slack >= 0.0 && scene.greatest_motion_into(pair, configuration, [low, high]) <= slack
    }

    /// True if all pairs are proven to have a gap of at least `margin` \[m\] at `positions` \[rad or m\] of the chain's
    /// variables.
    pub fn all_known_clear(&mut self, scene: &Scene, margin: f64, positions: &[f64]) -> bool {
        self.begin(scene);
        (0..self.gaps.len()).all(|pair| self.is_known_clear(scene, pair, margin, [positions; 2]))
    }
}
