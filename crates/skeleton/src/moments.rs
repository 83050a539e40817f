//! Sums over points, to which a hinge is fitted.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// Weight of each point over that of the next nearer one.
const DECAY: f64 = 0.7;

/// Sums over weighted points: of the weights, of the points, and of their products with themselves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    weight: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
}

/// The position and orientation of a frame.
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

    /// The sums over the points of both.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self { weight: self.weight + other.weight, first: self.first + other.first, second: self.second + other.second }
    }

    /// Sum of the products of the points as seen from `outer` with the same points as seen from `inner`. With common
    /// origins, the rotation R between the two frames that brings these points nearest to those maximises the trace of
    /// R times this matrix (Wahba 1965).
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
