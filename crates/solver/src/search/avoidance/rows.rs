//! Inequalities of a step for pairs near contact.

use urdf_ik_collision::{Clearance, Near, SceneScratch, SegmentScratch};
use urdf_ik_mathematics::vectors::dot;

/// Largest number of rows.
const MAX_ROWS: usize = 96;
/// Largest number of rows from one configuration.
const MAX_PAIRS: usize = 48;
/// Distance beyond the required one to which a violating pair is corrected \[m\], since distances are
/// inexact and curved.
const CORRECTION_MARGIN: f64 = 1e-6;

/// Inequalities of a step \[rad or m\] from a collision-free configuration: slope · step >= least. Slopes have unit
/// length.
///
/// The distance of a pair is that of one point of each body. Between parallel faces these points jump from corner to
/// corner, so rows of earlier configurations remain.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Normalised gradients of the distances, row-major: one row per inequality, one column per variable.
    pub slopes: Vec<f64>,
    least: Vec<f64>,
    /// The pair of each row, in its state when the row was added.
    pub near: Vec<Near>,
    variables: usize,
}

impl Rows {
    /// Clears the rows and `least`, and reserves memory for rows of `variables` entries and for their lower bounds.
    pub fn begin(&mut self, variables: usize, least: &mut Vec<f64>) {
        least.clear();
        least.reserve(MAX_ROWS);
        self.variables = variables;
        self.clear();
        self.slopes.reserve(MAX_ROWS * variables);
        self.least.reserve(MAX_ROWS);
        self.near.reserve(MAX_ROWS);
    }

    /// Adds a row for each pair in `segment`, at the end of `step` \[rad or m\]: all pairs within `range` \[m\] of the
    /// margin. Returns the motion of bodies \[m\] up to which these rows are sufficient.
    pub fn add(&mut self, clearance: &Clearance, segment: &mut SegmentScratch, step: &[f64], range: f64) -> f64 {
        let SegmentScratch { scene, required_gaps, .. } = segment;
        let slack = |near: &Near| near.gap() - required_gaps.of(near.pair);
        let mut reach = range;
        if scene.near.len() > MAX_PAIRS {
            scene.near.sort_unstable_by(|a, b| slack(a).total_cmp(&slack(b)).then(a.pair.cmp(&b.pair)));
            reach = slack(&scene.near[MAX_PAIRS]).clamp(0.0, range);
        }
        let count = scene.near.len().min(MAX_PAIRS);
        if self.near.len() + count > MAX_ROWS {
            self.clear();
        }
        for at in 0..count {
            let near = scene.near[at];
            self.push(clearance, scene, near, step, CORRECTION_MARGIN - slack(&near));
        }
        reach
    }

    /// Moves the origin of the rows by an accepted `step` \[rad or m\], one entry per variable.
    pub fn shift(&mut self, step: &[f64]) {
        for (least, slope) in self.least.iter_mut().zip(self.slopes.chunks_exact(self.variables)) {
            *least -= dot(slope, step);
        }
    }

    /// Writes one lower bound per row into `least`, for a step from the collision-free configuration. A zero step is
    /// always allowed.
    pub fn write_least(&self, least: &mut Vec<f64>) {
        least.clear();
        least.extend(self.least.iter().map(|least| least.min(0.0)));
    }

    /// Writes one lower bound per row into `least`, for a correction at the end of `step` \[rad or m\].
    pub fn write_least_after(&self, step: &[f64], least: &mut Vec<f64>) {
        least.clear();
        let rows = self.least.iter().zip(self.slopes.chunks_exact(self.variables));
        least.extend(rows.map(|(least, slope)| least - dot(slope, step)));
    }

    fn clear(&mut self) {
        self.slopes.clear();
        self.least.clear();
        self.near.clear();
    }

    /// Adds a row that requires `least` more at the end of `step`.
    fn push(&mut self, clearance: &Clearance, scene: &SceneScratch, near: Near, step: &[f64], least: f64) {
        let before = self.slopes.len();
        let Some(length) = clearance.scene.push_unit_gradient(&near, scene, &mut self.slopes) else { return };
        self.least.push(least / length + dot(&self.slopes[before..], step));
        self.near.push(near);
    }
}
