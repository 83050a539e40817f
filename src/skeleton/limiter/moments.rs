//! Sums over points, by which a hinge is turned so that all of them match.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// What each point further off counts of the one before. Unlike for robots it is the same for any number of joints, since acceleration and
/// restarts bring 30 hinges there in three cycles.
const DECAY: f64 = 0.7;

/// Sums over weighted points: of the weights, of the points, and of their products with themselves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    weight: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
}

/// Where a frame is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub frame: UnitQuaternion<f64>,
    pub origin: Vector3<f64>,
}

impl Moments {
    /// With one more point, nearer than those before.
    pub(super) fn with(&self, point: &Vector3<f64>) -> Self {
        Self {
            weight: DECAY * self.weight + 1.0,
            first: self.first * DECAY + point,
            second: self.second * DECAY + point * point.transpose(),
        }
    }

    /// Sum of the products of the points as seen from `outer` with the same points as seen from `inner`. The rotation R
    /// between the two frames that brings the ones nearest to the others, their origins being put together, makes the trace of
    /// R times this matrix greatest (Wahba 1965).
    pub(super) fn between(&self, outer: &Place, inner: &Place) -> Matrix3<f64> {
        let (a, b) = (outer.origin, inner.origin);
        let products =
            self.second - a * self.first.transpose() - self.first * b.transpose() + a * b.transpose() * self.weight;
        matrix(&outer.frame).transpose() * products * matrix(&inner.frame)
    }
}

fn matrix(rotation: &UnitQuaternion<f64>) -> Matrix3<f64> {
    rotation.to_rotation_matrix().into_inner()
}
