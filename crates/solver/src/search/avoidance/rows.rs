//! Pairs near contact as inequalities of a step.

use urdf_ik_collision::{Clearance, Near, SceneScratch, SegmentScratch};
use urdf_ik_mathematics::vectors::{dot, normalise};

/// Rows at most.
const MAX_ROWS: usize = 96;
/// Of these, at most so many from one place.
const MAX_PAIRS: usize = 48;
/// A pair that has come too near is led back to this far beyond what it has to keep \[m\]: distances have an error, and bend.
const BEYOND: f64 = 1e-6;
/// With a smaller slope \[m/rad or m/m\] nothing moves a pair.
const MIN_SLOPE: f64 = 1e-9;

/// Inequalities of a step from a place that keeps clear: slope · step >= least, both over the length of the slope.
///
/// The distance of a pair is that of one point of each body. Where two faces meet, these points jump from corner to corner, so the rows of
/// the places before stay.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// One slope after the other.
    pub slopes: Vec<f64>,
    least: Vec<f64>,
    /// What each row is of, as it was found.
    near: Vec<Near>,
    variables: usize,
}

impl Rows {
    /// Makes room for steps of so many variables, and for what the rows want in `least`, and forgets all rows.
    pub fn begin(&mut self, variables: usize, least: &mut Vec<f64>) {
        least.clear();
        least.reserve(MAX_ROWS);
        self.variables = variables;
        self.clear();
        self.slopes.reserve(MAX_ROWS * variables);
        self.least.reserve(MAX_ROWS);
        self.near.reserve(MAX_ROWS);
    }

    /// Adds the pairs found at the end of `step`, which are all those within `look` \[m\] of the margin. Gives how far bodies may
    /// move against each other for these rows to be enough \[m\].
    pub fn add(&mut self, clearance: &Clearance, segment: &mut SegmentScratch, step: &[f64], look: f64) -> f64 {
        let SegmentScratch { scene, required_gaps, .. } = segment;
        let room = |near: &Near| near.gap() - required_gaps.of(near.pair);
        let mut reach = look;
        if scene.near.len() > MAX_PAIRS {
            scene.near.sort_unstable_by(|a, b| room(a).total_cmp(&room(b)).then(a.pair.cmp(&b.pair)));
            reach = room(&scene.near[MAX_PAIRS]).clamp(0.0, look);
        }
        let count = scene.near.len().min(MAX_PAIRS);
        if self.near.len() + count > MAX_ROWS {
            self.clear();
        }
        for at in 0..count {
            let near = scene.near[at];
            self.push(clearance, scene, near, step, BEYOND - room(&near));
        }
        reach
    }

    /// Takes the rows along with a step.
    pub fn take_along(&mut self, step: &[f64]) {
        for (least, slope) in self.least.iter_mut().zip(self.slopes.chunks_exact(self.variables)) {
            *least -= dot(slope, step);
        }
    }

    /// Writes what the rows want of a step from the place that keeps clear: there, to stand still is always allowed.
    pub fn write_least(&self, least: &mut Vec<f64>) {
        least.clear();
        least.extend(self.least.iter().map(|least| least.min(0.0)));
    }

    /// Writes what the rows want of a correction at the end of `step`.
    pub fn write_least_after(&self, step: &[f64], least: &mut Vec<f64>) {
        least.clear();
        let rows = self.least.iter().zip(self.slopes.chunks_exact(self.variables));
        least.extend(rows.map(|(least, slope)| least - dot(slope, step)));
    }

    /// What the row of that index is of, as it was found.
    pub fn near(&self, row: usize) -> Near {
        self.near[row]
    }

    fn clear(&mut self) {
        self.slopes.clear();
        self.least.clear();
        self.near.clear();
    }

    /// Adds a row that at the end of `step` wants `least` more.
    fn push(&mut self, clearance: &Clearance, scene: &SceneScratch, near: Near, step: &[f64], least: f64) {
        let before = self.slopes.len();
        self.slopes.resize(before + self.variables, 0.0);
        let slope = &mut self.slopes[before..];
        clearance.scene.write_slope(&near, scene, slope);
        let length = normalise(slope);
        if length < MIN_SLOPE {
            self.slopes.truncate(before);
            return;
        }
        self.least.push(least / length + dot(slope, step));
        self.near.push(near);
    }
}
