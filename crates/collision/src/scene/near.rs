//! A pair of bodies with its distance and nearest points.

use nalgebra::{Point3, Vector3};

/// A pair of bodies close to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Index of the pair in [`Scene::pairs`](super::Scene::pairs).
    pub pair: usize,
    /// Distance of the bodies \[m\]; 0 if they touch or overlap.
    pub distance: f64,
    /// Penetration depth \[m\]: length of the shortest translation that separates the bodies; 0 if they do not
    /// overlap. Meshes are treated as unions of their convex pieces.
    pub depth: f64,
    /// The nearest point of each body in the root link's frame \[m\]; the deepest points if they overlap.
    pub points: [Point3<f64>; 2],
    /// Unit vector in the root link's frame, along which the first body moves away from the second.
    pub normal: Vector3<f64>,
}

impl Near {
    /// The signed distance \[m\]: the distance, or minus the penetration depth.
    pub fn gap(&self) -> f64 {
        self.distance - self.depth
    }
}
