//! Two bodies near each other, with their distance and nearest points.

use nalgebra::{Point3, Vector3};

/// Two bodies near each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Index of the pair among [`Scene::pairs`](super::Scene::pairs).
    pub pair: usize,
    /// Their distance \[m\]; 0 where they touch.
    pub distance: f64,
    /// How far one has to move at least to leave the other \[m\]; 0 where they do not overlap. A mesh counts by its convex pieces.
    pub depth: f64,
    /// The nearest point of each, or the deepest where they overlap, in the root link's frame \[m\].
    pub points: [Point3<f64>; 2],
    /// The direction in which the first moves away from the second, in the root link's frame; of length 1.
    pub normal: Vector3<f64>,
}

impl Near {
    /// How far the two are apart \[m\]: their distance, or less than 0 by the depth where they overlap.
    pub fn gap(&self) -> f64 {
        self.distance - self.depth
    }
}
