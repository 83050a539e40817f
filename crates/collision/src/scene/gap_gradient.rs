//! Gradients of gaps as rows of linear inequalities.

use super::near::Near;
use super::{Scene, SceneScratch};
use urdf_ik_mathematics::vectors::normalise;

/// Norm of the gradient of a gap below which it is rounding: no variable moves the pair \[m/rad or m/m\].
const MIN_GRADIENT: f64 = 1e-9;

impl Scene {
    /// Appends to `rows` the unit gradient of the gap of `near` with respect to the chain's n variables: n entries,
    /// normal · (J_a − J_b) of the contact points over its norm. `scratch` must be from the query that found `near`.
    /// Returns the norm \[m/rad or m/m\]. If no variable moves the two bodies relative to each other, appends nothing
    /// and returns `None`.
    pub fn push_unit_gradient(&self, near: &Near, scratch: &SceneScratch, rows: &mut Vec<f64>) -> Option<f64> {
        let before = rows.len();
        rows.resize(before + self.variables, 0.0);
        self.write_slope(near, scratch, &mut rows[before..]);
        let norm = normalise(&mut rows[before..]);
        if norm < MIN_GRADIENT {
            rows.truncate(before);
            return None;
        }
        Some(norm)
    }
}
