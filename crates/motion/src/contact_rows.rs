//! Bodies near contact, and values of standing goals near their bounds, as linear inequalities of the joint velocities
//! (velocity damper: Faverjon and Tournassoud 1987, "A local based approach for path planning of manipulators with a
//! high number of degrees of freedom").

use super::braking_speed::braking_speed;
use super::rates::Rates;
use urdf_ik_collision::{Clearance, Near, SceneScratch};
use urdf_ik_mathematics::vectors::dot;

/// Pairs whose gap exceeds the margin by more than this have no row \[m\].
const INFLUENCE_DISTANCE: f64 = 0.15;
/// Maximum number of rows: the nearest pairs count.
const MAX_ROWS: usize = 32;
/// A distance with a smaller gradient does not depend on the joints \[m/rad or m/m\].
const MIN_GRADIENT: f64 = 1e-9;

/// The origin of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Contact {
    /// A pair of bodies near the margin.
    Pair(Near),
    /// A bound of the standing goal with this index.
    Goal(usize),
}

/// Rows g · q̇ ≥ ṗ for the contacts at one configuration. g is the unit gradient of a distance with respect to the
/// chain's n variables; −ṗ is the maximum approach speed from which the joints can still brake before the least
/// distance.
#[derive(Debug, Clone, Default)]
pub struct ContactRows {
    /// The gradients g as a row-major k × n matrix, one row for each contact \[-\].
    pub gradients: Vec<f64>,
    /// The lower bounds ṗ, at most 0 for bodies: k entries \[rad/s or m/s\].
    pub lower: Vec<f64>,
    /// Motion of the joints along each gradient that is left up to the least distance: k entries \[rad or m\].
    pub room: Vec<f64>,
    /// Acceleration along each gradient that the velocities of the joints cause: k entries \[rad/s² or m/s²\]; 0 for
    /// bodies.
    pub bias: Vec<f64>,
    scene: SceneScratch,
    contacts: Vec<Contact>,
}

impl ContactRows {
    /// Replaces all rows by those of the pairs of bodies at `positions` of the chain's n variables \[rad or m\].
    /// `braking` has the acceleration and jerk with which the joints brake. There are no rows without a clearance.
    pub fn update(&mut self, clearance: Option<&Clearance>, positions: &[f64], braking: Rates) {
        self.clear();
        let Some(Clearance { scene, margin }) = clearance else { return };
        scene.find_near(positions, margin + INFLUENCE_DISTANCE, &mut self.scene);
        if self.scene.near.len() > MAX_ROWS {
            self.scene.near.sort_unstable_by(|a, b| a.gap().total_cmp(&b.gap()).then(a.pair.cmp(&b.pair)));
        }
        for index in 0..self.scene.near.len().min(MAX_ROWS) {
            let near = self.scene.near[index];
            let Some(norm) = scene.push_unit_gradient(&near, &self.scene, &mut self.gradients) else { continue };
            let room = (near.gap() - margin) / norm;
            self.lower.push(-braking_speed(room, braking));
            self.room.push(room);
            self.bias.push(0.0);
            self.contacts.push(Contact::Pair(near));
        }
    }

    /// Each gradient (n entries), with the motion left along it up to the least distance \[rad or m\].
    pub fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let variables = self.gradients.len() / self.room.len().max(1);
        self.gradients.chunks_exact(variables.max(1)).zip(self.room.iter().copied())
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.gradients.clear();
        self.lower.clear();
        self.room.clear();
        self.bias.clear();
        self.contacts.clear();
    }

    /// Adds the row of a bound. `gradient` has the derivative of a distance by each of the n variables; `room` is the
    /// decrease left to that distance \[rad or m\]. If `room` is negative, the row requires the distance to increase. A
    /// distance that does not depend on the joints gets a row without effect.
    pub fn push(&mut self, contact: Contact, gradient: &[f64], room: f64, braking: Rates) {
        let norm = dot(gradient, gradient).sqrt();
        let room = if norm < MIN_GRADIENT { f64::INFINITY } else { room / norm };
        self.gradients.extend(gradient.iter().map(|entry| entry / norm.max(MIN_GRADIENT)));
        self.lower.push(-braking_speed(room.abs(), braking).copysign(room));
        self.room.push(room);
        self.bias.push(0.0);
        self.contacts.push(contact);
    }

    /// Change of the velocity along the gradient of a row \[rad/s or m/s\] when that gradient becomes `later` (n
    /// entries), for joints with these `velocities` \[rad/s or m/s\].
    pub fn velocity_change(&self, row: usize, later: &[f64], velocities: &[f64]) -> f64 {
        let now = &self.gradients[row * later.len()..][..later.len()];
        dot(later, velocities) / dot(later, later).sqrt().max(MIN_GRADIENT) - dot(now, velocities)
    }

    /// The contact of the row with this index; `None` if there is no such row.
    pub fn contact(&self, row: usize) -> Option<Contact> {
        self.contacts.get(row).copied()
    }
}
