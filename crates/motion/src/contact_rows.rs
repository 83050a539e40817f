//! Pairs of bodies near contact as linear inequalities of the joint velocities (velocity damper: Faverjon
//! and Tournassoud 1987, "A local based approach for path planning of manipulators with a high number of
//! degrees of freedom").

use super::braking_speed::braking_speed;
use urdf_ik_collision::{Clearance, Near, SceneScratch};
use urdf_ik_mathematics::vectors::dot;

/// Pairs whose gap exceeds the margin by more than this have no row \[m\].
const INFLUENCE_DISTANCE: f64 = 0.15;
/// Maximum number of rows: the nearest pairs count.
const MAX_ROWS: usize = 32;
/// Rounding below which a row is active \[rad/s or m/s\].
const ACTIVE_TOLERANCE: f64 = 1e-6;

/// Acceleration and jerk with which every joint can brake: the lowest limits of all joints.
#[derive(Debug, Clone, Copy)]
pub struct BrakingLimits {
    /// Acceleration \[rad/s² or m/s²\].
    pub acceleration: f64,
    /// Jerk \[rad/s³ or m/s³\].
    pub jerk: f64,
}

/// Rows g · q̇ ≥ ṗ for the pairs near contact at one configuration: g is the unit gradient of a pair's gap with
/// respect to the chain's n variables, and −ṗ the maximum approach speed at which the joints can still brake before
/// the margin.
#[derive(Debug, Clone, Default)]
pub struct ContactRows {
    /// The gradients g as a row-major k × n matrix.
    pub gradients: Vec<f64>,
    /// The lower bounds ṗ, at most 0: k entries \[rad/s or m/s\].
    pub lower: Vec<f64>,
    scene: SceneScratch,
    pairs: Vec<Near>,
}

impl ContactRows {
    /// Computes the rows at `positions` of the chain's variables \[rad or m\]; no rows without a clearance.
    pub fn update(&mut self, clearance: Option<&Clearance>, positions: &[f64], braking: BrakingLimits) {
        self.gradients.clear();
        self.lower.clear();
        self.pairs.clear();
        let Some(Clearance { scene, margin }) = clearance else { return };
        scene.find_near(positions, margin + INFLUENCE_DISTANCE, &mut self.scene);
        if self.scene.near.len() > MAX_ROWS {
            self.scene.near.sort_unstable_by(|a, b| a.gap().total_cmp(&b.gap()).then(a.pair.cmp(&b.pair)));
        }
        for near in self.scene.near.iter().take(MAX_ROWS) {
            let Some(norm) = scene.push_unit_gradient(near, &self.scene, &mut self.gradients) else { continue };
            self.lower.push(-braking_speed((near.gap() - margin) / norm, braking.acceleration, braking.jerk));
            self.pairs.push(*near);
        }
    }

    /// True if `velocities` \[rad/s or m/s\] satisfy every row.
    pub fn are_satisfied(&self, velocities: &[f64]) -> bool {
        self.gradients
            .chunks_exact(velocities.len())
            .zip(&self.lower)
            .all(|(gradient, lower)| dot(gradient, velocities) >= *lower)
    }

    /// The nearest pair whose row is active at `velocities` \[rad/s or m/s\]; `None` if no row is active.
    pub fn nearest_active(&self, velocities: &[f64]) -> Option<&Near> {
        let rows = self.gradients.chunks_exact(velocities.len()).zip(&self.lower).zip(&self.pairs);
        let active = rows.filter(|((gradient, lower), _)| dot(gradient, velocities) <= **lower + ACTIVE_TOLERANCE);
        active.map(|(_, near)| near).min_by(|a, b| a.gap().total_cmp(&b.gap()))
    }
}
