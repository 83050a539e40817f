//! Means of the suggestions of several branches at a sub-base.

use nalgebra::{Point3, UnitQuaternion, Vector4};

/// The weighted centroid of suggested places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Centroid {
    pub place: Point3<f64>,
    /// Sum of the weights; 0 without points.
    pub weight: f64,
}

impl Default for Centroid {
    fn default() -> Self {
        Self { place: Point3::origin(), weight: 0.0 }
    }
}

impl Centroid {
    /// Adds a suggestion. A single one is kept exactly.
    pub(super) fn add(&mut self, place: &Point3<f64>, weight: f64) {
        let sum = self.weight + weight;
        self.place = if self.weight > 0.0 { self.place + (place - self.place) * (weight / sum) } else { *place };
        self.weight = sum;
    }
}

/// The mean of rotations close to each other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MeanRotation {
    sum: Option<(UnitQuaternion<f64>, Vector4<f64>)>,
}

impl MeanRotation {
    pub(super) fn add(&mut self, rotation: UnitQuaternion<f64>) {
        let term = rotation.coords;
        self.sum = Some(match self.sum {
            None => (rotation, term),
            // q and -q are the same rotation.
            Some((first, sum)) if sum.dot(&term) < 0.0 => (first, sum - term),
            Some((first, sum)) => (first, sum + term),
        });
    }

    /// `None` without rotations. A single one is exact.
    pub(super) fn mean(&self) -> Option<UnitQuaternion<f64>> {
        let (first, sum) = self.sum?;
        if first.coords.dot(&sum) >= sum.norm() {
            return Some(first);
        }
        Some(UnitQuaternion::new_normalize(nalgebra::Quaternion::from(sum)))
    }
}
