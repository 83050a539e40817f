//! Pairs near contact as inequalities of the joint velocities: how fast they may come nearer.

use super::braking_speed::braking_speed;
use super::jerk_bounds::Limits;
use urdf_ik_collision::{Clearance, Near, SceneScratch};
use urdf_ik_mathematics::vectors::{dot, normalise};

/// How far beyond the margin pairs are looked at \[m\].
const LOOK: f64 = 0.15;
/// Pairs at most: the nearest count.
const MAX_PAIRS: usize = 32;
/// With a smaller slope \[m/rad or m/m\] nothing moves a pair.
const MIN_SLOPE: f64 = 1e-9;

/// The pairs near contact at one configuration.
#[derive(Debug, Clone, Default)]
pub struct Contacts {
    /// slopes · velocities >= least, each slope as long as 1.
    pub slopes: Vec<f64>,
    pub least: Vec<f64>,
    scene: SceneScratch,
    pairs: Vec<Near>,
}

impl Contacts {
    /// Finds the pairs near contact at `positions`; none without a clearance.
    pub fn find(&mut self, clearance: Option<&Clearance>, positions: &[f64], limits: &[Limits]) {
        self.slopes.clear();
        self.least.clear();
        self.pairs.clear();
        let Some(Clearance { scene, margin }) = clearance else { return };
        scene.find_near(positions, margin + LOOK, &mut self.scene);
        if self.scene.near.len() > MAX_PAIRS {
            self.scene.near.sort_unstable_by(|a, b| a.gap().total_cmp(&b.gap()).then(a.pair.cmp(&b.pair)));
        }
        let slowest = |limit: fn(&Limits) -> f64| limits.iter().map(limit).fold(f64::INFINITY, f64::min);
        let [acceleration, jerk] = [slowest(|limits| limits.acceleration), slowest(|limits| limits.jerk)];
        for at in 0..self.scene.near.len().min(MAX_PAIRS) {
            let near = self.scene.near[at];
            let before = self.slopes.len();
            self.slopes.resize(before + limits.len(), 0.0);
            let slope = &mut self.slopes[before..];
            scene.write_slope(&near, &self.scene, slope);
            let steepness = normalise(slope);
            if steepness < MIN_SLOPE {
                self.slopes.truncate(before);
                continue;
            }
            self.least.push(-braking_speed((near.gap() - margin) / steepness, acceleration, jerk));
            self.pairs.push(near);
        }
    }

    /// Whether velocities keep all of them.
    pub fn are_kept(&self, velocities: &[f64]) -> bool {
        self.slopes
            .chunks_exact(velocities.len())
            .zip(&self.least)
            .all(|(slope, least)| dot(slope, velocities) >= *least)
    }

    /// Of the pairs that the velocities bring nearer as fast as they may, the nearest.
    pub fn pressing(&self, velocities: &[f64]) -> Option<&Near> {
        /// Rounding \[rad/s or m/s\].
        const TIGHT: f64 = 1e-6;
        let rows = self.slopes.chunks_exact(velocities.len()).zip(&self.least).zip(&self.pairs);
        let pressing = rows.filter(|((slope, least), _)| dot(slope, velocities) <= **least + TIGHT);
        pressing.map(|(_, near)| near).min_by(|a, b| a.gap().total_cmp(&b.gap()))
    }
}
